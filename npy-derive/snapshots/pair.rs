const _: () = {
    #[automatically_derived]
    impl<T, const N: usize> npy_core::NpyRecord for Pair<T, N>
    where
        T: npy_core::Element,
    {
        const FIELDS: &'static [npy_core::FieldLayout] = &npy_core::private::Packing::Aligned.layout(
            ["f0", "f1"],
            [<u8 as npy_core::Element>::SIZE, <[T; N] as npy_core::Element>::SIZE],
            [<u8 as npy_core::Element>::ALIGN, <[T; N] as npy_core::Element>::ALIGN],
        );
    }
    #[automatically_derived]
    impl<T, const N: usize> npy_core::Element for Pair<T, N>
    where
        T: npy_core::Element,
    {
        const SIZE: ::core::primitive::usize = npy_core::private::size(
            <Self as npy_core::NpyRecord>::FIELDS,
            <Self as npy_core::Element>::ALIGN,
        );
        const ALIGN: ::core::primitive::usize = npy_core::private::Packing::Aligned
            .align(&[<u8 as npy_core::Element>::ALIGN, <[T; N] as npy_core::Element>::ALIGN]);
        fn dtype() -> npy_core::DType {
            <Self as npy_core::Element>::dtype_in(npy_core::ByteOrder::Little)
        }
        fn dtype_in(__order: npy_core::ByteOrder) -> npy_core::DType {
            npy_core::private::record(
                <Self as npy_core::NpyRecord>::FIELDS,
                <Self as npy_core::Element>::SIZE,
                [
                    <u8 as npy_core::Element>::dtype_in(__order),
                    <[T; N] as npy_core::Element>::dtype_in(__order),
                ],
            )
        }
        #[inline]
        fn decode(__item: &[::core::primitive::u8]) -> Self {
            Self {
                0: <u8 as npy_core::Element>::decode(npy_core::private::part(
                    __item,
                    const { <Self as npy_core::NpyRecord>::FIELDS[0usize] },
                )),
                1: <[T; N] as npy_core::Element>::decode(npy_core::private::part(
                    __item,
                    const { <Self as npy_core::NpyRecord>::FIELDS[1usize] },
                )),
            }
        }
        #[inline]
        fn encode(
            &self,
            __item: &mut [::core::primitive::u8],
        ) -> ::core::result::Result<(), npy_core::InvalidValue> {
            {
                let __field = const { <Self as npy_core::NpyRecord>::FIELDS[0usize] };
                let __item = npy_core::private::part_mut(__item, __field);
                npy_core::private::in_field(
                    <u8 as npy_core::Element>::encode(&self.0, __item),
                    __field,
                )?;
            }
            {
                let __field = const { <Self as npy_core::NpyRecord>::FIELDS[1usize] };
                let __item = npy_core::private::part_mut(__item, __field);
                npy_core::private::in_field(
                    <[T; N] as npy_core::Element>::encode(&self.1, __item),
                    __field,
                )?;
            }
            ::core::result::Result::Ok(())
        }
        #[inline]
        fn check(
            __items: &[::core::primitive::u8],
        ) -> ::core::result::Result<(), npy_core::InvalidValue> {
            npy_core::private::check(__items, <Self as npy_core::Element>::SIZE, |__item| {
                {
                    let __field = const { <Self as npy_core::NpyRecord>::FIELDS[0usize] };
                    let __item = npy_core::private::part(__item, __field);
                    npy_core::private::in_field(
                        <u8 as npy_core::Element>::check(__item),
                        __field,
                    )?;
                }
                {
                    let __field = const { <Self as npy_core::NpyRecord>::FIELDS[1usize] };
                    let __item = npy_core::private::part(__item, __field);
                    npy_core::private::in_field(
                        <[T; N] as npy_core::Element>::check(__item),
                        __field,
                    )?;
                }
                ::core::result::Result::Ok(())
            })
        }
    }
};
