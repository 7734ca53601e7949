//! The serializer of Python objects.

use std::fmt::{self, Display};

use serde::ser::{self, Serialize};

use crate::checked;
use crate::error::Error;
use crate::header::Header;
use crate::serde::pass::{self, Leaf, Pass, Variant};
use crate::serde::{ARRAY_ANSWER, ARRAY_TOKEN};
use crate::write::ArrayWriter;
use crate::write::object::{Pickle, changed};
use npy_pickle::emit::Batches;

/// The most lists, tuples, dicts and arrays around a value: values are serialized by recursion.
const MAX_DEPTH: usize = 128;

/// Writes a value as an array of objects.
pub(super) fn write<T: Serialize + ?Sized>(value: &T, to: ArrayWriter<'_>) -> Result<(), Error> {
    let serialize = |pickle: &mut Pickle<'_>, role: Role| {
        ObjectPass { pickle, depth: 0, role }.run(value).map_err(|error| error.0)
    };
    let root = serialize(&mut Pickle::new(None)?, Role::MeasuredRoot)?;
    let Made::Sequence(count) = root else {
        return to.options.write_pickled(&[], to.sink, &|pickle| {
            let mut list = pickle.to.begin_list()?;
            list.next(&mut pickle.to)?;
            serialize(pickle, Role::Value)?;
            list.end(&mut pickle.to)
        });
    };
    to.options.write_pickled(&[count], to.sink, &|pickle| match serialize(pickle, Role::Root)? {
        Made::Sequence(found) if found == count => Ok(()),
        _ => Err(changed()),
    })
}

/// The error of a value that cannot be serialized, or written.
#[derive(Debug)]
struct ObjectError(Error);

impl ObjectError {
    /// Adds the field around the error.
    fn in_field(self, name: &str) -> Self {
        if self.0.is_io() { self } else { ObjectError(self.0.in_field(name)) }
    }
}

impl From<Error> for ObjectError {
    fn from(error: Error) -> Self {
        ObjectError(error)
    }
}

impl Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ObjectError {}

impl ser::Error for ObjectError {
    fn custom<T: Display>(reason: T) -> Self {
        let reason = reason.to_string();
        // Not a failure, but the answer of a format that has arrays: see [`has_arrays`](crate::serde::has_arrays).
        let reason = if reason == ARRAY_TOKEN { ARRAY_ANSWER.to_owned() } else { reason };
        Error::invalid(reason).into()
    }
}

/// The purpose for which a value is serialized.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// The outermost value, which is not written yet: only the elements of a sequence are counted.
    MeasuredRoot,
    /// The outermost value, which is a sequence: the list of all objects.
    Root,
    Value,
    /// A key of a dict, which Python must be able to hash.
    Key,
    /// The header of an array: its bytes are returned.
    Header,
    /// Bytes of the elements of an array, which are written as they are.
    Elements,
}

/// The result of serializing a value.
enum Made {
    Object,
    /// The outermost value is a sequence of this many elements.
    Sequence(usize),
    Header(Vec<u8>),
}

struct ObjectPass<'p, 'w> {
    pickle: &'p mut Pickle<'w>,
    /// The number of lists, tuples, dicts and arrays around the value.
    depth: usize,
    role: Role,
}

/// The parts of a list, tuple, dict or array.
struct Parts<'p, 'w> {
    pickle: &'p mut Pickle<'w>,
    depth: usize,
    form: Form,
    /// The role of the parts.
    role: Role,
    /// The number of items so far.
    count: usize,
    /// True if this is the list of all objects, whose number is returned.
    is_root: bool,
    /// True for the fields of a variant: they are the value in a dict of one entry, which ends after them.
    in_variant: bool,
}

enum Form {
    List(Batches),
    Tuple,
    Dict(Batches),
    /// An array. The next part is its header.
    Array,
    /// An array of objects.
    Objects(Batches),
    /// An array of other elements, whose bytes end at this position in the pickle.
    Elements(u64),
    /// The value in a dict of one entry.
    Single,
    /// The parts are not written.
    Skipped,
}

