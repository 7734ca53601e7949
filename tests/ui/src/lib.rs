//! The package of the messages of the compiler for incorrect programs: `tests/ui`.
