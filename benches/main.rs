//! The workloads against loops written by hand, NumPy and two crates: `cargo xtask bench`.
//!
//! All contenders of a workload run in turn, once per round. A figure is the median of the ratios to the floor in each round. The
//! floor is the plain loop for the job: it reads blocks of 256 KiB and decodes each item. Before anything is timed, all results must
//! be equal.
//!
//! Without `--bench`, as `cargo test` runs it, everything runs once with little data.

mod by_hand;
mod contest;
mod machine;
mod memory;
mod numpy;
mod options;
mod peers;
mod place;
mod records;
mod report;
mod sizes;
mod sum;
mod workloads;

use std::fs;
use std::process::ExitCode;

use contest::{Outcome, Workload};
use numpy::Numpy;
use options::Options;
use place::Place;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // This is a process that `memory` has started.
    if let ["--peak", id, i, dir, quick @ ..] =
        &args.iter().map(String::as_str).collect::<Vec<_>>()[..]
    {
        let place = Place { dir: dir.into(), quick: !quick.is_empty() };
        let workload = workloads::all().find(|it| it.id == *id).expect("there is one");
        if let Some(peak) = workload.peak_of(i.parse().expect("an index"), &place) {
            println!("{peak}");
        }
        return ExitCode::SUCCESS;
    }
    match Options::parse(args) {
        Ok(options) => {
            run(&options);
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) {
    let dir = place::make().expect("a folder for the files");
    let place = Place { dir: dir.path().to_owned(), quick: options.quick };
    let mut numpy = Numpy::start();
    let machine = machine::line(&numpy.versions(), dir.path());
    let rounds = if options.quick { Some(1) } else { options.rounds };
    let wanted: Vec<&Workload> = workloads::all().filter(|it| options.wants(it.id)).collect();
    let outcomes: Vec<Outcome> = wanted
        .into_iter()
        .map(|workload| {
            eprintln!("{} {}", workload.id, workload.work);
            workload.run(&place, &mut numpy, rounds)
        })
        .collect();
    let sizes = options.wants(sizes::ID).then(|| {
        eprintln!("{} the sizes of compressed archives", sizes::ID);
        sizes::measure(&place, &mut numpy, rounds)
    });
    if options.quick {
        println!("the benchmark: {} workloads, each contender gives the same", outcomes.len());
        return;
    }
    let sizes =
        |missed| sizes.as_ref().map_or_else(String::new, |rows| report::sizes::table(rows, missed));
    println!("{}{}", report::table::with_goals(&outcomes, &machine), sizes(report::MISSED));
    if let Some(out) = &options.out {
        fs::create_dir_all(out).expect("the folder of the results");
        let table = report::table::for_docs(&outcomes, &machine) + &sizes("");
        fs::write(out.join("results.md"), table).expect("the table is written");
        fs::write(out.join("results.svg"), report::chart::of(&outcomes, &machine))
            .expect("the chart is written");
    }
}
