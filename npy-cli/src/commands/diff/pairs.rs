//! Pairs of objects, one of each file: those that are known to be equal or to differ, and those that are being compared.
//!
//! A part that many rows share is compared once. A pair is known to be equal as soon as its parts are, unless one of them contains a pair that is still being
//! compared: an object that contains itself. Then it waits for that pair. If a part differs, so do all pairs that contain it.
//!
//! Objects that are equal to one are equal to each other, so they are in one class. Objects with an `OrderedDict` within are the exception: two that differ
//! in order equal the same plain dict. Of two such objects the pair itself is noted. So is each pair of an object that has a number which may be equal to
//! others by a tolerance, or by rounding: two numbers of Python that are equal to the same one of NumPy may differ.
//!
//! Classes keep the work linear, because each result joins two of them. Pairs that are noted themselves can be as many as the products of the objects, so the work has a limit.

use std::collections::{HashMap, HashSet};

use npy_core::ObjectRef;
use npy_core::object::Kind;

/// The class of dicts whose order matters.
pub(super) const ORDERED_DICT: &str = "collections.OrderedDict";

/// The number of an object in its file.
type Id = u32;

/// The numbers of two objects, one of each file.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Ids {
    ours: Id,
    theirs: Id,
    /// True if the pair says nothing about other pairs.
    is_alone: bool,
    /// True if numbers within may differ by the tolerance.
    is_near: bool,
    /// True if the items and entries of one are the first of the other, which may have more.
    is_start: bool,
}

/// The results so far, and the pairs that are being compared.
#[derive(Default)]
pub(super) struct Pairs {
    /// The objects of each file that are an `OrderedDict`, or have one within.
    ordered: [HashSet<Id>; 2],
    /// The objects of each file that are a number which may be equal to different numbers, or have one within.
    near: [HashSet<Id>; 2],
    /// The steps that the comparison may take. Without one, all pairs are in classes.
    limit: Option<usize>,
    /// The steps that it took.
    work: usize,
    equal: Relation,
    different: HashSet<Ids>,
    /// Objects that are equal if no part of the outermost pair differs.
    assumed: Relation,
    /// Pairs that are being compared, each a part of the one before.
    open: Vec<Open>,
    /// The positions of the pairs in `open`.
    depths: HashMap<Ids, usize>,
    /// Pairs whose parts are equal if a pair in `open` is.
    waiting: Vec<Ids>,
}

/// A pair whose parts are being compared.
struct Open {
    ids: Ids,
    /// The position in `open` of the first pair that must be equal for this one to be.
    needed: usize,
    /// The length of `waiting` at the start.
    waiting: usize,
}

/// The result of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Status {
    /// Equal, or equal if all parts that are still to be compared are.
    Equal,
    Different,
    /// Not compared yet. It is open now.
    New,
}

impl Pairs {
    /// Notes each `OrderedDict` of the objects of two files.
    pub(super) fn find_ordered(&mut self, a: &[ObjectRef<'_>], b: &[ObjectRef<'_>]) {
        self.ordered = [a, b].map(|roots| self.find(roots, is_ordered_dict));
    }

