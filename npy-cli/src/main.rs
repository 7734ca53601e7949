//! The program `npy`. `lib.rs` has the command.

use std::process::ExitCode;

fn main() -> ExitCode {
    npy_cli::main(std::env::args_os())
}
