//! NumPy, in a process that lives as long as the benchmark: only its work is timed, not its start.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use crate::contest::{Contender, Run, Who};
use crate::place::Place;

/// A process of `numpy.py`.
pub(crate) struct Numpy(Rc<RefCell<Process>>);

struct Process {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Numpy {
    pub(crate) fn start() -> Self {
        let python = std::env::var_os("NPY_PYTHON").expect(
            "NPY_PYTHON names no Python with NumPy: `cargo xtask bench` makes one and runs this",
        );
        let mut child = Command::new(python)
            .args(["-I", "-X", "utf8"])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("numpy.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python starts");
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        Numpy(Rc::new(RefCell::new(Process { child, questions, answers })))
    }

    /// The versions of NumPy and Python.
    pub(crate) fn versions(&self) -> String {
        self.0.borrow_mut().ask("versions")
    }

    pub(crate) fn contender(&self, id: &str, place: &Place) -> Contender {
        let process = Rc::clone(&self.0);
        let (id, dir) = (id.to_owned(), place.dir.display().to_string());
        Contender::by(Who::NumPy, move |check| {
            let what = if check { "check" } else { "run" };
            let answer = process.borrow_mut().ask(&format!("{what} {id} {dir}"));
            let (seconds, sum) = answer.split_once(' ').expect("a time and a sum");
            let sum = check.then(|| sum.parse().expect("a sum"));
            Run { seconds: seconds.parse().expect("a time"), sum }
        })
    }

    /// Returns the peak memory of a job in bytes, minus the memory that the process held before.
    pub(crate) fn peak(&self, id: &str, place: &Place) -> Option<u64> {
        let dir = place.dir.display();
        self.0.borrow_mut().ask(&format!("peak {id} {dir}")).parse().ok()
    }

    /// Tells the process to drop the data that it keeps for the next round.
    pub(crate) fn forget(&self) {
        self.0.borrow_mut().ask("forget");
    }
}

impl Process {
    /// Sends one line, and returns the line of the answer.
    fn ask(&mut self, question: &str) -> String {
        let questions = self.questions.as_mut().expect("it is open");
        writeln!(questions, "{question}").expect("Python listens");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("Python answers");
        assert!(answer.ends_with('\n'), "Python failed: {question}");
        answer.trim_end().to_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process ends when its input is closed.
        self.questions = None;
        let _ = self.child.wait();
    }
}
