//! The model of a reader, which is an index into a list, and the steps: a random call of the reader, and what the model says of it.

use std::fmt::Debug;
use std::io::Read;

use npy_core::{ErrorKind, NpyArray, Order, Reader, Result};
use npy_tests::fuzz::Random;

use super::file::File;
use super::item::{Item, Value};

/// The position in the array.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    /// After this many elements in the order of the file.
    Elements(usize),
    /// After some, but not all, rows that are strided in the file.
    Rows(usize),
    /// After a read that failed.
    Lost,
}

/// A call that seeks; `None` for a source that cannot.
pub(crate) struct Seeks<R> {
    pub(crate) to: fn(&mut Reader<R>, usize) -> Result<()>,
    pub(crate) to_row: fn(&mut Reader<R>, usize) -> Result<()>,
    /// True for a source that refuses some positions.
    pub(crate) may_fail: bool,
}

pub(crate) struct Model<T> {
    file: File<T>,
    at: At,
    /// The position in an array without elements, which has rows and arrays of no elements: how many of how many were read.
    empty: (usize, usize),
    /// True if the last seek went to the end.
    sought_end: bool,
    /// The steps so far, for the message.
    steps: Vec<String>,
}

impl<T> Drop for Model<T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{:?}, after {:#?}", self.file, self.steps);
        }
    }
}

fn unsupported<A>(result: Result<A>) {
    match result.map(drop) {
        Err(error) if matches!(error.kind(), ErrorKind::Unsupported { .. }) => {}
        other => panic!("{other:?} instead of an error that says what is needed"),
    }
}

/// Compares without printing: an element can be large.
fn equal<T: PartialEq>(found: &[T], wanted: &[T]) {
    assert_eq!(found.len(), wanted.len(), "the number of elements");
    let differs = found.iter().zip(wanted).position(|(a, b)| a != b);
    assert_eq!(differs, None, "the index of a wrong value");
}

fn items<T: Item, V: Value<T>>(values: &[V]) -> Vec<T> {
    values.iter().flat_map(|value| value.items().iter().cloned()).collect()
}

fn is_strided(shape: &[usize], order: Order) -> bool {
    let long = shape.iter().filter(|&&n| n > 1).count();
    order == Order::Fortran && long > 1 && !shape.contains(&0)
}

impl<T: Item> Model<T> {
    pub(crate) fn new(file: File<T>) -> Self {
        Model { file, at: At::Elements(0), empty: (0, 1), sought_end: false, steps: Vec::new() }
    }

    fn count(&self) -> usize {
        self.file.stored.len()
    }

