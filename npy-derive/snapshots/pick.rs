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
        fn dtype_in(order: ::npy_core::ByteOrder) -> ::npy_core::DType {
            ::npy_core::private::record(
                <Self as ::npy_core::NpyRecord>::FIELDS,
                <Self as ::npy_core::Element>::SIZE,
                [
                    <u32 as ::npy_core::Element>::dtype_in(order),
                    <f64 as ::npy_core::Element>::dtype_in(::npy_core::ByteOrder::Big),
                ],
            )
        }
        #[inline]
        fn decode(item: &[::core::primitive::u8]) -> Self {
            Self {
                station: <u32 as ::npy_core::Element>::decode(::npy_core::private::part(
                    item,
                    const { <Self as ::npy_core::NpyRecord>::FIELDS[0usize] },
                )),
                time: <f64 as ::npy_core::Element>::decode(::npy_core::private::part(
                    item,
                    const { <Self as ::npy_core::NpyRecord>::FIELDS[1usize] },
                )),
            }
        }
        #[inline]
        fn encode(
            &self,
            item: &mut [::core::primitive::u8],
        ) -> ::core::result::Result<(), ::npy_core::InvalidValue> {
            {
                let field = const { <Self as ::npy_core::NpyRecord>::FIELDS[0usize] };
                let item = ::npy_core::private::part_mut(item, field);
                ::npy_core::private::in_field(
                    <u32 as ::npy_core::Element>::encode(&self.station, item),
                    field,
                )?;
            }
            {
                let field = const { <Self as ::npy_core::NpyRecord>::FIELDS[1usize] };
                let item = ::npy_core::private::part_mut(item, field);
                ::npy_core::private::in_field(
                    <f64 as ::npy_core::Element>::encode(&self.time, item),
                    field,
                )?;
            }
            ::core::result::Result::Ok(())
        }
        #[inline]
        fn check(
            items: &[::core::primitive::u8],
        ) -> ::core::result::Result<(), ::npy_core::InvalidValue> {
            ::npy_core::private::check(items, <Self as ::npy_core::Element>::SIZE, |item| {
                {
                    let field = const { <Self as ::npy_core::NpyRecord>::FIELDS[0usize] };
                    let item = ::npy_core::private::part(item, field);
                    ::npy_core::private::in_field(
                        <u32 as ::npy_core::Element>::check(item),
                        field,
                    )?;
                }
                {
                    let field = const { <Self as ::npy_core::NpyRecord>::FIELDS[1usize] };
                    let item = ::npy_core::private::part(item, field);
                    ::npy_core::private::in_field(
                        <f64 as ::npy_core::Element>::check(item),
                        field,
                    )?;
                }
                ::core::result::Result::Ok(())
            })
        }
    }
};
