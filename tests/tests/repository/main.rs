//! Documents and the manifests of packages are true.

mod documented;
mod matrix;
mod packages;
