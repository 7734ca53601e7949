//! The compiler's advice for arrays of a type that is not an `Element`.

/// Defines a trait of arrays with elements `T`, and the compiler's advice for a `T` that is not an [`Element`](super::Element).
///
/// `Vec::<T>::read_npy(…)` gets advice only from a bound on the list itself. If the bound were on `T`, the compiler would say no more than that
/// the method exists.
macro_rules! advised {
    ($($definition:tt)*) => {
        #[diagnostic::on_unimplemented(
            message = "`{T}` is not a NumPy item: it has no dtype",
            label = "`npy_core::Element` is not implemented for `{T}`; on a struct of your own: `#[derive(npy_core::NpyRecord)]`; for lists of lists: `npy_core::NpyArray<T>`; for `u128`: `[u64; 2]`; for `usize`: `u64`",
            note = "`npy_core::load` and `npy_core::save` in place of this method have more advice"
        )]
        $($definition)*
    };
}
pub(crate) use advised;