type Begun<'p, 'w> = Result<Parts<'p, 'w>, ObjectError>;

impl<'p, 'w> ObjectPass<'p, 'w> {
    /// Starts a list, tuple, dict or array, whose parts have this role.
    fn begin(
        self,
        role: Role,
        form: impl FnOnce(&mut Pickle<'w>) -> Result<Form, Error>,
    ) -> Begun<'p, 'w> {
        let depth = self.inner_depth()?;
        let form = match self.role {
            Role::MeasuredRoot => Form::Skipped,
            _ => form(self.pickle)?,
        };
        Ok(Parts { form, role, ..ObjectPass { depth, ..self }.single() })
    }

    /// Returns the depth of the parts of this value.
    fn inner_depth(&self) -> Result<usize, ObjectError> {
        if self.depth >= MAX_DEPTH {
            return Err(ser::Error::custom(format!(
                "values are nested more than {MAX_DEPTH} deep; store them in one list, and refer to them by their positions"
            )));
        }
        Ok(checked::add(self.depth, 1))
    }

    /// Returns parts that have this value alone.
    fn single(self) -> Parts<'p, 'w> {
        let ObjectPass { pickle, depth, role } = self;
        let form = Form::Single;
        Parts { pickle, depth, form, role, count: 0, is_root: false, in_variant: false }
    }

    fn list(self) -> Begun<'p, 'w> {
        self.no_key("a list")?;
        let is_root = matches!(self.role, Role::MeasuredRoot | Role::Root);
        let list = self.begin(Role::Value, |pickle| Ok(Form::List(pickle.to.begin_list()?)))?;
        Ok(Parts { is_root, ..list })
    }

    fn tuple(self) -> Begun<'p, 'w> {
        if matches!(self.role, Role::MeasuredRoot | Role::Root) {
            return self.list();
        }
        // The parts of a key are hashed, too.
        let role = self.role;
        self.begin(role, |pickle| {
            pickle.to.begin_tuple()?;
            Ok(Form::Tuple)
        })
    }

    fn dict(self) -> Begun<'p, 'w> {
        self.no_key("a dict")?;
        self.begin(Role::Value, |pickle| Ok(Form::Dict(pickle.to.begin_dict()?)))
    }

    /// Starts a dict of one entry, and returns the serializer of its value.
    fn variant(self, name: &str) -> Result<Self, ObjectError> {
        self.no_key("a dict")?;
        let depth = self.inner_depth()?;
        self.pickle.to.begin_entry()?;
        self.pickle.to.str(name)?;
        Ok(ObjectPass { pickle: self.pickle, depth, role: Role::Value })
    }

    fn no_key(&self, what: &str) -> Result<(), ObjectError> {
        if self.role == Role::Key {
            return Err(ser::Error::custom(format!(
                "{what} cannot be the key of a dict in Python; use text, a number or a tuple"
            )));
        }
        Ok(())
    }
}

impl<'p, 'w> Pass for ObjectPass<'p, 'w> {
    type Output = Made;
    type Error = ObjectError;
    type Parts = Parts<'p, 'w>;

    #[inline]
    fn leaf(self, value: Leaf<'_>) -> Result<Made, ObjectError> {
        let to = &mut self.pickle.to;
        match value {
            Leaf::None(_) => to.none(),
            Leaf::Bool(value) => to.bool(value),
            Leaf::Int(value, ..) => to.int(value),
            Leaf::Large(value) => to.uint(value),
            Leaf::Single(value) => to.float(value.into()),
            Leaf::Float(value) => to.float(value),
            Leaf::Text(text) => to.str(text),
            Leaf::Bytes(bytes) => match self.role {
                Role::Header => return Ok(Made::Header(bytes.to_vec())),
                Role::Elements => to.put(bytes),
                _ => to.bytes(bytes),
            },
        }?;
        Ok(Made::Object)
    }

