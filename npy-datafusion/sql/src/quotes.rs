//! Names of files and columns that a statement needs in double quotes.

use npy_datafusion::datafusion::prelude::SessionContext;
use npy_datafusion::datafusion::sql::sqlparser::keywords::{
    self, ALL_KEYWORDS, ALL_KEYWORDS_INDEX, Keyword,
};

use crate::advice::{is_array, of_table};
use crate::statements::written;
use crate::tables::{position, stem};

/// Words that begin or end a part of a statement, other than those that the parser lists.
const RESERVED: [Keyword; 12] = [
    Keyword::ALL,
    Keyword::CASE,
    Keyword::CAST,
    Keyword::DISTINCT,
    Keyword::FALSE,
    Keyword::IN,
    Keyword::NOT,
    Keyword::NULL,
    Keyword::ON,
    Keyword::TRUE,
    Keyword::USING,
    Keyword::VALUES,
];

/// Returns the way to write a column whose name is a word of SQL, which a statement has without quotes; `None` if there is none.
pub(crate) async fn of_columns(
    ctx: &SessionContext,
    files: &[String],
    sql: &str,
) -> Option<String> {
    for (index, _) in files.iter().enumerate() {
        let Ok(table) = ctx.table_provider(position(index)).await else { continue };
        let schema = table.schema();
        let mut names = schema.fields().iter().map(|field| field.name());
        if let Some(name) = names.find(|name| is_reserved(name) && is_bare(sql, name)) {
            return Some(format!(
                "{name} is a word of SQL: write \"{name}\", in double quotes, for the column"
            ));
        }
    }
    None
}

/// Returns the way to write a file whose name a statement has without quotes; `None` if there is none.
pub(crate) fn of_files(files: &[String], sql: &str) -> Option<String> {
    let of_argument = |(index, file): (usize, &String)| {
        let name = stem(file)?;
        let needs_quotes = written(&name) != name && is_bare(sql, &name);
        needs_quotes
            .then(|| format!("write {}, or {}, for {file}", written(&name), position(index)))
    };
    let mut words = sql.split_whitespace().map(|word| word.trim_matches(|c| "(),;".contains(c)));
    let of_argument = files.iter().enumerate().find_map(of_argument);
    of_argument
        .or_else(|| of_table(words.find(|word| is_array(word) && !word.contains(['\'', '"']))?))
}

/// Returns true for a word that cannot be a name without quotes.
fn is_reserved(name: &str) -> bool {
    let Ok(at) = ALL_KEYWORDS.binary_search(&&*name.to_uppercase()) else { return false };
    let is_it = |word: &Keyword| ALL_KEYWORDS_INDEX.get(at) == Some(word);
    RESERVED.iter().any(is_it)
        || keywords::RESERVED_FOR_COLUMN_ALIAS.iter().any(is_it)
        || keywords::RESERVED_FOR_IDENTIFIER.iter().any(is_it)
        || keywords::RESERVED_FOR_TABLE_ALIAS.iter().any(is_it)
}

/// Returns true if a statement has a name without quotes, as a word of its own.
fn is_bare(sql: &str, name: &str) -> bool {
    let is_within = |c: char| c.is_alphanumeric() || "_'\"".contains(c);
    sql.match_indices(name).any(|(at, _)| {
        let before = sql.get(..at).and_then(|it| it.chars().next_back());
        let after = sql.get(at + name.len()..).and_then(|it| it.chars().next());
        !before.is_some_and(is_within) && !after.is_some_and(is_within)
    })
}
