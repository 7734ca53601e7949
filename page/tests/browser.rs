//! The page in a real browser, which has no network. Only `cargo xtask slow` turns on the feature `browser`; it builds the page and names the
//! browser.

#[path = "browser/devtools.rs"]
mod devtools;
#[path = "browser/files.rs"]
mod files;

use std::path::Path;

use devtools::Browser;
use npy_core::{NpyArray, NpyRecord, Order, WriteOptions, npz};
use tempfile::TempDir;

/// The page in a browser, and a folder for files.
struct Page {
    browser: Browser,
    dir: TempDir,
}

impl Page {
    fn open() -> Self {
        let Some(page) = std::env::var_os("NPY_PAGE") else {
            panic!("NPY_PAGE names no page: `cargo xtask slow` builds it and runs this")
        };
        let dir = tempfile::tempdir().unwrap();
        let mut browser = Browser::start(&dir.path().join("profile"));
        browser.open(&format!("file://{}", Path::new(&page).display()));
        browser.wait("document.body?.dataset.state === 'ready'");
        Page { browser, dir }
    }

    /// Chooses a file with these bytes, as a user does, and waits until it is shown. Returns the text of the page.
    fn show(&mut self, name: &str, bytes: &[u8]) -> String {
        std::fs::write(self.dir.path().join(name), bytes).unwrap();
        self.show_file(name)
    }

    fn show_file(&mut self, name: &str) -> String {
        self.browser.eval("document.body.dataset.state = ''");
        let path = self.dir.path().join(name);
        self.browser.choose("#file", &path);
        self.wait();
        self.text()
    }

    fn wait(&mut self) {
        self.browser.wait("document.body.dataset.state === 'done'");
    }

    /// Returns the text that a reader of the page sees.
    fn text(&mut self) -> String {
        let text = self.browser.eval("document.querySelector('main').innerText");
        // Cells are separated by tabs, and their number of spaces is a matter of looks.
        text.replace('\t', "|")
    }

