//! The setters of options.

/// Defines methods that set a field of the same name, and return the options.
macro_rules! setters {
    ($($(#[$meta:meta])* $name:ident: $type:ty = $value:expr;)*) => {$(
        $(#[$meta])*
        pub fn $name(&mut self, $name: $type) -> &mut Self {
            self.$name = $value;
            self
        }
    )*};
}
pub(crate) use setters;
