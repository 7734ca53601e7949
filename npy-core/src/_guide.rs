//! The guide: how to do what with this crate.
//!
//! - [`tutorial`]: from `np.save` to a big-endian file of nested records, in ten steps.
//! - [`cookbook`]: tasks and the programs that do them.
//! - [`records`]: the layout of structs in files and in memory: packed, padded, aligned, big-endian, without copying.
//! - [`troubleshooting`]: the error messages, their causes, and what to do.
//! - [`from_numpy`], [`from_npyz`], [`from_ndarray_npy`]: call by call, for those who know these.
//! - [`comparison`]: what others do better, and what this crate does better.
//! - [`performance`]: what to expect, and how to get it.
//! - [`platforms`]: Windows, macOS, WebAssembly, 32 bits.
//! - [`design`]: choices that look odd at first, and oddities of the format.
//! - [`stability`]: versions, public dependencies, the minimum Rust.
//! - [`faq`]: frequent questions.
//!
//! The examples of these pages are tests, with all features turned on.

/// Defines a page. Its examples are tests only where they compile: with the features that they use.
macro_rules! page {
    ($($(#[doc = $title:literal])* $name:ident: $($part:literal),+;)*) => {$(
        $(#[doc = $title])*
        #[doc = ""]
        $(#[cfg_attr(
            any(
                not(doctest),
                all(
                    feature = "derive",
                    feature = "mmap",
                    feature = "npz",
                    feature = "ndarray",
                    feature = "serde",
                    feature = "half",
                    feature = "num-complex",
                    feature = "jiff",
                ),
            ),
            doc = include_str!($part)
        )]
        #[doc = ""])+
        pub mod $name {}
    )*};
}

page! {
    /// Tutorial: from `np.save` to a big-endian file of nested records.
    tutorial: "_guide/tutorial/1.md", "_guide/record.svg", "_guide/tutorial/2.md", "_guide/archive.svg", "_guide/tutorial/3.md";
    /// Cookbook: tasks, and the programs that do them.
    cookbook: "_guide/cookbook.md";
    /// Records: how structs are laid out in files and in memory.
    records: "_guide/records.md";
    /// Troubleshooting: the error messages, their causes, and what to do.
    troubleshooting: "_guide/troubleshooting.md";
    /// From NumPy: Python's calls and ours.
    from_numpy: "_guide/from_numpy.md";
    /// From npyz, call by call.
    from_npyz: "_guide/from_npyz.md";
    /// From ndarray-npy, call by call.
    from_ndarray_npy: "_guide/from_ndarray_npy.md";
    /// Comparison: what others do better, and what this crate does better.
    comparison: "_guide/comparison.md";
    /// Performance: what to expect, and how to get it.
    performance: "_guide/performance.md", "_guide/read.svg";
    /// Platforms: Windows, macOS, WebAssembly, 32 bits.
    platforms: "_guide/platforms.md";
    /// Design: choices that look odd at first, and oddities of the format.
    design: "_guide/design/1.md", "_guide/seek.svg", "_guide/design/2.md";
    /// Stability: versions, public dependencies, the minimum Rust.
    stability: "_guide/stability.md";
    /// Frequent questions.
    faq: "_guide/faq.md";
}
