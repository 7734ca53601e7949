//! Objects of classes that pickles name, in one form for all protocols.

use npy_core::ObjectRef;
use npy_core::object::Kind;

use super::class_names;
use super::exact::Exact;

/// Keys with their values.
pub(super) type Entries<'a> = Vec<(ObjectRef<'a>, ObjectRef<'a>)>;

/// The call that makes an object, and what is put into the object afterwards.
pub(super) struct Instance<'a> {
    /// The name of the class or function.
    pub(super) name: Option<String>,
    /// The tuple of the arguments, which objects may share. In the form for all protocols, a single argument is without its tuple.
    pub(super) arguments: Option<ObjectRef<'a>>,
    pub(super) state: Option<ObjectRef<'a>>,
    pub(super) items: Vec<ObjectRef<'a>>,
    pub(super) entries: Entries<'a>,
}

impl<'a> Instance<'a> {
    fn of(object: ObjectRef<'a>) -> Self {
        Instance {
            name: name(object),
            arguments: object.arguments(),
            state: object.state(),
            items: object.iter().collect(),
            entries: object.entries().collect(),
        }
    }

    /// Returns two instances to compare: as in their pickles, unless protocol 0 or 1 made one of them alone.
    pub(super) fn both<'b>(a: ObjectRef<'a>, b: ObjectRef<'b>) -> (Self, Instance<'b>) {
        let (a, b) = (Instance::of(a), Instance::of(b));
        match a.is_reconstructed() == b.is_reconstructed() {
            true => (a, b),
            false => (a.common(), b.common()),
        }
    }

    /// Returns an instance in the form for all protocols: equal objects have equal names and arguments. Subclasses of `tuple` with one
    /// item may differ, because they are taken for named tuples.
    pub(super) fn in_common_form(object: ObjectRef<'a>) -> Self {
        Instance::of(object).common()
    }

    /// Returns true for the function that protocols 0 and 1 call where the others call the class.
    fn is_reconstructed(&self) -> bool {
        self.name.as_deref() == Some("copyreg._reconstructor")
    }

    fn common(mut self) -> Self {
        let is_changed = self.is_reconstructed() && self.call_class();
        // Named tuples pass their items, and other subclasses of `tuple` the tuple, which is then the same.
        if let (false, Some(arguments)) = (is_changed, self.arguments) {
            self.arguments = unless_few(arguments);
        }
        self
    }

    /// Calls the class in place of `copyreg._reconstructor(class, base, value)`, as the other protocols do. Returns false for a value that
    /// no pickle of Python has for the base: such a call equals the same call alone.
    fn call_class(&mut self) -> bool {
        // Objects may share a long tuple.
        let arguments = self.arguments.into_iter().flat_map(ObjectRef::iter).take(4);
        let [class, base, value] = arguments.collect::<Vec<_>>()[..] else { return false };
        let (Some(class), Some(base)) = (name(class), name(base)) else { return false };
        self.arguments = match (&*base, value.kind()) {
            ("builtins.object", Kind::None) => None,
            ("builtins.list", Kind::List) => {
                self.items.splice(..0, value.iter());
                None
            }
            ("builtins.dict", Kind::Dict) => {
                self.entries.splice(..0, value.entries());
                None
            }
            ("builtins.tuple", Kind::Tuple) => unless_few(value),
            ("builtins.object" | "builtins.list" | "builtins.dict" | "builtins.tuple", _)
            | (_, Kind::Tuple) => return false,
            _ => Some(value),
        };
        self.name = Some(class);
        true
    }
}

/// Returns a tuple, or the item of one that has no other; `None` if it is empty.
fn unless_few(tuple: ObjectRef<'_>) -> Option<ObjectRef<'_>> {
    let mut items = tuple.iter();
    match (items.next(), items.next()) {
        (first, None) => first,
        _ => Some(tuple),
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
