//! The table of subcommands with their help.

use std::ffi::OsString;
use std::path::Path;
use std::str::FromStr;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use npy_core::npz;

use crate::commands;
use crate::output::{Failure, Result};
use crate::shell;
use crate::target::{self, Target};

/// Looks into NumPy's .npy and .npz files, converts, compares and checks them.
///
/// Without a subcommand, prints what the files hold: `npy x.npy` is `npy info x.npy`.
#[derive(Parser)]
#[command(
    name = "npy",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    after_help = FILES
)]
pub(crate) struct Npy {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    info: commands::info::Args,
}

/// The form of file arguments, for each help page.
pub(crate) const FILES: &str = "\
A file is FILE[::MEMBER][[SLICE]], with slices as in Python, or - for standard input:
  t.npy[1000:2000]   model.npz::layers/0/weights[:10,0]   -::weights
As in Python, an index leaves its dimension out, and a range keeps it: m.npy[5] has the values of a row, m.npy[5:6] is one row.
An npy that was built with the feature clouds also reads files at URLs (s3://, gs://, az://, abfs://, http://, https://), by ranges.

An output that an argument names replaces a file of that name, completely or, after an error or a signal, not at all; \
it cannot also be an input, by this or another name. With --no-clobber, an output that exists is an error. Only --force \
replaces an archive or a safetensors file whose other members would be lost, parts in a directory that is not empty (concat --target-size), and files whose names come from an archive (npz extract). append, npz align, npz rm, npz mv, npz pack --append and convert to a member (x.npz::name) change the \
file that they name.

Exit code: 0; 1 if files differ or are damaged; 2 for wrong arguments, unreadable files and outputs that are kept. A signal \
ends npy as it ends other programs: a shell says 130 after Ctrl-C.";

#[derive(Subcommand)]
enum Command {
    /// Prints shape, dtype, order, version and size; of an archive, a line for each member
    Info(commands::info::Args),
    /// Prints the first rows
    Head(commands::head::Args),
    /// Prints the last rows
    Tail(commands::head::Args),
    /// Prints rows chosen at random, in the order of the file
    Sample(commands::head::SampleArgs),
    /// Prints all rows: a table on a terminal, CSV in a pipe
    Cat(commands::cat::Args),
    /// Summarizes each column: count, missing, min, max, mean, std, distinct, histogram (of one pass: npy plot -k histogram counts exactly)
    ///
    /// The standard deviation is that of NumPy, which divides by the number of values; pandas divides by one less.
    Stats(commands::stats::Args),
    /// Compares two files: headers first, then rows; exit code 1 if they differ
    ///
    /// Another shape or dtype is a difference, also if all values are equal; another byte order, memory order or padding is none. Among Python objects, 1, 1.0 and True are equal, as in Python.
    Diff(commands::diff::Args),
    /// Reads all of a file as a strict reader does: sizes, checksums, what pickles import
    Verify(commands::verify::Args),
    /// Says what is wrong with a damaged file, and writes a repaired one
    ///
    /// Repaired are headers that NumPy does not read, sizes that are wrong, copies as text (\r\n), and archives without a directory: all that is certain.
    /// The damaged file stays as it is. A file that needs no repair says so, and OUT is not written.
    Repair(commands::repair::Args),
    /// Draws lines, histograms, heat maps, scatter plots and images: as SVG or PNG, or in the terminal
    Plot(commands::plot::Args),
    /// Writes an HTML page with the header, the first rows and pictures
    View(commands::view::Args),
    /// Prints the Rust struct that reads a file, or its np.dtype
    Struct(commands::structs::Args),
    /// Converts to another dtype, order or container, and to text
    Convert(commands::convert::Args),
    /// Joins arrays along a dimension, without --axis the first
    Concat(commands::concat::Args),
    /// Adds rows at the end of a file, in place
    Append(commands::append::Args),
    /// Lists, extracts, packs, removes and renames the members of an archive
    Npz(commands::npz::Args),
    /// Queries files with SQL, by the separate program npy-sql
    ///
    /// Each file is a table, named after its file: npy sql "SELECT station, count(*) FROM traces GROUP BY station" traces.npy
    ///
    /// Rows of a condition become a file: npy sql "COPY (SELECT * FROM traces WHERE rate > 100) TO 'fast.npy'" traces.npy
    ///
    /// Lists count from 1, and an index out of range is null: value[1] is the first value of each list.
    #[command(disable_help_flag = true)]
    Sql(commands::sql::Args),
    /// Writes the index of a directory for queries, by the separate program npy-sql
    ///
    /// Queries then read only the files and blocks of rows that they need: npy index days/ --columns time --block 65536
    #[command(disable_help_flag = true)]
    Index(commands::sql::Args),
    /// Prints the completions for a shell
    Completions(commands::completions::Completions),
    /// Prints the man page
    Man(commands::completions::Man),
}

impl Npy {
    /// Runs the command that these are the arguments of, the first of them the name of the program.
    pub(crate) fn run_with(arguments: impl IntoIterator<Item = OsString>) -> Result {
        let arguments: Vec<OsString> = arguments.into_iter().map(target::marked).collect();
        let parsed = Npy::try_parse_from(&arguments);
        let asks_for_help =
            parsed.as_ref().is_err_and(|error| error.kind() == ErrorKind::DisplayHelp);
        if parsed.is_err()
            && !asks_for_help
            && let Some(failure) = arguments.get(1..).and_then(elsewhere)
        {
            return Err(failure);
        }
        if !matches!(parsed, Ok(Npy { command: Some(_), .. }))
            && let Some(failure) =
                arguments.get(1).and_then(|word| misspelled(word.to_str()?, asks_for_help))
        {
            return Err(failure);
        }
        parsed.unwrap_or_else(|error| with_tip(error, &arguments).exit()).run()
    }

    fn run(self) -> Result {
        match self.command {
            None => self.info.run(),
            Some(Command::Info(args)) => args.run(),
            Some(Command::Head(args)) => args.head(),
            Some(Command::Tail(args)) => args.tail(),
            Some(Command::Sample(args)) => args.run(),
            Some(Command::Cat(args)) => args.run(),
            Some(Command::Stats(args)) => args.run(),
            Some(Command::Diff(args)) => args.run(),
            Some(Command::Verify(args)) => args.run(),
            Some(Command::Repair(args)) => args.run(),
            Some(Command::Plot(args)) => args.run(),
            Some(Command::View(args)) => args.run(),
            Some(Command::Struct(args)) => args.run(),
            Some(Command::Convert(args)) => args.run(),
            Some(Command::Concat(args)) => args.run(),
            Some(Command::Append(args)) => args.run(),
            Some(Command::Npz(args)) => args.run(),
            Some(Command::Sql(args)) => args.run(),
            Some(Command::Index(args)) => args.run_index(),
            Some(Command::Completions(args)) => args.run(),
            Some(Command::Man(args)) => args.run(),
        }
    }
}

/// Names the option or the value that was meant by one that other programs have: `head -3`, `extract -o DIR`, `--sep ';'`.
fn with_tip(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let words: Vec<&str> = arguments.iter().skip(1).map_while(|word| word.to_str()).collect();
    let tip = match error.kind() {
        ErrorKind::UnknownArgument => text(ContextKind::InvalidArg).and_then(|argument| {
            dash_tip(&words, &argument).or_else(|| option_tip(&words, &argument))
        }),
        ErrorKind::InvalidSubcommand => {
            text(ContextKind::InvalidSubcommand).and_then(|word| subcommand_tip(&word))
        }
        ErrorKind::InvalidValue => text(ContextKind::InvalidArg)
            .zip(text(ContextKind::InvalidValue))
            .and_then(|(argument, value)| value_tip(&argument, &value)),
        _ => None,
    };
    match tip {
        Some(tip) => {
            error.remove(ContextKind::SuggestedArg);
            error.remove(ContextKind::SuggestedValue);
            error.remove(ContextKind::SuggestedSubcommand);
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        }
        // An option is hardly ever meant as a value, which clap would advise.
        None if error.kind() == ErrorKind::UnknownArgument => {
            drop(error.remove(ContextKind::Suggested))
        }
        None => {}
    }
    error
}

/// Options of other programs for a number of rows.
const ROWS: [&str; 13] = [
    "-n",
    "-N",
    "-r",
    "--rows",
    "--head",
    "--limit",
    "--lines",
    "--nrows",
    "--count",
    "--num",
    "--top",
    "--frac",
    "--fraction",
];

/// Returns a tip about an option with one dash: `-dtype` is read as `-d`.
fn dash_tip(words: &[&str], argument: &str) -> Option<String> {
    let mut command = &Npy::command();
    while let Some(found) = words.iter().find_map(|word| command.find_subcommand(word)) {
        command = found;
    }
    let names = words.iter().filter(|word| word.starts_with(argument));
    let mut names = names.filter_map(|word| word.strip_prefix('-')?.split('=').next());
    let is_option = |name: &&str| command.get_arguments().any(|arg| arg.get_long() == Some(name));
    names.find(is_option).map(|name| format!("the option is '--{name}'"))
}

/// Returns a tip about an option that does not exist.
fn option_tip(words: &[&str], argument: &str) -> Option<String> {
    let is_columns = |word: &str| matches!(word, "-c" | "--columns");
    if let Some([option, name]) = words
        .windows(2)
        .map(|pair| [pair[0], pair[1]])
        .find(|[option, name]| is_columns(option) && name.starts_with(argument))
    {
        if name.parse::<i64>().is_ok() {
            return Some(format!(
                "columns are names, or numbers from 0 on; FILE[:,{name}] is a column of a matrix that is counted from its end, and {option}={name} a field of this name"
            ));
        }
        let name = shell::word(name.as_bytes());
        return Some(format!("a name that begins with a dash follows '=': {option}={name}"));
    }
    let option = argument.split('=').next()?;
    // Of -10, the option that does not exist is -1.
    let number = words
        .iter()
        .filter(|word| word.starts_with(option))
        .find_map(|word| word.strip_prefix('-').filter(|rest| rest.parse::<u32>().is_ok()));
    Some(match (words, option) {
        (["head" | "tail" | "sample", ..], _) if number.is_some() => {
            format!("the number of rows is '-n {}'", number.unwrap_or_default())
        }
        (["head" | "tail" | "sample", ..], rows) if rows.parse::<u32>().is_ok() => {
            format!("did you mean '-n {rows}'?")
        }
        (["head" | "tail" | "sample" | "view", ..], rows) if ROWS.contains(&rows) => {
            "the number of rows is '-n ROWS'".into()
        }
        (["diff", ..], "--rows") => "the number of differences that are printed is '-n N'".into(),
        (
            ["head" | "tail" | "sample" | "cat", ..],
            "-f" | "--format" | "--output-format" | "--to",
        ) => "the format is '--csv', '--tsv', '--json' or '--jsonl'".into(),
        (
            ["head" | "tail" | "sample" | "cat", ..],
            "-d" | "-s" | "--delimiter" | "--sep" | "--separator",
        ) => "the fields have commas between them with '--csv', and tabs with '--tsv'".into(),
        (["head" | "tail" | "sample" | "cat" | "stats", ..], "-o" | "--output" | "--out") => {
            "'npy convert FILE OUT.csv' writes a file; what is printed goes to one with > OUT".into()
        }
        (["struct" | "info" | "verify" | "diff", ..], "-o" | "--output" | "--out") => {
            "what is printed goes to a file with > OUT".into()
        }
        (["sample", ..], "--random-state" | "--random-seed") => {
            "'--seed NUMBER' chooses the same rows each time".into()
        }
        (["stats", ..], "--median" | "--quantiles" | "--quantile" | "--percentiles") => {
            "npy sql has medians and quantiles: npy sql \"SELECT median(x) FROM t\" t.npy".into()
        }
        (
            ["npz", "pack", ..],
            "--name" | "-n" | "--names" | "--key" | "-m" | "--member" | "--members",
        ) => "a member gets another name by NAME=FILE".into(),
        (["npz", ..], "-m" | "--member" | "--members") => "members are arguments after the archive".into(),
        (_, "-m" | "--member" | "--key" | "--array" | "--dataset") => {
            "a member of an archive is FILE::MEMBER".into()
        }
        (["head" | "tail" | "sample" | "stats" | "plot", archive, ..], name)
            // A pipe would wait to be written.
            if Path::new(archive).is_file()
                && npz::Reader::open(archive).is_ok_and(|members| members.contains(name)) =>
        {
            format!("a member of an archive is {}", shell::member(Path::new(archive), name))
        }
        (["head" | "tail" | "sample", ..], "--no-header") => {
            "'npy cat --csv --no-header' prints rows without names".into()
        }
        (["npz", "extract" | "unpack", ..], "-f" | "--overwrite") => {
            "'--force' replaces files that exist".into()
        }
        (
            ["npz", "extract" | "unpack", ..],
            "-o" | "--output" | "-d" | "--dir" | "--outdir" | "--output-dir" | "--dest",
        ) => {
            "the directory for the files is '-C DIR'".into()
        }
        (["npz", "pack", ..], "-o" | "--output") => "the archive is the first argument".into(),
        (["npz", "pack", ..], "--add" | "--update" | "-a" | "-u") => {
            "'--append' adds the arrays to an archive that exists".into()
        }
        (["npz", "pack", ..], "-c" | "--compressed" | "--deflate") => "'-z' compresses".into(),
        (["npz", "pack", ..], "-l" | "--level") => "the level is '--zstd=LEVEL'".into(),
        (
            ["diff", ..],
            "--tol" | "--tolerance" | "--eps" | "--epsilon" | "--precision" | "--decimal" | "--approx",
        ) => {
            "the tolerances are '--rtol R', relative to B, and '--atol A'".into()
        }
        (["diff", ..], "--brief" | "-s" | "--silent") => "'-q' prints nothing".into(),
        (["convert", ..], "-o" | "--output" | "--out") => {
            "the output is the second argument: npy convert IN OUT".into()
        }
        (["convert", ..], "-t" | "--type" | "--astype" | "--as") => {
            "the dtype is '--dtype DTYPE', and the format of OUT '--to FORMAT'".into()
        }
        (["convert", ..], "--byteorder" | "--byte-order") => {
            "the byte order is '--endian little' or '--endian big'".into()
        }
        (_, "--skip-header" | "--skip" | "--skip-bytes" | "--offset")
            if words.iter().any(|word| *word == "repair" || word.starts_with("--raw")) =>
        {
            "'tail -c +129 FILE > rest.bin' cuts off a header of 128 bytes, and '--raw DTYPE' is for the rest".into()
        }
        (["convert", ..], "-F" | "--fortran") => "the order is '--order f'".into(),
        (["convert", ..], "-z" | "--zip" | "--compressed" | "--deflate") => {
            "'--compress' compresses the members of an archive".into()
        }
        (["convert", ..], "--encoding") => {
            "text is UTF-8: 'iconv -f ENCODING -t UTF-8 IN | npy convert - OUT --from csv'".into()
        }
        (["convert", ..], "--append") => "'npy append FILE IN' adds rows to a file".into(),
        (["convert", ..], "--sep" | "--separator" | "-d" | "-s") => {
            "the character between fields is '--delimiter CHAR'".into()
        }
        (["convert", ..], "--na" | "--na-values" | "--null" | "--nan") => {
            "texts for missing values are '--missing TEXTS'".into()
        }
        (["convert", ..], "-f" | "--format" | "--output-format") => {
            "the format of OUT is '--to FORMAT', that of IN '--from FORMAT'".into()
        }
        (
            ["convert", ..],
            "--skip-header" | "--skip-rows" | "--skiprows" | "--skip-lines" | "--skip",
        ) => "'tail -n +2 IN | npy convert - OUT --from csv' leaves out the first line of a text".into(),
        (["convert", ..], "--transpose" | "-T") => {
            "elements stay in their shape; in Python: np.save('OUT.npy', np.load('IN.npy').T)".into()
        }
        (["convert", ..], "--reshape" | "--flatten" | "--squeeze") => {
            "elements stay in their shape; in Python: np.save('OUT.npy', np.load('IN.npy').reshape(3, 4))".into()
        }
        (["convert", ..], "--shape") => {
            "'--raw DTYPE,ROW' states the shape of a row of data without a header".into()
        }
        (
            ["head" | "tail" | "sample" | "cat" | "stats" | "plot" | "view", ..],
            "--dtype" | "--shape",
        ) => "data without a header is read by '--raw DTYPE,ROW'".into(),
        (["repair", ..], "-i" | "--in-place" | "--inplace" | "-f" | "--force" | "--fix") => {
            "FILE stays as it is; '-o OUT --yes' writes a repaired one".into()
        }
        (["repair", ..], "-n" | "--dry-run" | "--check") => {
            "without '--yes', nothing is written".into()
        }
        (["verify", ..], "--fix" | "--repair") => {
            "'npy repair FILE -o OUT --yes' writes a repaired file".into()
        }
        (["info", ..], "--dtype" | "--shape" | "-s" | "-d") => {
            "'npy info FILE' prints both, and with '--json' for programs; data without a header is read by '--raw DTYPE,ROW'".into()
        }
        (["repair", ..], "--dtype") => "the dtype of data without a header is '--raw DTYPE'".into(),
        (["concat", ..], "-a" | "--dim" | "--dimension") => "the dimension is '--axis N'".into(),
        (["append" | "concat", ..], "--dtype" | "--cast") => {
            "'npy convert IN OUT --dtype DTYPE' converts an array before".into()
        }
        (["append", ..], "--axis" | "-o" | "--output" | "--out") => {
            "append adds rows to its first argument; 'npy concat --axis N -o OUT FILE IN' writes another file".into()
        }
        (["plot", ..], "--save" | "-s" | "--out" | "-f" | "--file") => {
            "the file is '-o OUT.png' or '-o OUT.svg'".into()
        }
        (["plot", ..], "--raw-pixels" | "--image" | "--exact" | "--no-axes" | "--size") => {
            "'--pixels' writes the pixels of an image, without axes".into()
        }
        (["plot", ..], "-t" | "--type") => "the kind of the picture is '--kind KIND'".into(),
        (["plot", ..], "-x" | "-y" | "--x" | "--y") => "the columns are '--columns NAMES'".into(),
        (["struct", ..], "--lang" | "--language" | "--numpy") => {
            "'--python' prints the np.dtype; without it, it is Rust".into()
        }
        (
            ["head" | "tail" | "sample" | "cat" | "stats" | "plot" | "convert" | "diff", ..],
            "--fields" | "--cols" | "--select" | "--usecols" | "--names" | "-k",
        ) => "the columns are '-c NAMES'".into(),
        (
            ["head" | "tail" | "sample" | "cat" | "stats" | "plot" | "convert", ..],
            "--offset" | "--start" | "--from-row",
        )
        | (
            ["head" | "tail" | "sample" | "cat" | "stats" | "plot", ..],
            "--skip" | "--skiprows" | "--skip-rows",
        ) => "a slice leaves out the first rows: FILE[10:]".into(),
        (_, "--sort" | "--sort-by" | "--order-by" | "--group-by" | "--groupby" | "--unique") => {
            "npy sql sorts and groups: npy sql \"SELECT * FROM t ORDER BY x\" t.npy".into()
        }
        (["npz", ..], _) => return None,
        (_, rows) if ROWS.contains(&rows) || number.is_some() => {
            // The value of -n3 and --rows=3 is a part of the word, and that of -n 3 the next one.
            let mut given = words.iter().skip_while(|word| !word.starts_with(rows));
            let first = given.next().and_then(|word| word.strip_prefix(rows));
            let first = first.map(|value| value.strip_prefix('=').unwrap_or(value));
            let mut values = first.into_iter().chain(given.next().copied());
            let value = values.find(|text| text.parse::<u32>().is_ok());
            let number = number.or(value).unwrap_or("10");
            format!(
                "'npy head -n {number} FILE' prints the first rows, and FILE[0:{number}] has them for cat, stats, diff, plot, view, convert, concat and append"
            )
        }
        _ => return None,
    })
}

/// Returns a tip about a subcommand of `npy npz` that has another name here.
fn subcommand_tip(word: &str) -> Option<String> {
    let name = match word {
        "ls" | "show" | "info" => "list",
        "delete" | "del" | "remove" => "rm",
        "rename" | "move" => "mv",
        "unzip" | "x" | "get" | "export" => "extract",
        "zip" | "create" | "c" => "pack",
        _ => return None,
    };
    Some(format!("the subcommand is '{name}'"))
}

/// Returns a tip about a value that has another name here.
fn value_tip(argument: &str, value: &str) -> Option<String> {
    let option = argument.split([' ', '=', '[']).next()?;
    let meant = match (option, &*value.to_ascii_lowercase()) {
        ("--cast", "unsafe" | "force" | "wrap") => "numeric",
        ("--cast", "safe" | "exact" | "strict" | "no") => "lossless",
        ("--cast", "same_kind" | "same-kind") => "checked",
        ("--order", "fortran" | "column" | "columns" | "col") => "f",
        ("--order", "row" | "rows") => "c",
        ("--endian", ">" | "be" | "msb") => "big",
        ("--endian", "<" | "le" | "lsb" | "native") => "little",
        ("--to", "numpy" | "array") => "npy",
        ("--to" | "--from", "ndjson" | "jsonlines" | "json-lines") => "jsonl",
        ("--to" | "--from", "tab" | "tabs") => "tsv",
        ("--kind", "bar" | "hist" | "histo") => "histogram",
        ("--kind", "points" | "dots") => "scatter",
        ("--kind", "picture" | "png" | "imshow") => "image",
        _ => return None,
    };
    Some(format!("the value is '{meant}'"))
}

/// Parses a whole number that is not negative.
pub(crate) fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "write a whole number, such as 10".to_owned())
}

