//! Pairs of objects, one of each file: those that are known to be equal or to differ, and those that are being compared.
//!
//! A part that many rows share is compared once. A pair is known to be equal as soon as its parts are, unless one of them contains a pair that is still being
//! compared: an object that contains itself. Then it waits for that pair. If a part differs, so do all pairs that contain it.

use std::collections::{HashMap, HashSet};

use npy_core::ObjectRef;

/// The number of an object in its file.
type Id = u32;

/// The results so far, and the pairs that are being compared.
#[derive(Default)]
pub(super) struct Pairs {
    equal: Classes,
    different: HashSet<(Id, Id)>,
    /// Objects that are equal if no part of the outermost pair differs.
    assumed: Classes,
    /// Pairs that are being compared, each a part of the one before.
    open: Vec<Open>,
    /// The positions of the pairs in `open`.
    depths: HashMap<(usize, usize), usize>,
    /// Pairs whose parts are equal if a pair in `open` is.
    waiting: Vec<(usize, usize)>,
}

/// A pair whose parts are being compared.
struct Open {
    ids: (Id, Id),
    classes: (usize, usize),
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
    /// Opens a pair, unless its result is known. `are_ordered` is true for two dicts whose order matters.
    pub(super) fn open(&mut self, a: ObjectRef<'_>, b: ObjectRef<'_>, are_ordered: bool) -> Status {
        let ids @ (ours, theirs) = (a.object().id(), b.object().id());
        // A dict may equal two ordered ones that differ, so it is in other classes than they are.
        let set = 2 * usize::from(are_ordered);
        let classes = (4 * ours as usize + set, 4 * theirs as usize + set + 1);
        if self.different.contains(&ids) {
            return Status::Different;
        }
        if self.equal.are_one(classes) {
            return Status::Equal;
        }
        let depth = self.open.len();
        if !self.assumed.join(classes) {
            let needed = self.depths.get(&classes).copied().unwrap_or(0);
            self.need(needed);
            return Status::Equal;
        }
        self.depths.insert(classes, depth);
        self.open.push(Open { ids, classes, needed: depth, waiting: self.waiting.len() });
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
        let Some(Open { classes, needed, waiting, .. }) = self.open.pop() else { return };
        self.depths.remove(&classes);
        self.waiting.push(classes);
        if needed < self.open.len() {
            self.need(needed);
            return;
        }
        for classes in self.waiting.drain(waiting..) {
            self.equal.join(classes);
        }
        if self.open.is_empty() {
            self.assumed = Classes::default();
        }
    }

    /// Notes that all open pairs differ, because a part of the last one does.
    pub(super) fn differ(&mut self) {
        self.different.extend(self.open.drain(..).map(|pair| pair.ids));
        self.depths.clear();
        self.waiting.clear();
        self.assumed = Classes::default();
    }
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

    fn are_one(&self, (a, b): (usize, usize)) -> bool {
        self.find(a) == self.find(b)
    }

    /// Joins the classes of two objects; false if they are one already.
    fn join(&mut self, (a, b): (usize, usize)) -> bool {
        let (a, b) = (self.find(a), self.find(b));
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
