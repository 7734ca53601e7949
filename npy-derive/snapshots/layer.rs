const _: () = {
    use :: npy_core as __npy;
    #[automatically_derived]
    impl<T> __npy::NpzArchive for Layer<T> where Vec<T>: ::npy_core::npz::ArchiveField {}
    #[automatically_derived]
    impl<T> __npy::npz::ArchiveField for Layer<T>
    where
        Vec<T>: ::npy_core::npz::ArchiveField,
    {
        const __NPY_DENY_UNKNOWN: ::core::primitive::bool = true;
        fn __npy_write<__W: ::std::io::Write>(
            &self,
            __to: &mut __npy::npz::Writer<__W>,
            __at: &::core::primitive::str,
            __outer: ::core::option::Option<&__npy::npz::Siblings<'_>>,
        ) -> ::core::result::Result<(), __npy::Error> {
            let __siblings = __npy::npz::Siblings::new(
                <Self as __npy::npz::ArchiveField>::__npy_reserves,
                __outer,
            );
            <Vec<T> as __npy::npz::ArchiveField>::__npy_write_field(&self.weights, __to, __at, "weights")?;
            <f32 as __npy::npz::ArchiveField>::__npy_write_field(&self.bias, __to, __at, "bias")?;
            <Pick as __npy::NpzArchive>::__npy_write_flat(&self.inner, __to, __at, &__siblings)?;
            ::core::result::Result::Ok(())
        }
        fn __npy_is_in<__R: ::std::io::Read + ::std::io::Seek>(
            __from: &__npy::npz::Reader<__R>,
            __at: &::core::primitive::str,
            __outer: ::core::option::Option<&__npy::npz::Siblings<'_>>,
        ) -> ::core::primitive::bool {
            let __siblings = __npy::npz::Siblings::new(
                <Self as __npy::npz::ArchiveField>::__npy_reserves,
                __outer,
            );
            <Vec<T> as __npy::npz::ArchiveField>::__npy_any_in(__from, __at, &["weights"])
                || <f32 as __npy::npz::ArchiveField>::__npy_any_in(__from, __at, &["bias", "b"])
                || <Pick as __npy::npz::ArchiveField>::__npy_is_in(__from, __at, ::core::option::Option::Some(&__siblings))
        }
        fn __npy_takes(
            __member: &::core::primitive::str,
            __at: &::core::primitive::str,
            __outer: ::core::option::Option<&__npy::npz::Siblings<'_>>,
        ) -> ::core::primitive::bool {
            let __siblings = __npy::npz::Siblings::new(
                <Self as __npy::npz::ArchiveField>::__npy_reserves,
                __outer,
            );
            <Vec<T> as __npy::npz::ArchiveField>::__npy_any_takes(__member, __at, &["weights"])
                || <f32 as __npy::npz::ArchiveField>::__npy_any_takes(__member, __at, &["bias", "b"])
                || <Pick as __npy::npz::ArchiveField>::__npy_takes(__member, __at, ::core::option::Option::Some(&__siblings))
        }
        fn __npy_read<__R: ::std::io::Read + ::std::io::Seek>(
            __from: &__npy::npz::Reader<__R>,
            __at: &::core::primitive::str,
            __outer: ::core::option::Option<&__npy::npz::Siblings<'_>>,
        ) -> ::core::result::Result<Self, __npy::Error> {
            let __siblings = __npy::npz::Siblings::new(
                <Self as __npy::npz::ArchiveField>::__npy_reserves,
                __outer,
            );
            ::core::result::Result::Ok(Self {
                weights: <Vec<T> as __npy::npz::ArchiveField>::__npy_read_field(__from, __at, &["weights"])?,
                bias: match <f32 as __npy::npz::ArchiveField>::__npy_find(__from, __at, &["bias", "b"])? {
                    ::core::option::Option::Some(__found) => __found,
                    ::core::option::Option::None => <f32 as ::core::default::Default>::default(),
                },
                inner: <Pick as __npy::npz::ArchiveField>::__npy_read(__from, __at, ::core::option::Option::Some(&__siblings))?,
                cached: <bool as ::core::default::Default>::default(),
            })
        }
        fn __npy_reserves(
            __key: &::core::primitive::str,
            __is_array: ::core::primitive::bool,
        ) -> ::core::primitive::bool {
            <Vec<T> as __npy::npz::ArchiveField>::__npy_any_reserves(__key, __is_array, &["weights"])
                || <f32 as __npy::npz::ArchiveField>::__npy_any_reserves(__key, __is_array, &["bias", "b"])
                || <Pick as __npy::npz::ArchiveField>::__npy_reserves(__key, __is_array)
        }
    }
};
