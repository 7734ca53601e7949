//! Inner writers that panic, in a program that continues.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use npy_core::Result;
use npy_core::npz::{WriteOptions, Writer};
use npy_tests::disk::Disk;

/// Counts the panics of this process.
static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Writes an archive; returns true if the inner writer panicked. After a panic each call must be an error.
fn write(begin: impl FnOnce() -> Result<Writer<Disk>>, finish: bool) -> bool {
    let mut panicked = false;
    let mut call = |call: &mut dyn FnMut() -> Result<()>| match catch_unwind(AssertUnwindSafe(call))
    {
        Err(_) => {
            assert!(!panicked, "it panics again");
            panicked = true;
        }
        Ok(result) => {
            assert_eq!(result.is_err(), panicked, "{result:?}");
            if let Err(error) = result {
                assert!(error.to_string().contains("an earlier write failed (it panicked)"));
            }
        }
    };
    let mut writer = None;
    let mut begin = Some(begin);
    call(&mut || {
        writer = Some(begin.take().unwrap()()?);
        Ok(())
    });
    let Some(mut writer) = writer else { return true };
    // More than is kept in memory.
    let values: Vec<u64> = (0..20_000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    for n in 0..2 {
        call(&mut || writer.write(&format!("large{n}"), &values));
        call(&mut || writer.write(&format!("small{n}"), &[n]));
        call(&mut || {
            let mut rows = writer.start::<u8>(&format!("rows{n}"))?;
            rows.push(&7)?;
            rows.finish()
        });
    }
    let mut writer = Some(writer);
    if finish {
        call(&mut || writer.take().unwrap().finish().map(drop));
    }
    // Also after permanent panics, and in the middle of a member. A writer that is dropped without either says so.
    let dropped = catch_unwind(AssertUnwindSafe(|| match writer {
        Some(writer) if !panicked => writer.discard(),
        writer => drop(writer),
    }));
    panicked || dropped.is_err()
}

/// Not a test of its own: its output must be only what the library prints.
#[test]
#[ignore = "started by `after_a_panic_of_the_inner_writer_every_call_is_an_error_and_nothing_is_printed`"]
fn child_whose_writer_panics() {
    if std::env::var_os("NPY_PANICS").is_none() {
        return;
    }
    std::panic::set_hook(Box::new(|info| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        let message = info.payload_as_str().unwrap_or_default();
        if message != "a writer that panics" {
            eprintln!("{info}");
        }
    }));
    let (mut deflate, mut threads) = (WriteOptions::new(), WriteOptions::new());
    deflate.deflate(1);
    threads.deflate(1).threads(2);
    type Begin = fn(&WriteOptions, Disk) -> Result<Writer<Disk>>;
    let begins: [Begin; 2] =
        [|options, disk| options.writer(disk), |options, disk| Ok(options.stream(disk))];
    for (options, begin) in [WriteOptions::new(), deflate, threads]
        .iter()
        .flat_map(|options| begins.map(|begin| (options, begin)))
    {
        for (forever, finish) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut calls = 0;
            loop {
                let before = PANICS.load(Ordering::Relaxed);
                let disk = Disk::with_panic(calls, forever);
                let panicked = write(|| begin(options, disk), finish);
                let panics = PANICS.load(Ordering::Relaxed) - before;
                assert_eq!(panics, usize::from(panicked), "{calls} calls, then {forever}");
                if !panicked {
                    break;
                }
                calls += 1;
            }
            // Without `finish`, all blocks may still be waiting for compression.
            assert!(calls > 2 || !finish, "{calls}");
        }
    }
}

/// Guards the process: a panic in the inner writer, at any call, is one panic, then errors, and nothing is printed in
/// the end.
#[test]
fn after_a_panic_of_the_inner_writer_every_call_is_an_error_and_nothing_is_printed() {
    let mut child = npy_tests::again("npz::panicking::child_whose_writer_panics");
    let output = child.env("NPY_PANICS", "1").output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{}\n{out}\n{err}", output.status);
    assert_eq!(err, "");
}
