const _: () = {
    use npy_core as __npy;
    #[automatically_derived]
    impl<T, const N: usize> __npy::NpyRecord for Pair<T, N>
    where
        T: npy_core::Element,
    {
        const FIELDS: &'static [__npy::FieldLayout] = &__npy::private::Packing::Aligned.layout([
            __npy::private::field(
                "f0",
                <u8 as __npy::Element>::SIZE,
                <u8 as __npy::Element>::ALIGN,
            ),
            __npy::private::field(
                "f1",
                <[T; N] as __npy::Element>::SIZE,
                <[T; N] as __npy::Element>::ALIGN,
            ),
        ]);
    }
    #[automatically_derived]
    impl<T, const N: usize> __npy::Element for Pair<T, N>
    where
        T: npy_core::Element,
    {
        const SIZE: ::core::primitive::usize = __npy::private::size(
            <Self as __npy::NpyRecord>::FIELDS,
            <Self as __npy::Element>::ALIGN,
        );
        const ALIGN: ::core::primitive::usize =
            __npy::private::Packing::Aligned.align(<Self as __npy::NpyRecord>::FIELDS);
        const __TURNS: ::core::primitive::bool =
            true && <u8 as __npy::Element>::__TURNS && <[T; N] as __npy::Element>::__TURNS;
        fn dtype() -> __npy::DType {
            <Self as __npy::Element>::schema(__npy::ByteOrder::Little).into_dtype()
        }
        fn dtype_in(__order: __npy::ByteOrder) -> __npy::DType {
            <Self as __npy::Element>::schema(__order).into_dtype()
        }
        fn schema(__order: __npy::ByteOrder) -> __npy::private::Schema {
            __npy::private::record(
                <Self as __npy::NpyRecord>::FIELDS,
                <Self as __npy::Element>::SIZE,
                false,
                [
                    __npy::private::member(<u8 as __npy::Element>::schema(__order)),
                    __npy::private::member(<[T; N] as __npy::Element>::schema(__order)),
                ],
            )
        }
        #[inline]
        fn __decode<const __TURNED: ::core::primitive::bool>(
            __item: &[::core::primitive::u8],
        ) -> Self {
            Self {
                0: <u8 as __npy::Element>::__decode::<__TURNED>(
                    __npy::private::part::<Self, 0usize>(__item),
                ),
                1: <[T; N] as __npy::Element>::__decode::<__TURNED>(__npy::private::part::<
                    Self,
                    1usize,
                >(__item)),
            }
        }
        #[inline]
        fn decode(__item: &[::core::primitive::u8]) -> Self {
            <Self as __npy::Element>::__decode::<false>(__item)
        }
        #[inline]
        fn encode(
            &self,
            __item: &mut [::core::primitive::u8],
        ) -> ::core::result::Result<(), __npy::InvalidValue> {
            __npy::private::put::<Self, 0usize>(__item, |__item| {
                <u8 as __npy::Element>::encode(&self.0, __item)
            })?;
            __npy::private::put::<Self, 1usize>(__item, |__item| {
                <[T; N] as __npy::Element>::encode(&self.1, __item)
            })?;
            ::core::result::Result::Ok(())
        }
        const __LYING: ::core::primitive::usize = <[T; N] as __npy::Element>::__LYING;
        fn __parts<'__v>(
            &'__v self,
            __parts: &mut __npy::private::Parts<'__v>,
        ) -> ::core::result::Result<(), __npy::InvalidValue> {
            __npy::private::put_parts::<Self, 0usize>(__parts, |__parts| {
                __parts.encode(<u8 as __npy::Element>::SIZE, |__item| {
                    <u8 as __npy::Element>::encode(&self.0, __item)
                })
            })?;
            __npy::private::put_parts::<Self, 1usize>(__parts, |__parts| {
                <[T; N] as __npy::Element>::__parts(&self.1, __parts)
            })?;
            __npy::private::end_parts::<Self>(__parts);
            ::core::result::Result::Ok(())
        }
        #[inline]
        fn check(
            __items: &[::core::primitive::u8],
        ) -> ::core::result::Result<(), __npy::InvalidValue> {
            __npy::private::check(__items, <Self as __npy::Element>::SIZE, |__item| {
                __npy::private::check_part::<Self, 0usize>(__item, |__item| {
                    <u8 as __npy::Element>::check(__item)
                })?;
                __npy::private::check_part::<Self, 1usize>(__item, |__item| {
                    <[T; N] as __npy::Element>::check(__item)
                })?;
                ::core::result::Result::Ok(())
            })
        }
    }
};
