//! Commands of a shell that copy a text with other lines, or with other numbers, where no option reads it as it is.

use std::path::Path;

use crate::{remote, shell};

/// Returns the command that makes a copy of a file by another program, which reads the file or standard input. `effect` says what the copy differs in.
pub(super) fn advice(file: &str, program: &str, effect: &str) -> String {
    let path = Path::new(file);
    // Others are standard input, or not on this machine.
    let Some(extension) = remote::extension(path).filter(|_| path.is_file()) else {
        return format!("{program} before npy {effect}");
    };
    let copy = shell::new_output(Path::new(&format!("rows.{extension}")));
    format!("{program} < {} > {copy} {effect}", shell::path(path))
}

/// Returns the command that writes numbers such as `text`, which has a comma, with a point.
pub(super) fn with_points(file: &str, text: &str, delimiter: u8) -> String {
    let digits = text.trim().trim_start_matches(['-', '+']);
    let mut groups = digits.split(',');
    let is_first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()));
    let are_thousands = is_first
        && groups.all(|group| group.split('.').next().is_some_and(|group| group.len() == 3));
    let has_point_first =
        matches!((digits.find('.'), digits.find(',')), (Some(point), Some(comma)) if point < comma);
    let (program, effect) = match (delimiter, are_thousands) {
        (b',', _) if has_point_first => return String::new(),
        _ if has_point_first => {
            (r"sed -e 's/\.//g' -e 's/,/./g'", "writes them so if the points separate thousands")
        }
        // Such numbers are in quotes.
        (b',', true) => (
            r#"sed -E -e ':a' -e 's/("-?[0-9]+),([0-9]{3})/\1\2/' -e 'ta'"#,
            "writes them so if the commas separate thousands",
        ),
        (b',', false) => (r#"sed -E 's/"(-?[0-9]+),([0-9]+)"/\1.\2/g'"#, "writes them so"),
        (_, true) => ("tr -d ,", "writes them so if the commas separate thousands"),
        (_, false) => ("tr , .", "writes them so"),
    };
    format!("; {}", advice(file, program, effect))
}
