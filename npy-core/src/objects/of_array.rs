//! Objects from an array of any dtype, and back.

use super::Objects;
use crate::dynamic::DynArray;
use crate::error::Error;
use crate::header::{Header, Payload};
use crate::limits::to_u64;
use crate::plan;
use npy_pickle::{Encoding, Pickle, Scan, Scanned};

/// Reads the pickle of an array of Python objects, within the limits that the array was read with.
///
/// ```
/// use npy_core::{DynArray, Objects, ReadNpy, WriteNpy};
///
/// let mut file = Vec::new();
/// [Some("a".to_owned()), None].write_npy_to(&mut file)?;
/// let array = DynArray::read_npy_from(&file[..])?;
///
/// let objects = Objects::try_from(array.clone())?;
/// assert_eq!(objects.root().at(0).unwrap().as_str().as_deref(), Some("a"));
/// assert_eq!(DynArray::from(objects), array);
/// # Ok::<(), npy_core::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Mismatch`](crate::ErrorKind::Mismatch) for an array of another dtype, [`ErrorKind::Pickle`](crate::ErrorKind::Pickle) for a malformed pickle, and the other errors of
/// [`Objects::read_npy`].
impl TryFrom<DynArray> for Objects {
    type Error = Error;

    fn try_from(array: DynArray) -> Result<Self, Error> {
        let (header, limits) = (array.header().clone(), *array.limits());
        check_payload(&header)?;
        let bytes = array.into_bytes();
        match Scan::default().resume(&bytes, false)? {
            Scanned::Complete { nodes, .. } => {
                let pickle = Pickle { bytes, nodes, left_out: Vec::new() };
                Objects::new(header, pickle, None, Encoding::default(), limits)
            }
            Scanned::Incomplete { needed, .. } | Scanned::LeftOut { length: needed } => {
                let found = to_u64(bytes.len());
                Err(Error::truncated("pickle", needed, found))
            }
        }
    }
}

/// Keeps the pickle, so that the array is written unchanged.
impl From<Objects> for DynArray {
    fn from(objects: Objects) -> Self {
        let pickle = objects.pickle.into_pickle();
        debug_assert!(pickle.left_out.is_empty(), "a public value has its whole pickle");
        DynArray::of_pickle(objects.header, pickle.bytes).with_limits(objects.limits)
    }
}

/// Refuses an array that has no objects.
pub(crate) fn check_payload(header: &Header) -> Result<(), Error> {
    if header.payload() == Payload::Pickle {
        return Ok(());
    }
    let remedy = "read it as a DynArray, which takes any other dtype";
    let error = plan::mismatch(header.dtype(), "Python objects ('|O')".into(), remedy);
    Err(error.wanted_by("npy_core::Objects"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::shape::Order;
    use crate::{ReadNpy, ReadOptions, Reader, WriteNpy};

    #[test]
    fn arrays_without_objects_are_refused() {
        let array = DynArray::of(&[1u8, 2]).unwrap();
        let error = Objects::try_from(array).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Mismatch { .. }), "{error}");
    }

    #[test]
    fn a_pickle_is_checked_as_that_of_a_file_is() {
        let mut file = Vec::new();
        [Some("a".to_owned()), None].write_npy_to(&mut file).unwrap();
        let array = DynArray::read_npy_from(&file[..]).unwrap();
        let pickle = array.as_bytes();
        let of = |shape: &[usize], pickle: &[u8]| {
            let header = Header::new("|O".parse().unwrap(), shape, Order::C).unwrap();
            Objects::try_from(DynArray::of_pickle(header, pickle.to_vec())).unwrap_err()
        };
        let error = of(&[2], &pickle[..pickle.len() - 1]);
        assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{error}");
        // More may be missing: the length of a pickle is known at its end.
        let says = format!("expected at least {} bytes of pickle, found", pickle.len());
        assert!(error.to_string().contains(&says), "{error}");
        // The pickle is read whole, and no rows of it.
        let mut reader = Reader::new(&file[..]).unwrap();
        assert!(matches!(
            reader.read_dyn_chunk(1).unwrap_err().kind(),
            ErrorKind::Unsupported { .. }
        ));
        let found = reader.read_dyn().unwrap();
        assert_eq!((found.dtype().to_string().as_str(), found.len()), ("|O", 2));
        assert!(of(&[3], pickle).to_string().contains("the pickle has shape (2,)"));
    }

    /// Guards the limits of the reader, which the array keeps.
    #[test]
    fn limits_stay() {
        let mut file = Vec::new();
        [Some("a".to_owned()), None].write_npy_to(&mut file).unwrap();
        let limits = crate::Limits { fields: 7, ..crate::Limits::default() };
        let array: DynArray = ReadOptions::new().limits(limits).read_from(&file[..]).unwrap();
        let objects = Objects::try_from(array).unwrap();
        assert_eq!(objects.limits.fields, 7);
        assert_eq!(DynArray::from(objects).limits().fields, 7);
    }
}
