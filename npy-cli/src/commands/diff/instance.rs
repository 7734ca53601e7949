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
    /// The list or dictionary whose items are the first of the object, and which objects may share.
    pub(super) base: Option<ObjectRef<'a>>,
    /// The object, which has its own items and entries.
    object: ObjectRef<'a>,
}

impl<'a> Instance<'a> {
    fn of(object: ObjectRef<'a>) -> Self {
        Instance {
            name: name(object),
            arguments: object.arguments(),
            state: object.state(),
            base: None,
            object,
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

    /// Returns an instance for a hash, in the form for all protocols: equal objects have equal names and arguments. Items are left out:
    /// objects may share a long list. Subclasses of `tuple` with one item may differ, because they are taken for named tuples.
    pub(super) fn for_hash(object: ObjectRef<'a>) -> Self {
        let mut instance = Instance::of(object);
        instance.make_common();
        instance
    }

    /// Returns true for the function that protocols 0 and 1 call where the others call the class.
    fn is_reconstructed(&self) -> bool {
        self.name.as_deref() == Some("copyreg._reconstructor")
    }

    fn common(mut self) -> Self {
        let value = self.make_common();
        self.base = value.filter(|value| matches!(value.kind(), Kind::List | Kind::Dict));
        self
    }

    /// Returns the numbers of items and of entries, also those of the base.
    pub(super) fn lengths(&self) -> (usize, usize) {
        let (items, entries) = lengths(self.object);
        let (more_items, more_entries) = self.base.map_or((0, 0), lengths);
        (items + more_items, entries + more_entries)
    }

    /// Returns the object whose items are the first.
    pub(super) fn start(&self) -> ObjectRef<'a> {
        self.base.unwrap_or(self.object)
    }

    /// Returns the items and entries after those of a base, which is that of this object or of the one that it is compared with.
    pub(super) fn after(&self, base: Option<(usize, usize)>) -> (Vec<ObjectRef<'a>>, Entries<'a>) {
        let (items, entries) = base.filter(|_| self.base.is_none()).unwrap_or_default();
        (self.object.iter().skip(items).collect(), self.object.entries().skip(entries).collect())
    }

    /// Gives the call the form for all protocols, and returns the list or dictionary whose items are the first of the object.
    fn make_common(&mut self) -> Option<ObjectRef<'a>> {
        if self.is_reconstructed()
            && let Some(value) = self.call_class()
        {
            return self.arguments.is_none().then_some(value);
        }
        // Named tuples pass their items, and other subclasses of `tuple` the tuple, which is then the same.
        self.arguments = self.arguments.and_then(unless_few);
        None
    }

    /// Calls the class in place of `copyreg._reconstructor(class, base, value)`, as the other protocols do, and returns the value, whose items
    /// are those of the object if it is no argument. `None` for a value that no pickle of Python has for the base: such a call equals
    /// the same call alone.
    fn call_class(&mut self) -> Option<ObjectRef<'a>> {
        // Objects may share a long tuple.
        let arguments = self.arguments.into_iter().flat_map(ObjectRef::iter).take(4);
        let [class, base, value] = arguments.collect::<Vec<_>>()[..] else { return None };
        let (class, base) = (name(class)?, name(base)?);
        self.arguments = match (&*base, value.kind()) {
            ("builtins.object", Kind::None)
            | ("builtins.list", Kind::List)
            | ("builtins.dict", Kind::Dict) => None,
            ("builtins.tuple", Kind::Tuple) => unless_few(value),
            ("builtins.object" | "builtins.list" | "builtins.dict" | "builtins.tuple", _)
            | (_, Kind::Tuple) => return None,
            _ => Some(value),
        };
        self.name = Some(class);
        Some(value)
    }
}

/// Returns the numbers of items and of entries.
pub(super) fn lengths(object: ObjectRef<'_>) -> (usize, usize) {
    (object.iter().len(), object.entries().size_hint().1.unwrap_or_default())
}

/// Returns a tuple, or the item of one that has no other; `None` if it is empty, or if that item is an empty tuple, which an empty subclass of `tuple` passes.
fn unless_few(tuple: ObjectRef<'_>) -> Option<ObjectRef<'_>> {
    let is_empty =
        |item: &ObjectRef<'_>| item.kind() == Kind::Tuple && item.iter().next().is_none();
    let mut items = tuple.iter();
    match (items.next(), items.next()) {
        (first, None) => first.filter(|item| !is_empty(item)),
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
