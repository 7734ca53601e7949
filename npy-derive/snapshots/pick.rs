// What `#[derive(NpyRecord)]` makes of `struct Pick { station: u32, #[npy(endian = "big")] time: f64 }`.
const _: () = {
    #[automatically_derived]
    impl ::npy_core::NpyRecord for Pick {
        const FIELDS: &'static [::npy_core::FieldLayout] = &::npy_core::private::Packing::Packed
            .layout(
                ["station", "time"],
                [<u32 as ::npy_core::Element>::SIZE, <f64 as ::npy_core::Element>::SIZE],
                [<u32 as ::npy_core::Element>::ALIGN, <f64 as ::npy_core::Element>::ALIGN],
            );
    }
    #[automatically_derived]
    impl ::npy_core::Element for Pick {
        const SIZE: ::core::primitive::usize = ::npy_core::private::size(
            <Self as ::npy_core::NpyRecord>::FIELDS,
            <Self as ::npy_core::Element>::ALIGN,
        );
        const ALIGN: ::core::primitive::usize = ::npy_core::private::Packing::Packed
            .align(&[<u32 as ::npy_core::Element>::ALIGN, <f64 as ::npy_core::Element>::ALIGN]);
        fn dtype() -> ::npy_core::DType {
            <Self as ::npy_core::Element>::dtype_in(::npy_core::ByteOrder::Little)
        }
        fn dtype_in(__order: ::npy_core::ByteOrder) -> ::npy_core::DType {
            ::npy_core::private::record(
                <Self as ::npy_core::NpyRecord>::FIELDS,
                <Self as ::npy_core::Element>::SIZE,
                [
                    <u32 as ::npy_core::Element>::dtype_in(__order),
                    <f64 as ::npy_core::Element>::dtype_in(::npy_core::ByteOrder::Big),
                ],
            )
        }
        #[inline]
        fn decode(__item: &[::core::primitive::u8]) -> Self {
            Self {
                station: <u32 as ::npy_core::Element>::decode(::npy_core::private::part(
                    __item,
                    const { <Self as ::npy_core::NpyRecord>::FIELDS[0usize] },
                )),
                time: <f64 as ::npy_core::Element>::decode(::npy_core::private::part(
                    __item,
                    const { <Self as ::npy_core::NpyRecord>::FIELDS[1usize] },
                )),
            }
        }
        #[inline]
        fn encode(
            &self,
            __item: &mut [::core::primitive::u8],
        ) -> ::core::result::Result<(), ::npy_core::InvalidValue> {
            {
                let __field = const { <Self as ::npy_core::NpyRecord>::FIELDS[0usize] };
                let __item = ::npy_core::private::part_mut(__item, __field);
                ::npy_core::private::in_field(
                    <u32 as ::npy_core::Element>::encode(&self.station, __item),
                    __field,
                )?;
            }
            {
                let __field = const { <Self as ::npy_core::NpyRecord>::FIELDS[1usize] };
                let __item = ::npy_core::private::part_mut(__item, __field);
                ::npy_core::private::in_field(
                    <f64 as ::npy_core::Element>::encode(&self.time, __item),
                    __field,
                )?;
            }
            ::core::result::Result::Ok(())
        }
        #[inline]
        fn check(
            __items: &[::core::primitive::u8],
        ) -> ::core::result::Result<(), ::npy_core::InvalidValue> {
            ::npy_core::private::check(__items, <Self as ::npy_core::Element>::SIZE, |__item| {
                {
                    let __field = const { <Self as ::npy_core::NpyRecord>::FIELDS[0usize] };
                    let __item = ::npy_core::private::part(__item, __field);
                    ::npy_core::private::in_field(
                        <u32 as ::npy_core::Element>::check(__item),
                        __field,
                    )?;
                }
                {
                    let __field = const { <Self as ::npy_core::NpyRecord>::FIELDS[1usize] };
                    let __item = ::npy_core::private::part(__item, __field);
                    ::npy_core::private::in_field(
                        <f64 as ::npy_core::Element>::check(__item),
                        __field,
                    )?;
                }
                ::core::result::Result::Ok(())
            })
        }
    }
};
