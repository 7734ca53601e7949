//! The names of classes and functions in pickles: one for those that protocols or versions of Python and NumPy name differently.

use std::borrow::Cow;

/// The modules that Python 3 names as Python 2 does in protocols 0 to 2, and others that moved.
const MODULES: [(&str, &str); 5] = [
    ("__builtin__", "builtins"),
    ("exceptions", "builtins"),
    ("copy_reg", "copyreg"),
    ("numpy._core", "numpy.core"),
    ("pathlib._local", "pathlib"),
];

/// The names that differ by more than the module.
const NAMES: [(&str, &str); 9] = [
    ("__builtin__.xrange", "builtins.range"),
    ("__builtin__.unicode", "builtins.str"),
    ("__builtin__.long", "builtins.int"),
    ("__builtin__.unichr", "builtins.chr"),
    ("__builtin__.reduce", "functools.reduce"),
    ("__builtin__.intern", "sys.intern"),
    ("UserDict.IterableUserDict", "collections.UserDict"),
    ("UserList.UserList", "collections.UserList"),
    ("UserString.UserString", "collections.UserString"),
];

/// Returns the name that all protocols and versions have in common.
pub(super) fn common(name: &str) -> Cow<'_, str> {
    if let Some((_, common)) = NAMES.iter().find(|(other, _)| *other == name) {
        return Cow::Borrowed(common);
    }
    let moved = MODULES.iter().find_map(|(module, common)| {
        let rest = name.strip_prefix(module).filter(|rest| rest.starts_with('.'))?;
        Some(format!("{common}{rest}"))
    });
    moved.map_or(Cow::Borrowed(name), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn protocols_name_the_same_class() {
        for (name, expected) in [
            ("__builtin__.list", "builtins.list"),
            ("__builtin__.xrange", "builtins.range"),
            ("exceptions.ValueError", "builtins.ValueError"),
            ("numpy._core.multiarray.scalar", "numpy.core.multiarray.scalar"),
            ("copy_register.x", "copy_register.x"),
            ("builtins.list", "builtins.list"),
        ] {
            assert_eq!(common(name), expected);
        }
    }
}
