//! Columns that are the items of a list: `x[0]`, `x[1]`, or `x.0`, `x.1`.

use std::collections::{HashMap, HashSet};

use super::Records;
use super::column::{Column, with_points};
use super::kind::Kind;
use super::remarks::first_large;

/// Divides names like `x.0` into their parts, if all items of the list are there, in order. A name that pandas gave to the second column `x`, `x.1`, stays.
pub(super) fn split(columns: &mut [Column]) {
    let mut lists: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, column) in columns.iter().enumerate() {
        if let [name] = &column.path[..]
            && let (list, indices) = parts(name)
            && !indices.is_empty()
        {
            lists.entry(list).or_default().push(at);
        }
    }
    let single = columns.iter().filter_map(|column| match &column.path[..] {
        [name] => Some(name.clone()),
        _ => None,
    });
    let names: HashSet<String> = single.collect();
    for (list, members) in lists {
        let items: Vec<Vec<usize>> =
            members.iter().map(|&at| parts(&columns[at].path[0]).1).collect();
        if !list.is_empty() && names.contains(&list) || !is_complete(&items) {
            continue;
        }
        for (at, indices) in members.into_iter().zip(items) {
            let indices = indices.iter().map(usize::to_string);
            columns[at].path = Some(list.clone())
                .filter(|list| !list.is_empty())
                .into_iter()
                .chain(indices)
                .collect();
        }
    }
}

/// A list whose items have no common dtype, because a float would change an integer.
pub(super) struct Uneven {
    /// The columns that are its items.
    pub(super) members: Vec<usize>,
    /// The column of the integer, with its row.
    pub(super) at: usize,
    pub(super) row: usize,
    pub(super) number: i128,
}

/// Gives the items of a list one dtype, if they have similar ones; of a list of records each field of all items. The fields of `records` are no
/// items. Returns the lists that have none, because a float would change an integer; `is_guessed` is
/// true if their dtypes follow from their values.
pub(super) fn unify(columns: &mut [Column], records: &Records, is_guessed: bool) -> Vec<Uneven> {
    let mut uneven = Vec::new();
    // The keys are the paths without the indices.
    let mut lists: HashMap<Vec<Option<String>>, Vec<usize>> = HashMap::new();
    for (at, column) in columns.iter().enumerate() {
        let name = |(depth, part): (usize, &String)| {
            let is_index = part.bytes().all(|byte| byte.is_ascii_digit())
                && !records.contains_key(&column.path[..depth]);
            (!is_index).then(|| part.clone())
        };
        let list: Vec<Option<String>> = column.path.iter().enumerate().map(name).collect();
        if list.contains(&None) {
            lists.entry(list).or_default().push(at);
        }
    }
    for members in lists.values() {
        let kinds: Vec<Kind> = members.iter().map(|&at| columns[at].kind).collect();
        let Some(kind) = kinds.iter().copied().try_fold(kinds[0], Kind::common) else { continue };
        let large = |&at: &usize| {
            let is_integer = matches!(columns[at].kind, Kind::Int(_) | Kind::UInt(_));
            let (row, number) = first_large(&columns[at]).filter(|_| is_integer)?;
            Some((at, row, number))
        };
        if kind == Kind::Float
            && is_guessed
            && let Some((at, row, number)) = members.iter().find_map(large)
        {
            uneven.push(Uneven { members: members.clone(), at, row, number });
            continue;
        }
        let width = members.iter().map(|&at| columns[at].width).max().unwrap_or(1);
        for &at in members {
            (columns[at].kind, columns[at].width) = (kind, width);
        }
    }
    uneven
}

/// Divides `x[0][1]`, or `x.0.1`, into the name and the indices; a name of digits alone is an index.
fn parts(name: &str) -> (String, Vec<usize>) {
    let name = with_points(name);
    let mut rest = &*name;
    let mut indices = Vec::new();
    loop {
        let (before, last) = rest.rsplit_once('.').unwrap_or(("", rest));
        let index = last.parse::<usize>().ok().filter(|index| index.to_string() == last);
        let Some(index) = index else { break };
        indices.insert(0, index);
        if before.is_empty() {
            return (String::new(), indices);
        }
        rest = before;
    }
    (rest.to_owned(), indices)
}

/// Returns true if these are all indices of an array, in C order.
fn is_complete(items: &[Vec<usize>]) -> bool {
    let Some(last) = items.last() else { return false };
    let shape: Vec<usize> = last.iter().map(|index| index.saturating_add(1)).collect();
    let count = shape.iter().try_fold(1usize, |count, length| count.checked_mul(*length));
    count == Some(items.len())
        && items.iter().enumerate().all(|(n, item)| *item == index(n, &shape))
}

/// Returns the index of the item at this position in C order.
fn index(mut position: usize, shape: &[usize]) -> Vec<usize> {
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|length| {
            let at = position % length;
            position /= length;
            at
        })
        .collect();
    index.reverse();
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::cells::Values;

    fn paths(names: &[&str]) -> Vec<String> {
        let column = |name: &&str| Column::new(vec![name.to_string()], Values::of_fields(&[]));
        let mut columns: Vec<Column> = names.iter().map(column).collect();
        split(&mut columns);
        columns.iter().map(|column| column.path.join("/")).collect()
    }

    #[test]
    fn only_complete_lists_are_divided() {
        assert_eq!(paths(&["x.0", "x.1", "y"]), ["x/0", "x/1", "y"]);
        assert_eq!(paths(&["0", "1", "2"]), ["0", "1", "2"]);
        assert_eq!(
            paths(&["m.0.0", "m.0.1", "m.1.0", "m.1.1"]),
            ["m/0/0", "m/0/1", "m/1/0", "m/1/1"]
        );
        for names in [
            &["x", "x.1"][..],
            &["x", "x.0", "x.1"],
            &["x.1", "x.0"],
            &["x.0", "x.2"],
            &["x.00", "x.01"],
            &["Sepal.Length", "Sepal.Width"],
        ] {
            assert_eq!(paths(names), names);
        }
    }
}
