//! The setters of options.

/// Defines methods that set a field of the same name, or such a field of `[options]` in these options, and return the options.
macro_rules! setters {
    ($($(#[$meta:meta])* $([$outer:ident])? $name:ident: $type:ty = $value:expr;)*) => {$(
        $(#[$meta])*
        pub fn $name(&mut self, $name: $type) -> &mut Self {
            self.$($outer.)?$name = $value;
            self
        }
    )*};
}
pub(crate) use setters;
