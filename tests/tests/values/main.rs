//! Dtypes and the values of their elements: casts, traits, tables, and the files that NumPy wrote.

mod casts;
mod dtypes;
mod element;
mod golden;
mod std_traits;
mod table;