    /// Writes a picture of the page, if `NPY_PICTURES` names a folder.
    fn picture(&mut self, name: &str) {
        if let Some(folder) = std::env::var_os("NPY_PICTURES") {
            self.browser.picture(&Path::new(&folder).join(format!("{name}.png")));
        }
    }
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[derive(NpyRecord)]
struct Sample {
    time: f64,
    gain: f32,
    #[npy(title = "the place")]
    position: Position,
    values: [i16; 3],
}

#[derive(NpyRecord)]
struct Position {
    x: u8,
    y: u8,
}

fn samples() -> Vec<Sample> {
    let sample = |i: u16| Sample {
        time: f64::from(i) / 2.0,
        gain: f32::from(i).sin(),
        position: Position { x: (i % 7) as u8, y: 1 },
        values: [1, 2, i as i16],
    };
    (0..300).map(sample).collect()
}

/// Guards that header, fields, rows, picture and struct of an array of records are shown, and that other rows are found.
#[test]
fn records_are_shown_with_fields_rows_picture_and_struct() {
    let mut page = Page::open();
    page.picture("empty");
    let text = page.show("trace.npy", &files::npy(&samples()));
    has(
        &text,
        &[
            "(300,)",
            "record of 20 bytes",
            "6,000 bytes, 20 for each element",
            "0|time||<f8|8",
            "12|position|the place|record of 2 bytes|2",
            "13|  y||",
            "14|values||<i2 × (3,)|6",
            "row|time|gain|position.x|position.y|values",
            "3|1.5|0.14112|3|1|[1, 2, 3]",
            "Rows 0 to 19 of 300.",
            "pub struct Trace {",
        ],
    );
    page.picture("records");
    page.browser.eval("document.querySelector('#last').click()");
    page.browser.wait("document.querySelector('#rows .note').textContent.startsWith('Rows 280 ')");
    has(&page.text(), &["299|149.5|"]);
    page.browser.eval("document.querySelector('#from').value = 100; document.querySelector('#rows form').requestSubmit()");
    page.browser.wait("document.querySelector('#rows .note').textContent.startsWith('Rows 100 ')");
    has(&page.text(), &["100|50.0|"]);
    let line = "document.querySelector('#plot svg .line').getAttribute('d')";
    let first = page.browser.eval(line);
    assert!(first.matches('L').count() >= 299, "{first}");
    page.browser.eval("const c = document.querySelector('#column'); c.value = 1; c.onchange()");
    page.browser.wait(&format!("{line} !== {first:?}"));
}

/// Guards that text from a file is shown as text, and that the page can reach nothing outside.
#[test]
fn names_are_no_elements_and_nothing_leaves_the_page() {
    let mut page = Page::open();
    let name = "<img src=x onerror=\"document.title='run'\">";
    let mut writer = npz::Writer::new(std::io::Cursor::new(Vec::new())).unwrap();
    writer.write(name, &[1u8]).unwrap();
    let text = page.show("x.npz", &writer.finish().unwrap().into_inner());
    has(&text, &[name]);
    assert_eq!(page.browser.eval("String(document.querySelectorAll('img').length)"), "0");
    let blocked = page.browser.eval(
        "new Promise((done) => { addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective)); fetch('http://127.0.0.1:9/').catch(() => {}) }).then(String)",
    );
    assert_eq!(blocked, "connect-src");
}

/// Guards archives: stored and compressed members, and those that are not arrays.
#[test]
fn members_are_listed_and_opened() {
    let mut page = Page::open();
    for is_stored in [true, false] {
        let mut options = npz::WriteOptions::new();
        if is_stored {
            options.stored();
        } else {
            options.deflate(6);
        }
        let mut writer = options.writer(std::io::Cursor::new(Vec::new())).unwrap();
        let matrix: Vec<f64> = (0..50_000).map(f64::from).collect();
        let matrix = NpyArray::with_order(matrix, [10_000, 5], Order::Fortran).unwrap();
        writer.write("matrix", &matrix).unwrap();
        writer.write("samples", &samples()).unwrap();
        writer.write("scalar", &2.5f32).unwrap();
        let archive = writer.finish().unwrap().into_inner();
        let text = page.show("model.npz", &archive);
        has(
            &text,
            &[
                "matrix|<f8|(10000, 5)|400,000",
                "samples|record of 20 bytes|(300,)|6,000",
                "pub struct Model",
            ],
        );
        page.picture("archive");
        let open = |page: &mut Page, index: usize| {
            page.browser.eval(&format!(
                "document.body.dataset.state = ''; document.querySelectorAll('#members button')[{index}].click()"
            ));
            page.wait();
            page.text()
        };
        let text = open(&mut page, 0);
        has(
            &text,
            &[
                "Fortran (columns are contiguous)",
                "row|[0]|[1]|[2]|[3]|[4]",
                "2|2.0|10002.0|20002.0|30002.0|40002.0",
            ],
        );
        has(&open(&mut page, 1), &["position.x", "Rows 0 to 19 of 300."]);
        has(&open(&mut page, 2), &["()", "row|value\n0|2.5", "Rows 0 to 0 of 1."]);
    }
}

/// Guards that the names that Python would import are listed, and the objects printed.
#[test]
fn objects_are_shown_with_what_python_would_import() {
    let mut page = Page::open();
    let values = vec![Some("one".to_owned()), None];
    let mut file = Vec::new();
    WriteOptions::new().objects(true).write_to(&mut file, &values).unwrap();
    let text = page.show("objects.npy", &file);
    has(&text, &["a pickle", "_reconstruct", "0|text|'one'", "What Python would import"]);
    page.picture("objects");
}

/// Guards that a file that is damaged, truncated or of another kind is an error that a reader understands, and that the next one is shown.
#[test]
fn errors_are_readable_and_the_page_goes_on() {
    let mut page = Page::open();
    has(&page.show("x.npy", b"a,b\n1,2\n"), &["not a .npy file"]);
    has(&page.show("empty.npy", b""), &["not a .npy file"]);
    has(
        &page.show("cut.npz", b"PK\x03\x04 and no directory"),
        &["the archive is malformed: it has no end record"],
    );
    let mut file = files::npy(&samples());
    file.truncate(1000);
    has(
        &page.show("short.npy", &file),
        &["(300,)", "time||<f8", "19|9.5|", "Rows 0 to 19 of 300."],
    );
    page.browser.eval("document.querySelector('#last').click()");
    page.browser.wait("!document.querySelector('#problem').hidden");
    has(&page.text(), &["truncated: expected"]);
    // A header that claims more than any memory has.
    let huge = files::header("{'descr': '<f8', 'fortran_order': False, 'shape': (4000000000,), }");
    has(&page.show("huge.npy", &huge), &["(4000000000,)", "truncated"]);
    has(&page.show("good.npy", &files::npy(&[1u8, 2])), &["0|1\n1|2", "Rows 0 to 1 of 2."]);
    assert_eq!(page.browser.eval("String(document.querySelector('#problem').hidden)"), "true");
}

/// Guards that a file is dropped as it is chosen.
#[test]
fn a_dropped_file_is_shown() {
    let mut page = Page::open();
    let bytes: Vec<String> = files::npy(&[7u8]).iter().map(u8::to_string).collect();
    let bytes = bytes.join(",");
    page.browser.eval(&format!(
        "const data = new DataTransfer(); data.items.add(new File([new Uint8Array([{bytes}])], 'd.npy'));
         document.body.dataset.state = ''; document.querySelector('h1').dispatchEvent(new DragEvent('drop', {{ dataTransfer: data, bubbles: true, cancelable: true }})); ''"
    ));
    page.wait();
    has(&page.text(), &["d.npy", "0|7\n"]);
}

/// Guards that the time until the first rows are seen does not depend on the size of a file. The bound is ten times what it takes, because
/// the machine may be busy.
#[test]
fn the_first_rows_of_a_large_file_are_there_at_once() {
    let mut page = Page::open();
    let header = files::header(
        "{'descr': [('time', '<f8'), ('gain', '<f8')], 'fortran_order': False, 'shape': (134217728,), }",
    );
    let file = std::fs::File::create(page.dir.path().join("large.npy")).unwrap();
    std::io::Write::write_all(&mut &file, &header).unwrap();
    file.set_len(header.len() as u64 + (2 << 30)).unwrap();
    let mut times = Vec::new();
    for _ in 0..3 {
        let text = page.show_file("large.npy");
        has(
            &text,
            &[
                "(134217728,)",
                "2,147,483,648 bytes",
                "0|0.0|0.0",
                "Rows 0 to 19 of 134,217,728.",
                "the first ones were read",
            ],
        );
        let time = page.browser.eval("document.body.dataset.firstRows");
        times.push(time.parse::<f64>().unwrap());
    }
    page.picture("large");
    println!("the first rows of 2 GiB after {times:?} ms");
    assert!(times.iter().copied().fold(f64::MAX, f64::min) < 1000.0, "{times:?}");
}