    fn parts(self, form: pass::Form, variant: Option<Variant>) -> Begun<'p, 'w> {
        let in_variant = variant.is_some();
        let of = match variant {
            Some(variant) => self.variant(variant.name)?,
            None => self,
        };
        let parts = match form {
            pass::Form::Sequence => of.list(),
            pass::Form::TupleStruct(ARRAY_TOKEN) if !in_variant => {
                of.no_key("an array")?;
                of.begin(Role::Header, |_| Ok(Form::Array))
            }
            pass::Form::Tuple | pass::Form::TupleStruct(_) => of.tuple(),
            pass::Form::Named => of.dict(),
            pass::Form::Newtype => Ok(of.single()),
        }?;
        Ok(Parts { in_variant, ..parts })
    }
}

impl Parts<'_, '_> {
    fn begin_array(&mut self, header: &Header) -> Result<(), ObjectError> {
        let Parts { pickle, form, role, .. } = self;
        pickle.begin_array(header)?;
        if header.dtype().has_object() {
            *form = Form::Objects(pickle.to.begin_list()?);
            *role = Role::Value;
            return Ok(());
        }
        let bytes = header.data_bytes();
        pickle.to.begin_bytes(bytes)?;
        *form = Form::Elements(pickle.to.written().saturating_add(bytes));
        *role = Role::Elements;
        if pickle.to.only_counts() {
            pickle.to.count(bytes);
        }
        Ok(())
    }
}

impl pass::Parts for Parts<'_, '_> {
    type Output = Made;
    type Error = ObjectError;

    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<Option<String>, ObjectError> {
        if let Form::Dict(entries) = &mut self.form {
            entries.next(&mut self.pickle.to)?;
            let (pickle, depth) = (&mut *self.pickle, self.depth);
            ObjectPass { pickle, depth, role: Role::Key }.run(key)?;
        }
        Ok(None)
    }

    fn push<T: Serialize + ?Sized>(
        &mut self,
        name: Option<&str>,
        value: &T,
    ) -> Result<(), ObjectError> {
        self.count = checked::add(self.count, 1);
        match (&mut self.form, name) {
            (Form::Skipped, _) => return Ok(()),
            // When bytes are only counted, `begin_array` has counted them already.
            (Form::Elements(_), _) if self.pickle.to.only_counts() => return Ok(()),
            (Form::List(items) | Form::Objects(items), _) => items.next(&mut self.pickle.to)?,
            (Form::Dict(_), Some(name)) => drop(self.key(name)?),
            (Form::Dict(_) | Form::Array | Form::Elements(_) | Form::Tuple | Form::Single, _) => {}
        }
        let (pickle, depth, role) = (&mut *self.pickle, self.depth, self.role);
        let made = ObjectPass { pickle, depth, role }.run(value);
        match (made, name) {
            (Ok(Made::Header(bytes)), _) => self.begin_array(&Header::parse(&bytes)?.0),
            (Ok(Made::Object | Made::Sequence(_)), _) => Ok(()),
            (Err(error), Some(name)) => Err(error.in_field(name)),
            (Err(error), None) => Err(error),
        }
    }

    fn end(self) -> Result<Made, ObjectError> {
        let to = &mut self.pickle.to;
        match self.form {
            Form::List(items) | Form::Dict(items) => items.end(to)?,
            Form::Tuple => to.end_tuple()?,
            Form::Objects(items) => {
                items.end(to)?;
                self.pickle.end_array()?;
            }
            Form::Elements(end) if to.written() == end => self.pickle.end_array()?,
            // The header is missing, or states another number of bytes. This can only happen if a type of another crate uses our name.
            Form::Elements(_) | Form::Array => return Err(changed().into()),
            Form::Single | Form::Skipped => {}
        }
        if self.in_variant {
            self.pickle.to.end_entry()?;
        }
        Ok(if self.is_root { Made::Sequence(self.count) } else { Made::Object })
    }
}
