//! Arguments of the two programs: `--name value`, each with a default.

use std::fmt::Display;
use std::str::FromStr;

/// The arguments that are not used yet.
pub struct Arguments {
    usage: &'static str,
    pairs: Vec<(String, String)>,
}

impl Arguments {
    /// Parses the arguments of the program. Prints `usage` and ends if they are no pairs, or if help is asked for.
    pub fn parse(usage: &'static str) -> Self {
        let mut pairs = Vec::new();
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            match (name.strip_prefix("--"), arguments.next()) {
                (Some("help"), _) => {
                    println!("{usage}");
                    std::process::exit(0);
                }
                (Some(name), Some(value)) => pairs.push((name.to_owned(), value)),
                _ => fail(usage, &format!("{name} is not an option with a value")),
            }
        }
        Arguments { usage, pairs }
    }

    /// Returns the value of an option, or the default.
    pub fn take<T: FromStr<Err: Display>>(&mut self, name: &str, default: T) -> T {
        let Some(index) = self.pairs.iter().position(|(given, _)| given == name) else {
            return default;
        };
        let (_, value) = self.pairs.swap_remove(index);
        value
            .parse()
            .unwrap_or_else(|error| fail(self.usage, &format!("--{name} {value}: {error}")))
    }

    /// Refuses options that no one has taken.
    pub fn finish(self) {
        if let Some((name, _)) = self.pairs.first() {
            fail(self.usage, &format!("there is no option --{name}"));
        }
    }
}

fn fail(usage: &str, reason: &str) -> ! {
    eprintln!("{reason}\n{usage}");
    std::process::exit(2)
}
