//! The header of a record, taken apart by a parser of this one shape of text.

/// What one wants to know of a field.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: u8,
    pub(crate) size: usize,
    pub(crate) offset: usize,
}

/// The fields of `{'descr': [('name', '<f4'), …], …}`.
pub(crate) fn fields(file: &[u8]) -> Vec<Field> {
    let text = &file[10..super::data_start(file)];
    let list = text.iter().position(|&byte| byte == b'[').unwrap();
    let mut rest = &text[list + 1..];
    let mut fields = Vec::new();
    let mut offset = 0;
    while let [b'(', b'\'', name @ ..] = rest {
        let end = name.iter().position(|&byte| byte == b'\'').unwrap();
        let [b'\'', b',', b' ', b'\'', _, kind, digits @ ..] = &name[end..] else {
            panic!("not of this shape")
        };
        let mut size = 0;
        let mut used = 0;
        while digits[used].is_ascii_digit() {
            size = size * 10 + usize::from(digits[used] - b'0');
            used += 1;
        }
        let name = String::from_utf8(name[..end].to_vec()).unwrap();
        fields.push(Field { name, kind: *kind, size, offset });
        offset += size;
        rest = digits[used..].strip_prefix(b"')").unwrap();
        rest = rest.strip_prefix(b", ").unwrap_or(rest);
    }
    fields
}
