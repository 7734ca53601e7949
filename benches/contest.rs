//! A workload and its contenders, which run in turn, round after round.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use crate::memory;
use crate::numpy::Numpy;
use crate::place::Place;

/// The author of the code that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// The loop that one would write for this one file. The others are compared with it.
    ByHand,
    Ours,
    /// This library with two threads.
    OursTwice,
    NumPy,
    Npyz,
    NdarrayNpy,
    /// Another way to do it, to learn its cost.
    Other(&'static str),
}

/// The maximum ratio to the floor, with one thread and with two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    pub(crate) one: f64,
    pub(crate) two: Option<f64>,
}

impl Goal {
    pub(crate) const fn of(one: f64) -> Self {
        Goal { one, two: None }
    }

    pub(crate) const fn with_two(self, two: f64) -> Self {
        Goal { two: Some(two), ..self }
    }

    /// Returns true if this result misses the goal.
    pub(crate) fn is_missed(&self, result: &Measured) -> bool {
        match result.who {
            Who::Ours => result.ratio > self.one,
            Who::OursTwice => self.two.is_some_and(|two| result.ratio > two),
            _ => false,
        }
    }
}

/// A task for all contenders that support it.
#[derive(Clone, Copy)]
pub(crate) struct Workload {
    pub(crate) id: &'static str,
    pub(crate) work: &'static str,
    pub(crate) goal: Goal,
    /// The number of repetitions in a run. The time shown is that of one repetition.
    pub(crate) times: fn(&Place) -> u32,
    /// For a workload that writes: reads the file again, and returns its checksum.
    pub(crate) written: Option<fn(&Path) -> u64>,
    /// Writes the input files.
    pub(crate) prepare: fn(&Place),
    /// The contenders except NumPy. The floor is the one by hand, else NumPy, else the first.
    pub(crate) contenders: fn(&Place) -> Vec<Contender>,
    /// True if `numpy.py` has a job with this id.
    pub(crate) numpy: bool,
}

/// A contender, which does the work once per call.
pub(crate) struct Contender {
    pub(crate) who: Who,
    run: Box<dyn FnMut(bool) -> Run>,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) seconds: f64,
    /// The checksum of the result, if it was requested.
    pub(crate) sum: Option<u64>,
}

impl Contender {
    /// Makes a contender from a job that returns a value, and a checksum of that value. Only the job is timed, not the checksum or the drop.
    pub(crate) fn new<R>(
        who: Who,
        mut job: impl FnMut() -> R + 'static,
        sum: impl Fn(&R) -> u64 + 'static,
    ) -> Self {
        let run = move |check: bool| {
            let start = Instant::now();
            let value = black_box(job());
            let seconds = start.elapsed().as_secs_f64();
            Run { seconds, sum: check.then(|| sum(&value)) }
        };
        Contender::by(who, run)
    }

    /// Makes a contender that measures its own time.
    pub(crate) fn by(who: Who, run: impl FnMut(bool) -> Run + 'static) -> Self {
        Contender { who, run: Box::new(run) }
    }

    /// Does the work once, for its effect.
    pub(crate) fn run_once(mut self) {
        (self.run)(false);
    }

    /// Makes a contender that writes a file.
    pub(crate) fn writing(who: Who, job: impl FnMut() + 'static) -> Self {
        Contender::new(who, job, |()| 0)
    }
}

/// The measurements of a workload.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) id: &'static str,
    pub(crate) work: &'static str,
    pub(crate) goal: Goal,
    /// The time that the floor takes, and its peak memory in bytes.
    pub(crate) floor: (f64, Option<u64>),
    pub(crate) results: Vec<Measured>,
}

#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) who: Who,
    /// The median over all rounds of the time divided by that of the floor in the same round.
    pub(crate) ratio: f64,
    /// The peak memory in bytes, minus the memory in use at the start.
    pub(crate) peak: Option<u64>,
}

impl Outcome {
    pub(crate) fn of(&self, who: Who) -> Option<&Measured> {
        self.results.iter().find(|result| result.who == who)
    }
}

impl Workload {
    /// Runs all in turn. With `rounds: None` there are 9 rounds, or 21 if they are short.
    pub(crate) fn run(&self, place: &Place, numpy: &mut Numpy, rounds: Option<usize>) -> Outcome {
        (self.prepare)(place);
        let mut contenders = (self.contenders)(place);
        if self.numpy {
            contenders.push(numpy.contender(self.id, place));
        }
        // The first round warms up, and compares the results.
        let start = Instant::now();
        let sums: Vec<_> = contenders.iter_mut().map(|it| self.once(it, place, true)).collect();
        for (contender, run) in contenders.iter().zip(&sums) {
            let who = contender.who;
            assert_eq!(run.sum, sums[0].sum, "{}: {who:?} gives something else", self.id);
        }
        let short = start.elapsed().as_secs_f64() < 2.0;
        let rounds = rounds.unwrap_or(if short { 21 } else { 9 });
        let mut seconds = vec![Vec::with_capacity(rounds); contenders.len()];
        for round in 0..rounds {
            // Each round starts with another contender, so that the effects of one on the next are spread over all.
            for turn in 0..contenders.len() {
                let i = (round + turn) % contenders.len();
                seconds[i].push(self.once(&mut contenders[i], place, false).seconds);
            }
        }
        let who: Vec<_> = contenders.iter().map(|contender| contender.who).collect();
        let is_floor = |who: &Who| matches!(who, Who::ByHand | Who::NumPy);
        let floor = who.iter().position(is_floor).unwrap_or(0);
        // Memory is measured in separate processes; this one frees its memory first, so as not to disturb them.
        drop(contenders);
        numpy.forget();
        let peak = |i: usize, who| match who {
            Who::NumPy => Numpy::start().peak(self.id, place),
            _ => memory::of_contender(self.id, i, place),
        };
        let ratios = |times: &[f64]| {
            median(times.iter().zip(&seconds[floor]).map(|(time, floor)| time / floor).collect())
        };
        let results: Vec<_> = (0..)
            .zip(&who)
            .zip(&seconds)
            .map(|((i, &who), times)| Measured { who, ratio: ratios(times), peak: peak(i, who) })
            .collect();
        let each = median(seconds[floor].clone()) / f64::from((self.times)(place));
        let floor = (each, results[floor].peak);
        Outcome { id: self.id, work: self.work, goal: self.goal, floor, results }
    }

    /// Runs one of the contenders in this process, and returns its peak memory.
    pub(crate) fn peak_of(&self, i: usize, place: &Place) -> Option<u64> {
        let mut contenders = (self.contenders)(place);
        let before = memory::reset()?;
        (contenders[i].run)(false);
        Some(memory::high()?.saturating_sub(before))
    }

    fn once(&self, contender: &mut Contender, place: &Place, check: bool) -> Run {
        let output = place.output();
        if self.written.is_some() && output.exists() {
            std::fs::remove_file(&output).expect("the output can be removed");
        }
        let mut run = (contender.run)(check);
        if let Some(written) = self.written.filter(|_| check) {
            run.sum = Some(written(&output));
        }
        run
    }
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
