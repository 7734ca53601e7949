//! Layer 7: members where they lie.