    /// Returns true if all elements were read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at == At::Elements(self.count()) && self.count() > 0
    }

    fn step(&mut self, step: String) {
        self.steps.push(step);
    }

    /// Returns the index of the next of `count` things without elements.
    fn empty_index(&self, count: usize) -> usize {
        (self.empty.0 * count).div_ceil(self.empty.1.max(1)).min(count)
    }

    /// Returns the index of the next value and the number of all; `None` if such values cannot be read here.
    fn values<V: Value<T>>(&self) -> Option<(usize, usize)> {
        let At::Elements(at) = self.at else { return None };
        let outer = &self.file.shape[..self.file.shape.len() - usize::from(V::LEN.is_some())];
        match V::LEN {
            Some(_) if is_strided(&self.file.shape, self.file.order) => None,
            Some(0) => {
                let count = outer.iter().product();
                Some((self.empty_index(count), count))
            }
            len => {
                let len = len.unwrap_or(1);
                at.is_multiple_of(len).then_some((at / len, self.count() / len))
            }
        }
    }

    /// Moves past these values.
    fn pass<V: Value<T>>(&mut self, next: usize, count: usize) {
        match V::LEN {
            Some(0) => self.empty = (next, count),
            len => self.at = At::Elements(next * len.unwrap_or(1)),
        }
    }

    /// Returns how many of the values from `next` to `end` come before an invalid one, and true if there is such a one.
    fn valid<V: Value<T>>(&self, next: usize, end: usize) -> (usize, bool) {
        match self.file.invalid.map(|(at, _)| at / V::LEN.unwrap_or(1).max(1)) {
            Some(invalid) if (next..end).contains(&invalid) => (invalid - next, true),
            _ => (end - next, false),
        }
    }

    /// Checks values that were read, and whether an error came after them.
    fn check<V: Value<T>>(
        &mut self,
        found: &[V],
        next: usize,
        end: usize,
        count: usize,
        ended: Result<()>,
    ) {
        let (valid, fails) = self.valid::<V>(next, end);
        let len = V::LEN.unwrap_or(1);
        assert_eq!(found.len(), valid, "the number of values");
        equal(&items(found), &self.file.stored[next * len..(next + valid) * len]);
        assert_eq!(ended.is_err(), fails, "{ended:?}");
        if fails {
            self.at = At::Lost;
        } else if end > next {
            self.pass::<V>(end, count);
        }
    }

    /// Returns the rows, the elements of a row, and the index of the next; `None` if this is not the start of a row.
    fn rows(&self) -> Option<(usize, usize, usize)> {
        let (&rows, inner) = self.file.shape.split_first()?;
        let row = inner.iter().product::<usize>();
        let is_strided = is_strided(&self.file.shape, self.file.order);
        let next = match self.at {
            At::Lost => return None,
            At::Rows(next) => next,
            // A part of a row of arrays without elements was read.
            At::Elements(_)
                if row == 0 && !(self.empty.0 * rows).is_multiple_of(self.empty.1.max(1)) =>
            {
                return None;
            }
            At::Elements(_) if row == 0 => self.empty_index(rows),
            At::Elements(at) if is_strided && at > 0 && at < self.count() => return None,
            At::Elements(at) if !at.is_multiple_of(row) => return None,
            At::Elements(at) => at / row,
        };
        Some((rows, row, next))
    }

    fn pass_rows(&mut self, (rows, row, first): (usize, usize, usize), next: usize) {
        if next == first {
            return;
        }
        if row == 0 {
            self.empty = (next, rows);
        }
        let inside = next > 0 && next < rows && row > 0;
        self.at = match is_strided(&self.file.shape, self.file.order) && inside {
            true => At::Rows(next),
            false => At::Elements(next * row),
        };
    }

    fn is_at_start(&self) -> bool {
        self.at == At::Elements(0) && self.empty.0 == 0
    }

    /// Checks that the reader says the same of its position.
    fn check_position<R: Read>(&self, reader: &Reader<R>) {
        let row = self.file.shape.iter().skip(1).product::<usize>();
        let at = match self.at {
            At::Elements(at) => at,
            At::Rows(next) => next * row,
            At::Lost => return,
        };
        assert_eq!(reader.remaining(), self.count() - at, "remaining");
        assert_eq!(reader.header().shape(), self.file.shape);
    }

    fn records<R: Read, V: Value<T>>(&mut self, reader: &mut Reader<R>, random: &mut Random) {
        let Some((next, count)) = self.values::<V>() else {
            return unsupported(reader.records::<V>());
        };
        let left = count - next;
        let mut records = reader.records::<V>().unwrap();
        assert_eq!(records.len(), left);
        let wanted = random.below(left + 2);
        let mut found = Vec::new();
        let mut ended = Ok(());
        let mut keep = |value: Result<V>| match value {
            Ok(value) => found.push(value),
            Err(error) => ended = Err(error),
        };
        match random.below(3) {
            // All of them, by `fold`.
            0 => {
                self.step("records, all".into());
                records.for_each(keep);
                return self.check(&found, next, count, count, ended);
            }
            // Some one by one, and the others by `fold`.
            1 => {
                self.step(format!("records, {wanted} and all others"));
                records.by_ref().take(wanted).for_each(&mut keep);
                records.for_each(keep);
                return self.check(&found, next, count, count, ended);
            }
            _ => self.step(format!("records, {wanted}")),
        }
        records.by_ref().take(wanted).for_each(keep);
        if ended.is_err() {
            assert!(records.next().is_none(), "nothing after an error");
            return self.check(&found, next, count, count, ended);
        }
        assert_eq!(records.len(), left - found.len());
        let end = next + wanted.min(left);
        self.check(&found, next, end, count, ended);
    }

    fn owned_records<R: Read, V: Value<T>>(&mut self, reader: Reader<R>, random: &mut Random) {
        let Some((next, count)) = self.values::<V>() else {
            return unsupported(reader.into_records::<V>());
        };
        let wanted = random.below(count - next + 2);
        self.step(format!("into_records, {wanted}"));
        let (mut found, mut ended) = (Vec::new(), Ok(()));
        for value in reader.into_records::<V>().unwrap().take(wanted) {
            match value {
                Ok(value) => found.push(value),
                Err(error) => ended = Err(error),
            }
        }
        self.check(&found, next, count.min(next + wanted), count, ended);
        // The reader is gone, and with it the elements that it had read ahead.
        self.at = At::Lost;
    }

    fn read_chunk<R: Read, V: Value<T>>(&mut self, reader: &mut Reader<R>, random: &mut Random) {
        let mut found = Vec::<V>::new();
        let Some((next, count)) = self.values::<V>() else {
            return unsupported(reader.read_chunk(&mut found, 3));
        };
        let max = random.below(count - next + 3);
        self.step(format!("read_chunk, {max}"));
        let end = count.min(next + max);
        let result = reader.read_chunk(&mut found, max);
        if let Ok(n) = result {
            assert_eq!(n, end - next);
        }
        self.check(&found, next, end, count, result.map(drop));
    }

    fn read_into<R: Read, V: Value<T>>(&mut self, reader: &mut Reader<R>, random: &mut Random) {
        let mut out = vec![V::filled(T::nth(5)); 3];
        let Some((next, count)) = self.values::<V>() else {
            return unsupported(reader.read_into(&mut out));
        };
        let wanted = random.below(count - next + 3);
        self.step(format!("read_into, {wanted}"));
        out.resize(wanted, V::filled(T::nth(5)));
        let result = reader.read_into(&mut out);
        if next + wanted > count {
            let error = result.unwrap_err();
            return assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{error}");
        }
        let (valid, _) = self.valid::<V>(next, next + wanted);
        self.check(&out[..valid], next, next + wanted, count, result);
    }

    fn read_rows<R: Read, V: Value<T>>(&mut self, reader: &mut Reader<R>, random: &mut Random) {
        let len = V::LEN.unwrap_or(1);
        let outer = self.file.shape.len() - usize::from(V::LEN.is_some());
        let Some(layout @ (rows, row, first)) = self.rows() else {
            return assert!(reader.rows::<V>().is_err());
        };
        if outer < 2 {
            return assert!(reader.rows::<V>().is_err());
        }
        let per_row = match len {
            0 => self.file.shape[1..outer].iter().product(),
            _ => row / len,
        };
        let invalid = self.file.invalid.map_or(usize::MAX, |(_, at)| at / row);
        let mut lent = reader.rows::<V>().unwrap();
        assert_eq!(lent.row_shape(), &self.file.shape[1..outer]);
        let mut next = first;
        for _ in 0..random.below(5) {
            assert_eq!(lent.len(), rows - next);
            let wanted = if random.below(2) == 0 { 1 } else { random.below(rows - next + 2) };
            self.steps.push(format!("row {next}: next {wanted}"));
            let found = match wanted {
                1 if random.below(2) == 0 => lent.next_row(),
                _ => lent.next_rows(wanted),
            };
            let end = rows.min(next + wanted);
            if (next..end).contains(&invalid) && next == invalid {
                assert!(found.is_err(), "{:?}", found.map(drop));
                self.at = At::Lost;
                return assert!(lent.next_rows(1).is_err(), "nothing after an error");
            }
            let end = if (next..end).contains(&invalid) { invalid } else { end };
            match found.unwrap() {
                None => assert_eq!(end, next, "there are rows"),
                Some(values) => {
                    assert!(end > next, "there are no rows");
                    assert_eq!(values.len(), (end - next) * per_row);
                    equal(&items(values), &self.file.logical[next * row..end * row]);
                }
            }
            next = end;
        }
        self.pass_rows(layout, next);
    }

    fn read_dyn_chunk<R: Read>(&mut self, reader: &mut Reader<R>, random: &mut Random) {
        let Some(layout @ (rows, row, next)) = self.rows() else {
            return assert!(reader.read_dyn_chunk(1).is_err());
        };
        let wanted = random.below(rows - next + 2);
        self.step(format!("row {next}: read_dyn_chunk, {wanted}"));
        let found = reader.read_dyn_chunk(wanted).unwrap();
        let end = rows.min(next + wanted);
        assert_eq!(found.shape()[0], end - next);
        let bytes = found.to_order(Order::C).unwrap();
        assert_eq!(bytes.as_bytes(), self.file.logical_bytes(next * row..end * row));
        self.pass_rows(layout, end);
    }

    fn read_vec<R: Read, V: Value<T>>(&mut self, reader: &mut Reader<R>) {
        let strided = V::LEN.is_some() && is_strided(&self.file.shape, self.file.order);
        let outer = self.file.shape.len() - usize::from(V::LEN.is_some());
        self.step("read_vec".into());
        if outer != 1 {
            assert!(reader.read_vec::<V>().is_err());
            return;
        }
        if strided && self.is_at_start() {
            return self.whole(reader.read_vec::<V>().map(|values| items(&values)));
        }
        let Some((next, count)) = self.values::<V>() else {
            return unsupported(reader.read_vec::<V>());
        };
        let (valid, fails) = self.valid::<V>(next, count);
        match reader.read_vec::<V>() {
            Ok(found) => self.check(&found, next, count, count, Ok(())),
            Err(error) => {
                assert!(fails, "{error} after {valid}");
                self.at = At::Lost;
            }
        }
    }

    /// Checks the whole array in C order.
    fn whole(&mut self, found: Result<Vec<T>>) {
        match (self.file.invalid, found) {
            (None, Ok(found)) => {
                equal(&found, &self.file.logical);
                self.at = At::Elements(self.count());
            }
            (Some(_), Err(_)) => self.at = At::Lost,
            (invalid, found) => panic!("{invalid:?}, {:?}", found.map(drop)),
        }
    }

    fn read_array<R: Read, V: Value<T>>(&mut self, reader: &mut Reader<R>) {
        self.step("read_array".into());
        if !self.is_at_start() {
            return unsupported(reader.read_array::<V>());
        }
        let found: Result<NpyArray<V>> = reader.read_array();
        let found = found
            .map(|array| array.iter().flat_map(|value| value.items().iter().cloned()).collect());
        self.whole(found);
        let outer = self.file.shape.len() - usize::from(V::LEN.is_some());
        let count = self.file.shape[..outer].iter().product();
        if V::LEN == Some(0) && count > 0 {
            self.empty = (count, count);
        }
    }

    fn read_dyn<R: Read>(&mut self, reader: &mut Reader<R>) {
        self.step("read_dyn".into());
        if !self.is_at_start() {
            return unsupported(reader.read_dyn());
        }
        let found = reader.read_dyn().unwrap().to_order(Order::C).unwrap();
        assert_eq!(found.as_bytes(), self.file.logical_bytes(0..self.count()));
        self.at = At::Elements(self.count());
    }

    fn read_column<R: Read>(&mut self, reader: &mut Reader<R>, random: &mut Random) {
        let index = random.below(T::COLUMNS.len());
        let Some(path) = T::COLUMNS.get(index) else { return };
        self.step(format!("read_column {path}"));
        let At::Elements(at) = self.at else {
            return unsupported(reader.read_column::<T::Column>(path));
        };
        let is_over = at == self.count();
        if is_over && self.sought_end {
            assert!(reader.read_column::<T::Column>(path).unwrap().is_empty());
            return;
        }
        if at > 0 && (is_over || is_strided(&self.file.shape, self.file.order)) {
            return unsupported(reader.read_column::<T::Column>(path));
        }
        let found = reader.read_column::<T::Column>(path).unwrap();
        let wanted = &self.file.logical[at..];
        let wanted: Vec<_> = wanted.iter().map(|item| item.column(index)).collect();
        equal(&found, &wanted);
        self.at = At::Elements(self.count());
    }

    fn deserialize<R: Read>(&mut self, reader: &mut Reader<R>, random: &mut Random) {
        let At::Elements(at) = self.at else {
            return unsupported(reader.deserialize::<T::Row>());
        };
        // It does not know which values an element type accepts.
        if self.file.invalid.is_some() {
            return;
        }
        let wanted = random.below(self.count() - at + 2).min(300);
        self.step(format!("deserialize, {wanted}"));
        let mut left = reader.deserialize::<T::Row>().unwrap();
        assert_eq!(left.len(), self.count() - at);
        let end = self.count().min(at + wanted);
        let found: Vec<_> = left.by_ref().take(wanted).map(Result::unwrap).collect();
        assert_eq!((found.len(), left.len()), (end - at, self.count() - end));
        let wanted = &self.file.stored[at..end];
        assert!(wanted.iter().zip(&found).all(|(item, row)| item.is(row)), "a row of serde");
        self.at = At::Elements(end);
    }

    fn seek<R>(&mut self, reader: &mut Reader<R>, seeks: &Seeks<R>, random: &mut Random) {
        let by_row = random.below(2) == 0;
        let (rows, row) = match (self.file.shape.as_slice(), self.file.order) {
            ([], _) => (1, 1),
            ([rows, inner @ ..], Order::C) => (*rows, inner.iter().product::<usize>()),
            ([rows, inner @ ..], _) if by_row => (*rows, inner.iter().product()),
            ([inner @ .., rows], _) => (*rows, inner.iter().product()),
        };
        // The first row, the end, and the row after it, which is an error, are as frequent as all others.
        let to = [0, rows, rows + 1, random.below(rows + 1), random.below(rows + 1)];
        let to = to[random.below(5)];
        self.step(format!("{} {to}", if by_row { "seek_to_row" } else { "seek_to" }));
        let sought = if by_row { (seeks.to_row)(reader, to) } else { (seeks.to)(reader, to) };
        if to > rows {
            let error = sought.unwrap_err();
            return assert!(matches!(error.kind(), ErrorKind::Shape { .. }), "{error}");
        }
        if let Err(error) = sought {
            return assert!(seeks.may_fail, "{error}");
        }
        self.at = At::Elements(to * row);
        self.empty = (to, rows);
        self.sought_end = to == rows;
        if by_row && !self.file.shape.is_empty() {
            self.pass_rows((rows, row, 0), to);
        }
    }

    /// Makes a random call of values of this type; returns the reader, if there is still one.
    fn call<R: Read, V: Value<T>>(
        &mut self,
        mut reader: Reader<R>,
        random: &mut Random,
    ) -> Option<Reader<R>> {
        let reader_ref = &mut reader;
        match random.below(40) {
            0 => {
                self.owned_records::<_, V>(reader, random);
                return None;
            }
            1..9 => self.records::<_, V>(reader_ref, random),
            9..17 => self.read_chunk::<_, V>(reader_ref, random),
            17..22 => self.read_into::<_, V>(reader_ref, random),
            22..34 => self.read_rows::<_, V>(reader_ref, random),
            34..37 => self.read_vec::<_, V>(reader_ref),
            _ => self.read_array::<_, V>(reader_ref),
        }
        Some(reader)
    }

    /// Makes a random call, and compares what it says with the model.
    pub(crate) fn any<R: Read>(
        &mut self,
        mut reader: Reader<R>,
        seeks: Option<&Seeks<R>>,
        random: &mut Random,
    ) -> Option<Reader<R>> {
        match (random.below(20), seeks) {
            (0..6, Some(seeks)) => self.seek(&mut reader, seeks, random),
            (6..9, _) => self.read_dyn_chunk(&mut reader, random),
            (9, _) => self.deserialize(&mut reader, random),
            (10, _) => match random.below(4) {
                0 => self.read_dyn(&mut reader),
                1 => self.read_column(&mut reader, random),
                2 => {
                    let order = if random.below(2) == 0 { Order::C } else { Order::Fortran };
                    self.step(format!("set_order {order:?}"));
                    reader.set_order(order);
                }
                _ => return self.flatten(reader),
            },
            _ => {
                let last = self.file.shape.last().copied().filter(|_| random.below(2) == 0);
                reader = match last {
                    Some(0) => self.call::<_, [T; 0]>(reader, random),
                    Some(2) => self.call::<_, [T; 2]>(reader, random),
                    Some(3) => self.call::<_, [T; 3]>(reader, random),
                    _ => self.call::<_, T>(reader, random),
                }?;
            }
        }
        self.check_position(&reader);
        Some(reader)
    }

    fn flatten<R: Read>(&mut self, reader: Reader<R>) -> Option<Reader<R>> {
        self.step("flatten".into());
        match self.at {
            At::Elements(0) => {
                let reader = reader.flatten().unwrap();
                self.file.flatten();
                self.check_position(&reader);
                Some(reader)
            }
            At::Lost => Some(reader),
            _ => {
                unsupported(reader.flatten());
                self.at = At::Lost;
                None
            }
        }
    }
}
