//! The names in a pickle that Python would import.

use super::Objects;

impl Objects {
    /// Iterates over the classes and functions that Python would import, as `module.name`, each once. `np.load` would also call those
    /// that the pickle calls.
    ///
    /// A function may have another name here than in a program: `os.system` is `posix.system`, on Windows `nt.system`. So compare the names
    /// with those that you expect, and not with those that you forbid.
    ///
    /// Most arrays name `numpy.dtype`, `numpy.ndarray` and `numpy._core.multiarray._reconstruct`
    /// (`numpy.core.multiarray._reconstruct` before NumPy 2).
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// # let dir = tempfile::tempdir()?;
    /// # std::env::set_current_dir(&dir)?;
    /// use npy_core::Objects;
    ///
    /// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
    /// # npy_core::object::save("model.npy", &serde_json::json!({"name": "spam", "rates": [0.5, 2]}))?;
    /// let objects = Objects::read_npy("model.npy")?;
    /// for name in objects.globals() {
    ///     assert!(name.starts_with("numpy"), "{name}");
    /// }
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn globals(&self) -> impl Iterator<Item = String> {
        let names = self.pickle.graph().names(self.as_bytes());
        names.map(|(module, name)| format!("{module}.{name}"))
    }

    /// Iterates over those of [`globals`](Self::globals) that are not known to make plain data. Known are the classes and functions that
    /// NumPy, pandas and Python's own types name, and `builtins.getattr` where it only restores time zones. `np.load` may run any code for the others.
    ///
    /// ```
    /// use npy_core::{Objects, ReadNpy, WriteNpy};
    ///
    /// let mut file = Vec::new();
    /// [Some("a".to_owned()), None].write_npy_to(&mut file)?;
    /// let objects = Objects::read_npy_from(&file[..])?;
    /// assert_eq!(objects.unknown_globals().count(), 0);
    /// # Ok::<(), npy_core::Error>(())
    /// ```
    pub fn unknown_globals(&self) -> impl Iterator<Item = String> {
        let (graph, pickle) = (self.pickle.graph(), self.as_bytes());
        let names = graph.names(pickle);
        let unknown = names.filter(|(module, name)| !graph.is_harmless(pickle, module, name));
        unknown.map(|(module, name)| format!("{module}.{name}"))
    }
}
