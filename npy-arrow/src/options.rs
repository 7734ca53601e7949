//! Choices where a dtype has more than one Arrow type.

use npy_core::Float8Format;

/// The names that ml_dtypes has for numbers of one byte.
const FLOAT8: [(&str, Float8Format); 11] = [
    ("float8_e3m4", Float8Format::E3M4),
    ("float8_e4m3", Float8Format::E4M3),
    ("float8_e4m3fn", Float8Format::E4M3Fn),
    ("float8_e4m3fnuz", Float8Format::E4M3Fnuz),
    ("float8_e4m3b11fnuz", Float8Format::E4M3B11Fnuz),
    ("float8_e5m2", Float8Format::E5M2),
    ("float8_e5m2fnuz", Float8Format::E5M2Fnuz),
    ("float8_e8m0fnu", Float8Format::E8M0Fnu),
    ("float6_e2m3fn", Float8Format::Float6E2M3Fn),
    ("float6_e3m2fn", Float8Format::Float6E3M2Fn),
    ("float4_e2m1fn", Float8Format::Float4E2M1Fn),
];

/// Choices where a dtype has more than one Arrow type, and where Arrow has values that NumPy lacks.
///
/// ```
/// use npy_arrow::Options;
/// use npy_arrow::arrow_schema::DataType;
///
/// let dtype = "[('station', '|S4')]".parse()?;
/// let schema = npy_arrow::schema(&dtype, &Options::new())?;
/// assert_eq!(schema.field(0).data_type(), &DataType::Binary);
///
/// let schema = npy_arrow::schema(&dtype, Options::new().text_from_bytes(true))?;
/// assert_eq!(schema.field(0).data_type(), &DataType::Utf8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub(crate) text_from_bytes: bool,
    pub(crate) complex_as_struct: bool,
    pub(crate) long_double_as_f64: bool,
    pub(crate) bfloat16: bool,
    pub(crate) float8: Option<Float8Format>,
    pub(crate) fill_nulls: bool,
    pub(crate) objects: bool,
}

impl Options {
    /// Creates options that change nothing: each one is off.
    ///
    /// ```
    /// use npy_arrow::Options;
    ///
    /// assert_eq!(Options::new().names().count(), 0);
    /// ```
    pub fn new() -> Self {
        Options::default()
    }

