//! Parses the header of a record, with a parser for just the Python literals that such a header has.

/// A field of the record.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: char,
    pub(crate) size: usize,
    pub(crate) offset: usize,
}

/// The fields of `{'descr': [('name', '<f4'), …], 'fortran_order': False, 'shape': (1,), }`.
pub(crate) fn fields(file: &[u8]) -> Vec<Field> {
    let text = std::str::from_utf8(&file[10..super::data_start(file)]).unwrap();
    let mut text = Text(text.chars().peekable());
    let mut fields = Vec::new();
    text.expect('{');
    while !text.takes('}') {
        let key = text.string();
        text.expect(':');
        match key.as_str() {
            "descr" => fields = text.descr(),
            "fortran_order" => assert_eq!(text.word(), "False"),
            "shape" => assert_eq!(text.shape().len(), 1),
            _ => panic!("{key}?"),
        }
        text.takes(',');
    }
    fields
}

struct Text<'a>(std::iter::Peekable<std::str::Chars<'a>>);

impl Text<'_> {
    /// Skips this character if it comes next; returns true if it did.
    fn takes(&mut self, char: char) -> bool {
        while self.0.next_if_eq(&' ').is_some() {}
        self.0.next_if_eq(&char).is_some()
    }

    fn expect(&mut self, char: char) {
        assert!(self.takes(char), "{char}?");
    }

    fn string(&mut self) -> String {
        self.expect('\'');
        let mut string = String::new();
        loop {
            match self.0.next() {
                Some('\'') => return string,
                Some('\\') | None => panic!("not by hand"),
                Some(char) => string.push(char),
            }
        }
    }

    fn word(&mut self) -> String {
        while self.0.next_if_eq(&' ').is_some() {}
        let mut word = String::new();
        while let Some(char) = self.0.next_if(char::is_ascii_alphanumeric) {
            word.push(char);
        }
        word
    }

    fn shape(&mut self) -> Vec<usize> {
        let mut shape = Vec::new();
        self.expect('(');
        while !self.takes(')') {
            shape.push(self.word().parse().unwrap());
            self.takes(',');
        }
        shape
    }

    fn descr(&mut self) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut offset = 0;
        self.expect('[');
        while !self.takes(']') {
            self.expect('(');
            let name = self.string();
            self.expect(',');
            let of = self.string();
            self.expect(')');
            self.takes(',');
            let kind = of.chars().nth(1).unwrap();
            let size = of[2..].parse().unwrap();
            fields.push(Field { name, kind, size, offset });
            offset += size;
        }
        fields
    }
}
