//! Named types for the iterators that public methods return, so that a user's struct can hold them.

/// Defines an iterator that holds another iterator, `from`, and a value, `of`. It makes each of its
/// items from an item of `from` and the value `of`.
macro_rules! named_iterator {
    (
        $(#[$doc:meta])*
        $name:ident<$life:lifetime> { of: $of:ty, from: $from:ty } => $item:ty, |$this:ident, $next:ident| $make:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name<$life> {
            pub(super) of: $of,
            pub(super) from: $from,
        }

        impl<$life> Iterator for $name<$life> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                let $next = self.from.next()?;
                let $this = &self.of;
                Some($make)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.from.size_hint()
            }

            fn fold<A, F: FnMut(A, $item) -> A>(self, first: A, mut f: F) -> A {
                let $this = &self.of;
                self.from.fold(first, |folded, $next| f(folded, $make))
            }
        }

        impl DoubleEndedIterator for $name<'_> {
            fn next_back(&mut self) -> Option<Self::Item> {
                let $next = self.from.next_back()?;
                let $this = &self.of;
                Some($make)
            }
        }

        impl ExactSizeIterator for $name<'_> {}

        impl std::iter::FusedIterator for $name<'_> {}

        impl std::fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                // All of a large array would be too much for a message.
                let mut list = f.debug_list();
                list.entries(self.clone().take(20));
                if self.len() > 20 { list.finish_non_exhaustive() } else { list.finish() }
            }
        }
    };
}
pub(crate) use named_iterator;
