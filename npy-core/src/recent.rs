//! Layer 1: what was made last, for who makes the same thing again and again.
//!
//! Many data sets are thousands of small files of one type: what is made once a file, from the same input each time, costs more
//! than their data.

use std::cell::RefCell;
use std::thread::LocalKey;

/// A value, and what it was made from; one a thread.
pub(crate) struct Recent<K, V>(RefCell<Option<(K, V)>>);

impl<K, V: Clone> Recent<K, V> {
    /// Nothing yet.
    pub(crate) const fn new() -> Self {
        Recent(RefCell::new(None))
    }
}

/// The value that was made last, if it was made from the same.
pub(crate) fn find<K, V: Clone>(
    key: &'static LocalKey<Recent<K, V>>,
    same: impl Fn(&K) -> bool,
) -> Option<V> {
    // A thread that ends has none.
    let found = key.try_with(|recent| {
        let recent = recent.0.try_borrow().ok()?;
        recent.as_ref().filter(|(key, _)| same(key)).map(|(_, value)| value.clone())
    });
    found.ok().flatten()
}

/// Keeps a value in place of the one before.
pub(crate) fn keep<K, V>(key: &'static LocalKey<Recent<K, V>>, from: K, value: V) {
    let _ = key.try_with(|recent| {
        let Ok(mut place) = recent.0.try_borrow_mut() else { return None };
        place.replace((from, value))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        static NUMBER: Recent<u8, u32> = const { Recent::new() };
    }

    #[test]
    fn the_last_one_is_found_by_what_it_was_made_from() {
        assert_eq!(find(&NUMBER, |_| true), None);
        keep(&NUMBER, 1, 10);
        keep(&NUMBER, 2, 20);
        assert_eq!(find(&NUMBER, |key| *key == 2), Some(20));
        assert_eq!(find(&NUMBER, |key| *key == 1), None);
        let other = std::thread::spawn(|| find(&NUMBER, |_| true));
        assert_eq!(other.join().unwrap(), None);
    }
}