/// Returns the error for a word that is no file and nearly the name of a subcommand, or of whose help the user asks.
fn misspelled(word: &str, asks_for_help: bool) -> Option<Failure> {
    let file = Target::parse(word.as_ref()).map_or_else(|_| word.into(), |target| target.path);
    if file.exists() {
        return None;
    }
    let remedy = match meant(word) {
        Some(name) => format!("did you mean {name}?"),
        None if is_of_npz(word) => format!("did you mean npz {word}?"),
        None if asks_for_help && is_unknown(word) => "npy --help lists the subcommands".into(),
        None => return None,
    };
    Some(Failure::usage(format!("there is no subcommand or file {word:?}; {remedy}")))
}

/// Returns the error for what another subcommand does: rows by a condition, and members for an archive that exists.
fn elsewhere(arguments: &[OsString]) -> Option<Failure> {
    let words: Vec<&str> = arguments.iter().map_while(|argument| argument.to_str()).collect();
    let message = match words[..] {
        ["npz", word @ ("add" | "append"), ..] => {
            format!("there is no npz {word}; npy npz pack --append adds members to an archive")
        }
        _ => {
            let mut options = words.iter().filter_map(|word| word.split('=').next());
            let word = options.find(|word| ["--where", "--filter", "--query"].contains(word))?;
            let paths =
                words.iter().filter_map(|word| Some(Target::parse(word.as_ref()).ok()?.path));
            let file = paths.skip(1).find(|path| path.is_file());
            let file = file.map_or("FILE".into(), |path| shell::path(&path));
            let rows = match words[0] {
                "convert" => "COPY (SELECT * FROM t WHERE …) TO 'out.npy'",
                _ => "SELECT * FROM t WHERE …",
            };
            format!("there is no option {word}; npy sql chooses rows: npy sql \"{rows}\" {file}")
        }
    };
    Some(Failure::usage(message))
}