    /// Notes each number of two files that may be equal to different numbers: by a tolerance, or because a number of Python is rounded for one of NumPy.
    pub(super) fn find_near(
        &mut self,
        a: &[ObjectRef<'_>],
        b: &[ObjectRef<'_>],
        is_near: impl Fn(ObjectRef<'_>) -> bool,
    ) {
        self.near = [a, b].map(|roots| self.find(roots, &is_near));
    }

    /// Returns the objects within some that are of a kind, and their owners. The limit grows with the objects.
    fn find(
        &mut self,
        roots: &[ObjectRef<'_>],
        is_such: impl Fn(ObjectRef<'_>) -> bool,
    ) -> HashSet<Id> {
        /// The steps for small files.
        const LEAST: usize = 1 << 17;
        /// The steps for each part of an object. A pair takes one for each of its parts.
        const FOR_PART: usize = 8;
        let (found, parts) = within(roots, is_such);
        let limit = self.limit.unwrap_or(LEAST);
        self.limit = Some(limit.saturating_add(parts.saturating_mul(FOR_PART)));
        found
    }

    /// Counts a step.
    pub(super) fn count(&mut self) {
        self.work += 1;
    }

    /// Returns the limit if the comparison took more steps. Its results mean nothing then.
    pub(super) fn exceeded(&self) -> Option<usize> {
        self.limit.filter(|&limit| self.work > limit)
    }

    /// Opens a pair, unless its result is known. It is open now if the result is [`Status::New`].
    pub(super) fn open(&mut self, a: ObjectRef<'_>, b: ObjectRef<'_>, is_near: bool) -> Status {
        let (ours, theirs) = (a.object().id(), b.object().id());
        let has = |[of_a, of_b]: &[HashSet<Id>; 2]| [of_a.contains(&ours), of_b.contains(&theirs)];
        let is_alone = has(&self.ordered) == [true; 2] || is_near && has(&self.near) != [false; 2];
        self.open_ids(Ids { ours, theirs, is_alone, is_near, is_start: false })
    }

    /// Opens a list or dictionary, and an object whose first items and entries are the same. The objects themselves differ, so that they are not of one class.
    pub(super) fn open_start(
        &mut self,
        a: ObjectRef<'_>,
        b: ObjectRef<'_>,
        is_near: bool,
    ) -> Status {
        let (ours, theirs) = (a.object().id(), b.object().id());
        self.open_ids(Ids { ours, theirs, is_alone: true, is_near, is_start: true })
    }

    fn open_ids(&mut self, ids: Ids) -> Status {
        if self.different.contains(&ids) {
            return Status::Different;
        }
        if self.equal.has(ids) {
            return Status::Equal;
        }
        let depth = self.open.len();
        if !self.assumed.add(ids) {
            let needed = self.depths.get(&ids).copied().unwrap_or(0);
            self.need(needed);
            return Status::Equal;
        }
        self.depths.insert(ids, depth);
        self.open.push(Open { ids, needed: depth, waiting: self.waiting.len() });
        Status::New
    }

    /// Notes that the last open pair is equal only if the one at a position is.
    fn need(&mut self, position: usize) {
        if let Some(last) = self.open.last_mut() {
            last.needed = last.needed.min(position);
        }
    }

    /// Closes the pair that was opened last: all of its parts are equal.
    pub(super) fn close(&mut self) {
        let Some(Open { ids, needed, waiting }) = self.open.pop() else { return };
        self.depths.remove(&ids);
        self.waiting.push(ids);
        if needed < self.open.len() {
            self.need(needed);
            return;
        }
        for ids in self.waiting.drain(waiting..) {
            self.equal.add(ids);
        }
        if self.open.is_empty() {
            self.assumed = Relation::default();
        }
    }

    /// Notes that all open pairs differ, because a part of the last one does.
    pub(super) fn differ(&mut self) {
        self.different.extend(self.open.drain(..).map(|pair| pair.ids));
        self.depths.clear();
        self.waiting.clear();
        self.assumed = Relation::default();
    }
}

/// Pairs of equal objects.
#[derive(Default)]
struct Relation {
    classes: Classes,
    /// The pairs that are not in a class.
    alone: HashSet<Ids>,
}

impl Relation {
    fn has(&self, ids: Ids) -> bool {
        match ids.is_alone {
            true => self.alone.contains(&ids),
            false => self.classes.are_one(ids),
        }
    }

    /// Adds a pair; false if it is there already.
    fn add(&mut self, ids: Ids) -> bool {
        match ids.is_alone {
            true => self.alone.insert(ids),
            false => self.classes.join(ids),
        }
    }
}

/// Returns the objects that are of a kind, or have such an object within, and the number of all parts.
fn within(
    roots: &[ObjectRef<'_>],
    is_such: impl Fn(ObjectRef<'_>) -> bool,
) -> (HashSet<Id>, usize) {
    let mut such = Vec::new();
    let mut count = roots.len();
    let mut owners: HashMap<Id, Vec<Id>> = HashMap::new();
    let mut seen = HashSet::new();
    let mut next = roots.to_vec();
    while let Some(object) = next.pop() {
        let id = object.object().id();
        if !seen.insert(id) {
            continue;
        }
        if is_such(object) {
            such.push(id);
        }
        let entries = object.entries().flat_map(|(key, value)| [key, value]);
        let parts = entries.chain(object.iter()).chain(object.arguments()).chain(object.state());
        for part in parts {
            owners.entry(part.object().id()).or_default().push(id);
            next.push(part);
            count = count.saturating_add(1);
        }
    }
    let mut found = HashSet::new();
    while let Some(id) = such.pop() {
        if found.insert(id) {
            such.extend(owners.get(&id).into_iter().flatten());
        }
    }
    (found, count)
}

/// Returns true for a dict whose order matters to Python if it is compared with another such dict.
pub(super) fn is_ordered_dict(object: ObjectRef<'_>) -> bool {
    object.kind() == Kind::Dict && object.name().is_some_and(|name| name == ORDERED_DICT)
}

/// Objects of both files in classes of equal ones.
#[derive(Default)]
struct Classes {
    /// The next object on the way to the one that names the class. That one has none.
    next: HashMap<usize, usize>,
    /// The number of objects in the class that this one names, if there are several.
    sizes: HashMap<usize, usize>,
}

impl Classes {
    fn find(&self, mut at: usize) -> usize {
        while let Some(&next) = self.next.get(&at) {
            at = next;
        }
        at
    }

    fn size(&self, of: usize) -> usize {
        self.sizes.get(&of).copied().unwrap_or(1)
    }

    /// Returns the names of the classes of two objects.
    fn both(&self, ids: Ids) -> (usize, usize) {
        (self.find(2 * ids.ours as usize), self.find(2 * ids.theirs as usize + 1))
    }

    fn are_one(&self, ids: Ids) -> bool {
        let (a, b) = self.both(ids);
        a == b
    }

    /// Joins the classes of two objects; false if they are one already.
    fn join(&mut self, ids: Ids) -> bool {
        let (a, b) = self.both(ids);
        if a == b {
            return false;
        }
        // The smaller class goes to the larger one, so that ways are short.
        let (small, large) = if self.size(a) < self.size(b) { (a, b) } else { (b, a) };
        self.sizes.insert(large, self.size(small) + self.size(large));
        self.next.insert(small, large);
        true
    }
}
