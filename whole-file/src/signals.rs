//! Signals that end the process: the files that are not complete are removed first.

/// Before a signal ends the process, calls `remove`, which usually is [`NewFile::remove_incomplete`](crate::NewFile::remove_incomplete). Needs the feature
/// `signals`.
///
/// The signals are those of Unix that can be caught and are no error of the program, but those that were ignored when it started (`nohup`), and Ctrl-C on
/// Windows. The process still ends by the signal. A thread waits for them, and is there when this returns. Call it once, at the start of a program: it is
/// not for libraries.
///
/// ```
/// whole_file::remove_at_signals(whole_file::NewFile::remove_incomplete);
/// ```
#[cfg(unix)]
pub fn remove_at_signals(remove: impl Fn() + Send + 'static) {
    use std::sync::mpsc;

    use signal_hook::consts::signal;
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// The signals that end a process, can be caught, and are not an error of the program.
    const ENDING: [i32; 9] = [
        signal::SIGHUP,
        signal::SIGINT,
        signal::SIGQUIT,
        signal::SIGTERM,
        signal::SIGALRM,
        signal::SIGUSR1,
        signal::SIGUSR2,
        signal::SIGXCPU,
        signal::SIGXFSZ,
    ];
    // The thread sets the handlers: without it, nobody would see the signals.
    let (ready, is_ready) = mpsc::channel();
    let wait = move || {
        let ignored = ignored();
        let caught = ENDING.into_iter().filter(|signal| ignored & mask(*signal) == 0);
        let Ok(mut signals) = Signals::new(caught) else { return };
        // The other end waits for this.
        let _ = ready.send(());
        for signal in signals.forever() {
            remove();
            // The process ends by the signal, so that a shell sees 128 and its number, and stops its script after Ctrl-C.
            let _ = emulate_default_handler(signal);
        }
    };
    // Without a thread, or without handlers, signals end the process as they do anyway.
    if std::thread::Builder::new().name("signals".into()).spawn(wait).is_ok() {
        // An error: the thread has ended, and dropped its end.
        let _ = is_ready.recv();
    }
}

/// Returns the set of signals that the process was started to ignore: `SIGHUP` by `nohup`, `SIGINT` in the background of a script. They must stay
/// ignored.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    match set {
        Some(set) => u64::from_str_radix(set.trim(), 16).unwrap_or(0),
        // A system that does not tell: of these, `nohup` is what is used.
        None => mask(signal_hook::consts::signal::SIGHUP),
    }
}

/// Returns the set of this signal alone, in which signal 1 is the lowest bit.
#[cfg(unix)]
fn mask(signal: i32) -> u64 {
    (1 << signal) >> 1
}

/// Removes incomplete files after Ctrl-C; the system has no other signals.
///
/// ```
/// whole_file::remove_at_signals(whole_file::NewFile::remove_incomplete);
/// ```
#[cfg(windows)]
pub fn remove_at_signals(remove: impl Fn() + Send + 'static) {
    /// The exit code of a program that Ctrl-C has ended, on Windows.
    const STATUS_CONTROL_C_EXIT: u32 = 0xc000_013a;
    // Without a handler, Ctrl-C ends the process as it does anyway.
    let _ = ctrlc::set_handler(move || {
        remove();
        std::process::exit(STATUS_CONTROL_C_EXIT.cast_signed())
    });
}

/// Does nothing: the system has no signals.
///
/// ```
/// whole_file::remove_at_signals(whole_file::NewFile::remove_incomplete);
/// ```
#[cfg(not(any(unix, windows)))]
pub fn remove_at_signals(_: impl Fn() + Send + 'static) {}
