//! What documents and packages say is so.

mod documented;
mod matrix;
mod packages;
