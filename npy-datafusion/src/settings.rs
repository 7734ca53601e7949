//! The settings of a session for files of this format: `SET npy.no_clobber = true`.

use std::any::Any;

use datafusion::common::config::{ConfigEntry, ConfigExtension, ConfigOptions, ExtensionOptions};
use datafusion::common::plan_datafusion_err;
use datafusion::error::Result;

/// The settings of a session for files of this format.
#[derive(Clone, Debug, Default)]
pub(crate) struct NpySettings {
    /// True if tables have virtual columns.
    pub(crate) virtual_columns: bool,
    /// True if `COPY` replaces no file.
    pub(crate) no_clobber: bool,
    /// True if `COPY` also replaces archives whose other members are lost, and adds files to a directory of others.
    pub(crate) force: bool,
    /// True while a rule runs on a plan with barriers, which no statement sets.
    pub(crate) are_barriers_up: bool,
}

impl NpySettings {
    /// Returns those of a session.
    pub(crate) fn of(session: &ConfigOptions) -> Self {
        session.extensions.get::<NpySettings>().cloned().unwrap_or_default()
    }
}

impl ConfigExtension for NpySettings {
    const PREFIX: &'static str = "npy";
}

impl ExtensionOptions for NpySettings {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn cloned(&self) -> Box<dyn ExtensionOptions> {
        Box::new(self.clone())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let setting = match key {
            "virtual_columns" => &mut self.virtual_columns,
            "no_clobber" => &mut self.no_clobber,
            "force" => &mut self.force,
            _ => {
                return Err(plan_datafusion_err!(
                    "there is no setting npy.{key}; there are npy.virtual_columns, npy.no_clobber and npy.force"
                ));
            }
        };
        *setting = value
            .to_ascii_lowercase()
            .parse()
            .map_err(|_| plan_datafusion_err!("npy.{key} is {value:?}; it is true or false"))?;
        Ok(())
    }

    fn entries(&self) -> Vec<ConfigEntry> {
        let all = [
            (
                self.virtual_columns,
                "npy.virtual_columns",
                "tables of .npy files have the columns _file and _row",
            ),
            (self.no_clobber, "npy.no_clobber", "COPY replaces no file"),
            (
                self.force,
                "npy.force",
                "COPY also replaces archives whose other members are lost, and adds files to a directory of others",
            ),
        ];
        // Engines of several machines send all settings that there are, and other programs do not know these.
        let entry = |(is_on, key, description): (bool, &str, &'static str)| {
            is_on.then(|| ConfigEntry { key: key.into(), value: Some("true".into()), description })
        };
        all.into_iter().filter_map(entry).collect()
    }
}
