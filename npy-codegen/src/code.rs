//! Generated code, and what a program needs to compile it.

use std::fmt;

/// Rust code that defines one or more types. [`Display`](fmt::Display) prints the text.
///
/// ```
/// use npy_codegen::Need;
///
/// let code = npy_codegen::record(&"[('gain', '<f2')]".parse()?, "Trace");
/// assert!(code.text.contains("pub gain: half::f16,"));
/// assert_eq!(code.to_string(), code.text);
/// assert_eq!(code.needs, [Need::Half]);
/// # Ok::<(), npy_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Code {
    /// The text: the types, with a line break at the end.
    pub text: String,
    /// The features and crates that the code needs in addition to `npy-core` with its default features. Each is in the list once.
    pub needs: Vec<Need>,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A crate that generated code names, and the feature of `npy-core` that goes with it. [`Display`](fmt::Display) prints both.
///
/// ```
/// use npy_codegen::Need;
///
/// assert_eq!(Need::Half.to_string(), "the crate half 2, and the feature `half` of npy-core");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Need {
    /// `half::f16` and `half::bf16`.
    Half,
    /// `num_complex::Complex`.
    NumComplex,
    /// `serde::Deserialize`, for records with Python objects.
    Serde,
}

impl Need {
    /// Returns the name of the crate.
    ///
    /// ```
    /// assert_eq!(npy_codegen::Need::NumComplex.package(), "num-complex");
    /// ```
    pub fn package(self) -> &'static str {
        match self {
            Need::Half => "half",
            Need::NumComplex => "num-complex",
            Need::Serde => "serde",
        }
    }

    /// Returns the version of the crate that `npy-core` takes, as in `Cargo.toml`.
    ///
    /// ```
    /// assert_eq!(npy_codegen::Need::NumComplex.version(), "0.4");
    /// ```
    pub fn version(self) -> &'static str {
        match self {
            Need::Half => "2",
            Need::NumComplex => "0.4",
            Need::Serde => "1",
        }
    }

    /// Returns the features of the crate that the code uses.
    ///
    /// ```
    /// assert_eq!(npy_codegen::Need::Serde.package_features(), ["derive"]);
    /// assert!(npy_codegen::Need::Half.package_features().is_empty());
    /// ```
    pub fn package_features(self) -> &'static [&'static str] {
        match self {
            Need::Half | Need::NumComplex => &[],
            Need::Serde => &["derive"],
        }
    }

    /// Returns the feature of `npy-core`.
    ///
    /// ```
    /// assert_eq!(npy_codegen::Need::Serde.feature(), "serde");
    /// ```
    pub fn feature(self) -> &'static str {
        // Each feature has the name of its crate.
        self.package()
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the crate {} {}", self.package(), self.version())?;
        if let [feature] = self.package_features() {
            write!(f, " with its feature `{feature}`")?;
        }
        write!(f, ", and the feature `{}` of npy-core", self.feature())
    }
}
