//! Finds the part of a record at a path: a field, or an element of a sub-array.

use crate::checked;
use crate::dtype::{DType, Field};

/// Returns the dtype and the offset of the field at a path (`"head.gain"`).
pub(crate) fn field_at<'d>(fields: &'d [Field], path: &str) -> Option<(&'d DType, usize)> {
    if let Some(field) = fields.iter().find(|field| field.name() == path) {
        return Some((field.dtype(), field.offset()));
    }
    // A name may contain dots.
    path.match_indices('.').find_map(|(dot, _)| {
        let (name, rest) = (path.get(..dot)?, path.get(checked::add(dot, 1)..)?);
        let field = fields.iter().find(|field| field.name() == name)?;
        let (dtype, offset) = field_at(field.dtype().fields(), rest)?;
        Some((dtype, checked::add(field.offset(), offset)))
    })
}

/// Returns the dtype and the offset of the part at a path: `"head.gain"`, `"samples[3]"`, `"grid[1][2]"`, `"axes[0].gain"`.
pub(crate) fn part_at(fields: &[Field], path: &str) -> Option<(DType, usize)> {
    if let Some((field, offset)) = field_at(fields, path) {
        return Some((field.clone(), offset));
    }
    // A name may contain brackets.
    path.match_indices('[').find_map(|(bracket, _)| {
        let (name, rest) = path.split_at_checked(bracket)?;
        let (field, offset) = field_at(fields, name)?;
        let (part, within) = part_of(field, rest)?;
        Some((part, checked::add(offset, within)))
    })
}

/// Returns the part of `dtype` at the rest of a path, such as `"[3]"` or `"[0].gain"`. Each bracket is an index along one dimension.
fn part_of(dtype: &DType, rest: &str) -> Option<(DType, usize)> {
    if rest.is_empty() {
        return Some((dtype.clone(), 0));
    }
    if let Some(path) = rest.strip_prefix('.') {
        return part_at(dtype.fields(), path);
    }
    let (index, rest) = rest.strip_prefix('[')?.split_once(']')?;
    let digits = index.bytes().all(|byte| byte.is_ascii_digit());
    let index: usize = index.parse().ok().filter(|_| digits)?;
    let (base, shape) = dtype.sub_array()?;
    let (&count, inner) = shape.split_first()?;
    let item = inner.iter().rev().fold(base.clone(), |item, &n| item.repeated(n));
    let start = index.checked_mul(item.itemsize()).filter(|_| index < count)?;
    let (part, within) = part_of(&item, rest)?;
    Some((part, checked::add(start, within)))
}

#[cfg(test)]
mod tests {
    use super::part_at;
    use crate::dtype::DType;

    #[test]
    fn brackets_lead_into_sub_arrays() {
        let record: DType = "[('a', '|u1'), ('s', '<f4', (3,)), ('g', '<i2', (2, 3)), \
             ('r', [('x', '<f8'), ('y', '|u1', (2,))], (2,)), ('z[0]', '|i1'), ('n', ('|u1', (2,)), (3,)), \
             ('h', [('v', '<u2', (2,))]), ('e', '<f4', (0,))]"
            .parse()
            .unwrap();
        let part = |path: &str| {
            let (dtype, offset) = part_at(record.fields(), path)?;
            Some((dtype.descr(), offset))
        };
        let is = |descr: &str, offset| Some((descr.to_owned(), offset));
        assert_eq!(part("a"), is("'|u1'", 0));
        assert_eq!(part("s[0]"), is("'<f4'", 1));
        assert_eq!(part("s[2]"), is("'<f4'", 9));
        assert_eq!(part("g[1]"), is("('<i2', (3,))", 19));
        assert_eq!(part("g[1][2]"), is("'<i2'", 23));
        assert_eq!(part("r[1].x"), is("'<f8'", 35));
        assert_eq!(part("r[1].y[1]"), is("'|u1'", 44));
        assert_eq!(part("r[1]"), is("[('x', '<f8'), ('y', '|u1', (2,))]", 35));
        assert_eq!(part("z[0]"), is("'|i1'", 45));
        assert_eq!(part("n[2][1]"), is("'|u1'", 51));
        assert_eq!(part("h.v[1]"), is("'<u2'", 54));
        for path in [
            "s[3]",
            "s[-1]",
            "s[+1]",
            "s[]",
            "s[",
            "s[0",
            "s[0]x",
            "s[0][0]",
            "s[0].x",
            "a[0]",
            "[0]",
            "g[2]",
            "g[0][3]",
            "r.x",
            "r[0].",
            "e[0]",
            "s[18446744073709551616]",
            "s[18446744073709551615]",
        ] {
            assert_eq!(part(path), None, "{path}");
        }
    }
}
