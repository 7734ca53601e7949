//! Options of other programs, and what to write here.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error, Parser};

const OPTIONS: [(&[&str], &str); 9] = [
    (&["--cvs", "--cs"], "write --csv"),
    (&["--format", "--output-format"], "write --json or --csv"),
    (
        &["-o", "--output", "--out"],
        "write COPY (SELECT …) TO 'x.csv', or .npy, .npz, .json, .parquet",
    ),
    (
        &["--parquet", "--npy", "--npz"],
        "write COPY (SELECT …) TO 'x.parquet', or .npy, .npz, .csv, .json",
    ),
    (&["--jsonl", "--ndjson"], "write --json, which prints a line of JSON for each row"),
    (
        &["--tsv", "--delimiter", "--sep", "-d"],
        "write COPY (SELECT …) TO 'x.tsv' STORED AS CSV OPTIONS (delimiter E'\\t')",
    ),
    (&["--header", "--no-header"], "write COPY (SELECT …) TO 'x.csv' OPTIONS (has_header false)"),
    (&["--table", "--markdown"], "rows are printed as a table without --csv and --json"),
    (
        &["-c", "-e", "-q", "--query", "--sql"],
        "write the statement alone: npy sql 'SELECT * FROM t' x.npy",
    ),
];

/// Returns the arguments of the process, or ends it with an error that says what to write.
pub(crate) fn parse<A: Parser>() -> A {
    A::try_parse().unwrap_or_else(|error| advised::<A>(error).exit())
}

fn advised<A: CommandFactory>(error: Error) -> Error {
    let unknown = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(option))) => option,
        _ => return error,
    };
    let Some((_, instead)) = OPTIONS.iter().find(|(names, _)| names.contains(&unknown.as_str()))
    else {
        return error;
    };
    A::command()
        .error(ErrorKind::UnknownArgument, format!("there is no option {unknown}; {instead}"))
}
