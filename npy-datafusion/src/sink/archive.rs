//! Makes an archive of the columns of a query: each is an array in it, as `np.savez` writes them.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{exec_datafusion_err, exec_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SpillFile;
use datafusion::execution::disk_manager::DiskManager;
use futures::{StreamExt, TryStreamExt};
use npy_zip::{Compression, MemberWriter, Writer};
use tokio::runtime::Handle;

use super::spool::{Complete, Spool};
use crate::header::external;

/// Refuses columns that have the name of another one.
pub(super) fn check_names<'n>(names: impl Iterator<Item = &'n String>) -> Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return exec_err!(
                "two columns are called {name:?}, and an archive has one array of a name; give one another name: SELECT a.x AS ax, b.x"
            );
        }
    }
    Ok(())
}

/// Writes the archive to a temporary file; `None` if there was no batch.
pub(super) async fn complete(
    columns: Vec<(String, Spool)>,
    disk: &Arc<DiskManager>,
) -> Result<Option<Complete>> {
    let mut members = Vec::new();
    for (name, spool) in columns {
        let Some(member) = spool.complete()? else { return Ok(None) };
        members.push((name, member));
    }
    let file = disk.create_tmp_file("writing an archive")?;
    let written = Arc::clone(&file);
    // The rows of a column are read by requests to a file, and an archive is written by calls that wait.
    let task = SpawnedTask::spawn_blocking(move || write(members, &*written));
    let task = task.join_unwind().await;
    let size = task.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))??;
    let rows = file.read_stream()?;
    // The file is removed when its last owner is dropped.
    let rows = rows.inspect_ok(move |_| _ = &file).boxed();
    Ok(Some(Complete { header: Vec::new(), size, rows }))
}

/// Writes the archive, and returns its size.
fn write(members: Vec<(String, Complete)>, to: &dyn SpillFile) -> Result<u64> {
    let path = to.path();
    let path =
        path.ok_or_else(|| exec_datafusion_err!("the session has no temporary directory"))?;
    let file = File::options().write(true).open(path)?;
    let mut archive = Writer::file(file, Compression::stored()).map_err(external)?;
    for (name, member) in members {
        let add = |to: &mut MemberWriter<'_, File>| copy(member, to);
        let added = archive.add(&format!("{name}.npy"), add);
        added.map_err(|error| exec_datafusion_err!("{name}: {error}"))?;
    }
    Ok(archive.finish().map_err(external)?.metadata()?.len())
}

fn copy(from: Complete, to: &mut MemberWriter<'_, File>) -> io::Result<()> {
    let Complete { header, size, mut rows } = from;
    to.begin(size.saturating_add(header.len() as u64))?;
    to.write_all(&header)?;
    let runtime = Handle::current();
    while let Some(bytes) = runtime.block_on(rows.next()) {
        to.write_all(&bytes.map_err(io::Error::other)?)?;
    }
    Ok(())
}
