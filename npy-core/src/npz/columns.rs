//! Layer 7: records as one array a field.