    /// Byte strings (`S`) become `Utf8` and not `Binary`. A value that is not UTF-8 is an error.
    ///
    /// ```
    /// use npy_arrow::Options;
    ///
    /// use arrow_schema::DataType;
    /// let mut options = Options::new();
    /// options.text_from_bytes(true);
    /// let schema = npy_arrow::schema(&"[('station', 'S4')]".parse()?, &options)?;
    /// assert_eq!(schema.field(0).data_type(), &DataType::Utf8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn text_from_bytes(&mut self, on: bool) -> &mut Self {
        self.text_from_bytes = on;
        self
    }

    /// Complex numbers become `Struct { re, im }` and not a `FixedSizeList` of two floats.
    ///
    /// ```
    /// use npy_arrow::Options;
    ///
    /// let mut options = Options::new();
    /// options.complex_as_struct(true);
    /// let schema = npy_arrow::schema(&"[('z', '<c16')]".parse()?, &options)?;
    /// assert!(schema.field(0).data_type().to_string().starts_with("Struct"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn complex_as_struct(&mut self, on: bool) -> &mut Self {
        self.complex_as_struct = on;
        self
    }

    /// Long doubles (`f16`, `f12`) become `Float64`, rounded to its precision, and not `FixedSizeBinary`.
    ///
    /// ```
    /// use npy_arrow::Options;
    ///
    /// use arrow_schema::DataType;
    /// let mut options = Options::new();
    /// options.long_double_as_f64(true);
    /// let schema = npy_arrow::schema(&"[('x', '<f16')]".parse()?, &options)?;
    /// assert_eq!(schema.field(0).data_type(), &DataType::Float64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn long_double_as_f64(&mut self, on: bool) -> &mut Self {
        self.long_double_as_f64 = on;
        self
    }

    /// Two raw bytes (`V2`) are bfloat16 of ml_dtypes, and become `Float32`. Without it only `<V2` and `>V2` are, which nothing else writes.
    ///
    /// ```
    /// use npy_arrow::Options;
    ///
    /// use arrow_schema::DataType;
    /// let mut options = Options::new();
    /// options.bfloat16(true);
    /// let schema = npy_arrow::schema(&"[('w', '|V2')]".parse()?, &options)?;
    /// assert_eq!(schema.field(0).data_type(), &DataType::Float32);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bfloat16(&mut self, on: bool) -> &mut Self {
        self.bfloat16 = on;
        self
    }

    /// One raw byte (`V1`) is a number of ml_dtypes in this format, and becomes `Float32`, which has each of them exactly. The way back is `<f4`.
    ///
    /// ```
    /// use npy_arrow::Options;
    /// use npy_arrow::arrow_schema::DataType;
    /// use npy_core::Float8Format;
    ///
    /// let mut options = Options::new();
    /// options.float8(Some(Float8Format::E4M3Fn));
    /// let schema = npy_arrow::schema(&"[('w', '|V1')]".parse()?, &options)?;
    /// assert_eq!(schema.field(0).data_type(), &DataType::Float32);
    /// assert!(options.names().eq(["float8_e4m3fn"]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn float8(&mut self, format: Option<Float8Format>) -> &mut Self {
        self.float8 = format;
        self
    }

    /// Returns the names of options that say which numbers of ml_dtypes raw bytes are.
    ///
    /// ```
    /// assert!(npy_arrow::Options::of_raw_bytes().any(|name| name == "float8_e5m2"));
    /// ```
    pub fn of_raw_bytes() -> impl Iterator<Item = &'static str> {
        ["bfloat16"].into_iter().chain(FLOAT8.iter().map(|(name, _)| *name))
    }

    /// A null becomes zero, `false` or an empty text if the dtype has no missing value; otherwise it is an error.
    ///
    /// Floats and times need no such value: a null becomes NaN or NaT.
    ///
    /// ```
    /// use npy_arrow::Options;
    ///
    /// let mut options = Options::new();
    /// options.fill_nulls(true);
    /// assert!(options.names().eq(["fill_nulls"]));
    /// ```
    pub fn fill_nulls(&mut self, on: bool) -> &mut Self {
        self.fill_nulls = on;
        self
    }

    /// Text with nulls becomes an array of Python objects, where a null is `None`: for [`column`](crate::column()) and members of archives.
    ///
    /// ```
    /// use npy_arrow::Options;
    ///
    /// let mut options = Options::new();
    /// options.objects(true);
    /// assert!(options.names().eq(["objects"]));
    /// ```
    pub fn objects(&mut self, on: bool) -> &mut Self {
        self.objects = on;
        self
    }

    /// Returns the names of the options that are on, which are those of the methods. With [`set`](Self::set), options go to other processes.
    ///
    /// ```
    /// use npy_arrow::Options;
    ///
    /// let mut options = Options::new();
    /// options.bfloat16(true);
    /// assert!(options.names().eq(["bfloat16"]));
    ///
    /// let mut same = Options::new();
    /// assert!(options.names().all(|name| same.set(name, true)));
    /// assert_eq!(same, options);
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let all = [
            ("text_from_bytes", self.text_from_bytes),
            ("complex_as_struct", self.complex_as_struct),
            ("long_double_as_f64", self.long_double_as_f64),
            ("bfloat16", self.bfloat16),
            ("fill_nulls", self.fill_nulls),
            ("objects", self.objects),
        ];
        let float8 = FLOAT8.iter().find(|(_, format)| self.float8 == Some(*format));
        let float8 = float8.map(|(name, _)| *name);
        all.into_iter().filter_map(|(name, on)| on.then_some(name)).chain(float8)
    }

    /// Turns the option of this name on or off; returns false if there is no such option.
    ///
    /// ```
    /// use npy_arrow::Options;
    ///
    /// let mut options = Options::new();
    /// assert!(options.set("bfloat16", true));
    /// assert!(!options.set("float16", true));
    /// ```
    pub fn set(&mut self, name: &str, on: bool) -> bool {
        match name {
            "text_from_bytes" => self.text_from_bytes = on,
            "complex_as_struct" => self.complex_as_struct = on,
            "long_double_as_f64" => self.long_double_as_f64 = on,
            "bfloat16" => self.bfloat16 = on,
            "fill_nulls" => self.fill_nulls = on,
            "objects" => self.objects = on,
            _ => match FLOAT8.iter().find(|(other, _)| *other == name) {
                Some((_, format)) if on => self.float8 = Some(*format),
                Some((_, format)) if self.float8 == Some(*format) => self.float8 = None,
                Some(_) => {}
                None => return false,
            },
        }
        true
    }
}
