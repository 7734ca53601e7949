use npy_core::NpyRecord;

enum Phase {
    P,
    S,
}

#[derive(NpyRecord)]
struct Pick {
    phase: Phase,
}

fn main() {}
