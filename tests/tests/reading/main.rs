//! Readers, and what they read in parts: rows, columns, chunks, data without a header.

mod column;
mod headerless;
mod limits;
mod parts;
mod reader;
mod rows;
mod straight;
