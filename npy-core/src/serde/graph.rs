//! Serializes Python objects to any format of serde.

use serde::ser::{Serialize, Serializer};

use super::from_object::{Context, Object, Purpose};
use super::transcode::Transcode;
use crate::objects::{ObjectRef, Objects};

/// Serializes the object with everything in it. The table of [`object::load`](crate::object::load) shows which value each object becomes.
/// Missing values other than the float `nan` become none, and times become text.
///
/// An object of a class that this crate does not know becomes a map, such as
/// `{"class": "module.name", "arguments": […], "state": …}`, with `"items"` or `"entries"` if it is a list or a dictionary; a class or
/// function has only the name. Objects that contain themselves, or exceed the [`Limits`](crate::Limits) of the file, are errors.
///
/// ```
/// use npy_core::Objects;
///
/// // np.save("model.npy", {"name": "spam", "rates": [0.5, 2]})
/// # let dir = tempfile::tempdir()?;
/// # std::env::set_current_dir(&dir)?;
/// # std::fs::write("model.npy", [
/// #     &b"\x93NUMPY\x01\x00\x76\x00"[..],
/// #     &format!("{:<117}\n", "{'descr': '|O', 'fortran_order': False, 'shape': (), }").into_bytes(),
/// #     b"\x80\x03cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01)cnumpy\ndtype\nX\x02\0\0\0O8K\0K\x01\x87R(K\x03X\x01\0\0\0|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89](",
/// #     b"}(X\x04\0\0\0nameX\x04\0\0\0spamX\x05\0\0\0rates](G?\xe0\0\0\0\0\0\0K\x02euetb.",
/// # ].concat())?;
/// let objects = Objects::read_npy("model.npy")?;
/// let json = serde_json::to_string(&objects).unwrap();
/// assert_eq!(json, r#"{"name":"spam","rates":[0.5,2]}"#);
/// # Ok::<(), npy_core::Error>(())
/// ```
impl Serialize for ObjectRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let context = Context::new(*self, Purpose::Transcoding);
        Transcode::new(Object::new(*self, &context)).serialize(serializer)
    }
}

/// Serializes an array without dimensions as its object, and any other array as nested sequences of its objects; see [`ObjectRef`].
impl Serialize for Objects {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.root().serialize(serializer)
    }
}
