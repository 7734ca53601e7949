//! Objects of classes that pickles name, in one form for all protocols.

use npy_core::ObjectRef;
use npy_core::object::Kind;

use super::class_names;
use super::exact::Exact;

/// Keys with their values.
pub(super) type Entries<'a> = Vec<(ObjectRef<'a>, ObjectRef<'a>)>;

/// The call that makes an object, and what is put into the object afterwards.
pub(super) struct Instance<'a> {
    /// The name of the class or function, as all protocols have it.
    pub(super) name: Option<String>,
    arguments: Vec<ObjectRef<'a>>,
    /// True if the arguments are the items of a tuple, from protocol 0 or 1.
    is_tuple: bool,
    pub(super) state: Option<ObjectRef<'a>>,
    pub(super) items: Vec<ObjectRef<'a>>,
    pub(super) entries: Entries<'a>,
}

impl<'a> Instance<'a> {
    pub(super) fn of(object: ObjectRef<'a>) -> Self {
        let mut instance = Instance {
            name: name(object),
            arguments: object
                .arguments()
                .map_or(Vec::new(), |arguments| arguments.iter().collect()),
            is_tuple: false,
            state: object.state(),
            items: object.iter().collect(),
            entries: object.entries().collect(),
        };
        // Protocols 0 and 1 call this function where the others call the class.
        if instance.name.as_deref() == Some("copyreg._reconstructor")
            && let [class, base, value] = instance.arguments[..]
            && let (Some(class), Some(base)) = (name(class), name(base))
        {
            instance.name = Some(class);
            instance.arguments = Vec::new();
            match &*base {
                "builtins.object" => {}
                "builtins.list" => instance.items = value.iter().collect(),
                "builtins.dict" => drop(instance.entries.splice(..0, value.entries())),
                "builtins.tuple" => {
                    instance.is_tuple = true;
                    instance.arguments = value.iter().collect();
                }
                _ => instance.arguments = vec![value],
            }
        }
        instance
    }

    /// Returns the arguments, or the items of a tuple that is the only one: named tuples pass these, and other subclasses of `tuple` the tuple. One item stays in its
    /// tuple, which may be the only field of a named tuple: two objects may then differ for protocols 1 and 2 that are equal, and never the other way round.
    pub(super) fn flat_arguments(&self) -> Vec<ObjectRef<'a>> {
        match self.arguments[..] {
            [only] if !self.is_tuple && only.kind() == Kind::Tuple && only.iter().count() > 1 => {
                only.iter().collect()
            }
            _ => self.arguments.clone(),
        }
    }

    /// Returns the arguments of two instances, in the form that both have.
    pub(super) fn both_arguments<'b>(
        &self,
        other: &Instance<'b>,
    ) -> (Vec<ObjectRef<'a>>, Vec<ObjectRef<'b>>) {
        match self.is_tuple || other.is_tuple {
            true => (self.flat_arguments(), other.flat_arguments()),
            false => (self.arguments.clone(), other.arguments.clone()),
        }
    }
}

fn name(object: ObjectRef<'_>) -> Option<String> {
    object.name().map(|name| class_names::common(&name).into_owned())
}

/// Returns the entries of a `Counter`.
pub(super) fn counts(object: ObjectRef<'_>) -> Option<Entries<'_>> {
    let is_named = || object.name().is_some_and(|name| name == "collections.Counter");
    if object.kind() != Kind::Object || !is_named() {
        return None;
    }
    let counts = object.arguments()?.iter().next().filter(|counts| counts.kind() == Kind::Dict)?;
    Some(counts.entries().collect())
}

/// Leaves out the zeros, which two of `Counter` have for all that they do not count.
pub(super) fn without_zeros(counts: Entries<'_>) -> Entries<'_> {
    counts.into_iter().filter(|&(_, count)| Exact::of(count) != Some(Exact::Zero)).collect()
}
