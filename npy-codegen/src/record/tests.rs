//! Tests of the code for each kind of dtype.

use super::*;

fn rust(dtype: &str) -> String {
    record(&dtype.parse().unwrap(), "Trace").text
}

/// Returns the lines of the code that have this text.
fn lines(dtype: &str, with: &str) -> Vec<String> {
    let code = rust(dtype);
    code.lines().filter(|line| line.contains(with)).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn other_dtypes_than_records_become_an_alias() {
    for (dtype, ty) in [
        ("<f8", "f64"),
        ("|b1", "bool"),
        (">U3", "npy_core::FixedStr<3>"),
        ("<M8", "npy_core::DateTime64<npy_core::time::Generic>"),
        ("<m8[25s]", "npy_core::TimeDelta64<npy_core::time::Times<25, npy_core::time::Second>>"),
        ("('<f4', (2, 3))", "[[f32; 3]; 2]"),
        ("('<f4', (5000,))", "Box<[f32; 5000]>"),
        ("|O", "npy_core::Objects"),
    ] {
        let expected = format!("/// One item of the array.\npub type Trace = {ty};\n");
        assert_eq!(rust(dtype), expected);
    }
}

/// Guards that the layout of C is recognized, also of nested records, and any other is stated.
#[test]
fn layouts_are_stated_in_the_shortest_way() {
    let npy = |dtype: &str| lines(dtype, "#[npy");
    assert_eq!(npy("[('a', '|u1'), ('b', '<f8')]"), [""; 0]);
    assert_eq!(npy("[('a', '|u1'), ('', '|V7'), ('b', '<f8')]"), ["#[npy(align)]"]);
    assert_eq!(npy("[('b', '<f8'), ('a', '|u1'), ('', '|V7')]"), ["#[npy(align)]"]);
    assert_eq!(
        npy("[('', '|V1'), ('a', '|u1'), ('b', '<f8'), ('', '|V3')]"),
        ["#[npy(itemsize = 13)]", "#[npy(offset = 1)]"]
    );
    let nested = "[('a', '|u1'), ('', '|V7'), ('n', [('x', '|u1'), ('', '|V7'), ('y', '<f8')])]";
    assert_eq!(npy(nested), ["#[npy(align)]", "#[npy(align)]"]);
    // The nested record has no padding, so its struct has no alignment.
    let packed = "[('a', '|u1'), ('', '|V7'), ('n', [('y', '<f8')])]";
    assert_eq!(npy(packed), ["#[npy(offset = 8)]"]);
}

#[test]
fn byte_orders_are_stated_once() {
    let npy = |dtype: &str| lines(dtype, "endian");
    assert_eq!(
        npy("[('a', '>u2'), ('s', '|S3'), ('b', '>f8', (2,))]"),
        ["#[npy(endian = \"big\")]"]
    );
    assert_eq!(npy("[('a', '<u2'), ('b', '>f8')]"), ["#[npy(endian = \"big\")]"]);
    assert_eq!(npy("[('a', '>V2')]"), ["#[npy(endian = \"big\")]"]);
    assert_eq!(npy("[('a', '>V1')]"), [""; 0]);
    let inherited = "[('a', '>u2'), ('n', [('b', '>f8')])]";
    assert_eq!(npy(inherited), ["#[npy(endian = \"big\")]"]);
    let other = "[('a', '>u2'), ('n', [('b', '<f8'), ('c', '>f8')])]";
    let little = "#[npy(endian = \"little\")]";
    assert_eq!(npy(other), ["#[npy(endian = \"big\")]", little, "#[npy(endian = \"big\")]"]);
}

#[test]
fn equal_nested_records_share_a_struct() {
    let code = rust("[('a', [('x', '<f4')]), ('b', [('x', '<f4')], (2,)), ('A', [('y', '<f4')])]");
    assert_eq!(code.matches("struct").count(), 3, "{code}");
    assert!(code.contains("pub a: TraceA,\n    pub b: [TraceA; 2],"), "{code}");
    assert!(code.contains("pub struct TraceA2 {"), "{code}");
}

#[test]
fn text_has_its_width_and_titles_stay() {
    assert_eq!(lines("[('a', '<U5')]", "npy("), ["#[npy(width = 5)]"]);
    assert_eq!(lines("[('a', '<U5')]", "pub a"), ["pub a: String,"]);
    assert_eq!(lines("[('a', '<U0')]", "pub a"), ["pub a: npy_core::FixedStr<0>,"]);
    assert_eq!(lines("[('a', '<U5', (2,))]", "pub a"), ["pub a: [npy_core::FixedStr<5>; 2],"]);
    assert_eq!(lines("[(('T \"x\"', 'a'), '<f4')]", "npy("), [r#"#[npy(title = "T \"x\"")]"#]);
}

/// Guards that what a file can say and a struct cannot is in a comment, and not left out silently.
#[test]
fn differences_are_in_comments() {
    for dtype in [
        "[('a', '<f12')]",
        "[('a', '<c24', (2,))]",
        "[('a', ('<f8', (5,)), (2,))]",
        "[((5, 'a'), '<i4')]",
    ] {
        assert_eq!(lines(dtype, "// Differs").len(), 1, "{dtype}");
    }
    assert_eq!(lines("[('\\ud800', '<f4'), ('b', '<f4')]", "// Left out: ").len(), 1);
    // The derive refuses records without fields, as NumPy does items without bytes.
    assert_eq!(lines("[('', '|V8')]", "// Differs: a record without fields").len(), 1);
    assert_eq!(lines("[('a', []), ('b', '<f4')]", "// Left out: ").len(), 1);
    // Each 12 bytes are 16 in Rust, so the offsets of the file do not hold.
    assert_eq!(lines("[('a', '<f12'), ('', '|V4'), ('b', '<f4')]", "offset"), [""; 0]);
}

/// Guards against code in the names of a file.
#[test]
fn no_name_of_a_file_gets_out_of_its_literal() {
    let dtype = r#"[('a\n*/ pub fn x() {} //\u202e', '<f4'), (('"\n}\\', 'b'), '<f4')]"#;
    let code = rust(dtype);
    assert!(code.contains(r#"rename = "a\n*/ pub fn x() {} //\u{202e}""#), "{code}");
    assert!(code.contains(r#"title = "\"\n}\\""#), "{code}");
    assert_eq!(code.lines().count(), 8, "{code}");
}

#[test]
fn records_with_python_objects_are_for_serde() {
    let code = rust("[('Name', '|O'), ('n', [('x', '<f2', (2,))]), ('t', '<M8[us]')]");
    assert_eq!(code.matches("#[derive(serde::Deserialize, Debug, Clone, PartialEq)]").count(), 2);
    assert!(code.contains("#[serde(rename = \"Name\")]\n    pub name: Option<String>,"), "{code}");
    assert!(code.contains("pub x: Vec<f32>,"), "{code}");
}

/// Guards the size of the code for deep records with long names.
#[test]
fn names_of_deep_records_do_not_grow_without_bound() {
    let open = format!("[('{}', ", "x".repeat(5000));
    let deep = format!("{}'|u1'{}", open.repeat(90), ")]".repeat(90));
    assert!(rust(&deep).len() < 2_000_000);
}

/// Guards the time: the alignment of each nested record is that of the records in it.
#[test]
fn deep_records_take_time_in_proportion_to_their_depth() {
    let open = "[('a', '|u1'), ('', '|V7'), ('n', ".repeat(60);
    let code = rust(&format!("{open}'<f8'{}", ")]".repeat(60)));
    assert_eq!(code.matches("#[repr(C)]").count(), 60);
}

/// Guards that a need is found wherever the type is, and is in the list once.
#[test]
fn needs_are_those_of_the_types() {
    let needs = |dtype: &str| record(&dtype.parse().unwrap(), "Trace").needs;
    assert_eq!(needs("[('a', '<f4'), ('half::', '<f12')]"), []);
    assert_eq!(needs("<f2"), [Need::Half]);
    assert_eq!(needs("('<V2', (2,))"), [Need::Half]);
    let both = "[('a', '<c8', (2,)), ('n', [('x', '<f2'), ('y', '<c16')])]";
    assert_eq!(needs(both), [Need::Half, Need::NumComplex]);
    assert_eq!(needs("|O"), []);
    assert_eq!(needs("[('a', '|O'), ('b', '<f2'), ('c', '<c8')]"), [Need::Serde]);
    // Such a field is left out.
    assert_eq!(needs("[('a', '<f4'), ('\\ud800', '<f2')]"), []);
}