/// Returns true for the name of a subcommand of `npy npz`.
fn is_of_npz(word: &str) -> bool {
    let npy = Npy::command();
    npy.find_subcommand("npz").is_some_and(|npz| npz.find_subcommand(word).is_some())
}

/// Returns true for a word that is neither an option nor a subcommand.
fn is_unknown(word: &str) -> bool {
    !word.starts_with('-') && word != "help" && Npy::command().find_subcommand(word).is_none()
}

/// Returns the name of the subcommand that was probably meant.
pub(crate) fn meant(word: &str) -> Option<String> {
    let usual = match word {
        "min" | "max" | "mean" | "std" | "describe" | "summary" => "stats",
        "shape" | "dtype" | "header" | "size" | "ls" | "l" => "info",
        "check" | "validate" | "test" | "fsck" => "verify",
        "show" | "print" | "dump" | "less" | "more" => "cat",
        "compare" | "cmp" => "diff",
        "join" | "merge" | "concatenate" | "stack" | "vstack" => "concat",
        "hstack" | "column_stack" => "concat --axis 1",
        "fix" | "recover" | "restore" => "repair",
        "cast" | "export" | "import" | "to-csv" | "csv" => "convert",
        "select" | "query" => "sql",
        "draw" | "hist" | "histogram" => "plot",
        "random" => "sample",
        _ => "",
    };
    if !usual.is_empty() {
        return Some(usual.into());
    }
    let npy = Npy::command();
    let names = npy.get_subcommands().map(clap::Command::get_name);
    let distance = |name: &&str| strsim::osa_distance(word, name);
    let nearest = names.min_by_key(distance)?;
    // One slip in three letters.
    let is_near = (1..=word.len() / 3).contains(&distance(&nearest));
    is_near.then(|| nearest.to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Npy, meant};

    #[test]
    fn the_arguments_are_declared_without_contradictions() {
        Npy::command().debug_assert();
    }

    #[test]
    fn only_a_word_that_is_nearly_a_subcommand_was_meant_to_be_one() {
        for (word, name) in [
            ("heda", "head"),
            ("stat", "stats"),
            ("covnert", "convert"),
            ("max", "stats"),
            ("shape", "info"),
            ("ls", "info"),
            ("check", "verify"),
        ] {
            assert_eq!(meant(word).as_deref(), Some(name));
        }
        for word in ["head", "x", "data", "run.npy", "hello", "-"] {
            assert_eq!(meant(word), None, "{word}");
        }
    }
}
