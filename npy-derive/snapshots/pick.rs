// The code that `#[derive(NpyRecord)]` generates for `struct Pick { station: u32, #[npy(endian = "big")] time: f64 }`.
const _: () = {
    use :: npy_core as __npy;
    #[automatically_derived]
    impl __npy::NpyRecord for Pick {
        const FIELDS: &'static [__npy::FieldLayout] = &__npy::private::Packing::Packed.layout([
            __npy::private::field(
                "station",
                <u32 as __npy::Element>::SIZE,
                <u32 as __npy::Element>::ALIGN,
            ),
            __npy::private::field(
                "time",
                <f64 as __npy::Element>::SIZE,
                <f64 as __npy::Element>::ALIGN,
            ),
        ]);
    }
    #[automatically_derived]
    impl __npy::Element for Pick {
        const SIZE: ::core::primitive::usize = __npy::private::size(
            <Self as __npy::NpyRecord>::FIELDS,
            <Self as __npy::Element>::ALIGN,
        );
        const ALIGN: ::core::primitive::usize =
            __npy::private::Packing::Packed.align(<Self as __npy::NpyRecord>::FIELDS);
        const __INTERNALS: __npy::private::Internals<Self> = __npy::private::Internals::DEFAULT
            .with_schema(|__order: __npy::ByteOrder| {
                __npy::private::record(
                    <Self as __npy::NpyRecord>::FIELDS,
                    <Self as __npy::Element>::SIZE,
                    false,
                    [
                        __npy::private::member(
                            <u32 as __npy::Element>::__INTERNALS.schema(__order),
                        ),
                        __npy::private::member(
                            <f64 as __npy::Element>::__INTERNALS.schema(__npy::ByteOrder::Big),
                        ),
                    ],
                )
            })
            .with_swapped_if(
                true && <u32 as __npy::Element>::__INTERNALS.swaps()
                    && <f64 as __npy::Element>::__INTERNALS.swaps(),
                Self::__npy_decode::<true>,
            );
        fn dtype() -> __npy::DType {
            <Self as __npy::Element>::dtype_in(__npy::ByteOrder::Little)
        }
        fn dtype_in(__order: __npy::ByteOrder) -> __npy::DType {
            <Self as __npy::Element>::__INTERNALS.schema(__order).into_dtype()
        }
        #[inline]
        fn decode(__item: &[::core::primitive::u8]) -> Self {
            Self::__npy_decode::<false>(__item)
        }
        #[inline]
        fn encode(
            &self,
            __item: &mut [::core::primitive::u8],
        ) -> ::core::result::Result<(), __npy::InvalidValue> {
            __npy::private::put::<Self, 0usize>(__item, |__item| {
                <u32 as __npy::Element>::encode(&self.station, __item)
            })?;
            __npy::private::put::<Self, 1usize>(__item, |__item| {
                <f64 as __npy::Element>::encode(&self.time, __item)
            })?;
            ::core::result::Result::Ok(())
        }
        #[inline]
        fn check(
            __items: &[::core::primitive::u8],
        ) -> ::core::result::Result<(), __npy::InvalidValue> {
            __npy::private::check(__items, <Self as __npy::Element>::SIZE, |__item| {
                __npy::private::check_part::<Self, 0usize>(__item, |__item| {
                    <u32 as __npy::Element>::check(__item)
                })?;
                __npy::private::check_part::<Self, 1usize>(__item, |__item| {
                    <f64 as __npy::Element>::check(__item)
                })?;
                ::core::result::Result::Ok(())
            })
        }
    }
    #[automatically_derived]
    impl __npy::ReadNpy for Pick {
        fn read_npy_array<__R: ::std::io::Read>(
            __reader: &mut __npy::Reader<__R>,
        ) -> __npy::Result<Self> {
            __npy::private::read_single(__reader)
        }
    }
    impl Pick {
        #[inline]
        fn __npy_decode<const __SWAPPED: ::core::primitive::bool>(
            __item: &[::core::primitive::u8],
        ) -> Self {
            Self {
                station: <u32 as __npy::Element>::__INTERNALS
                    .decode::<__SWAPPED>(__npy::private::part::<Self, 0usize>(__item)),
                time: <f64 as __npy::Element>::__INTERNALS
                    .decode::<__SWAPPED>(__npy::private::part::<Self, 1usize>(__item)),
            }
        }
    }
};
