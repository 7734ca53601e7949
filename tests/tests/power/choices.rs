//! Choices between the states that a disk may have: all of them, or some at random.

use npy_tests::fuzz::Random;

/// The parts of a state that are chosen. Disks may keep all names and lose all data, or the other way round.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Of {
    Name,
    Length,
    Page,
}

/// Chooses one of `count` states. The last one is the state that programs see.
pub(crate) trait Choices {
    fn choose(&mut self, of: Of, count: usize) -> usize;
}

/// All combinations, one after the other.
#[derive(Debug, Default)]
pub(crate) struct All {
    /// Each choice of the present combination, and the number of things.
    chosen: Vec<(usize, usize)>,
    next: usize,
}

impl All {
    /// Goes on to the next combination; returns false if there is none.
    pub(crate) fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((chosen, count)) = self.chosen.pop() {
            if chosen + 1 < count {
                self.chosen.push((chosen + 1, count));
                return true;
            }
        }
        false
    }
}

impl Choices for All {
    fn choose(&mut self, _: Of, count: usize) -> usize {
        if self.next == self.chosen.len() {
            self.chosen.push((0, count));
        }
        self.next += 1;
        self.chosen[self.next - 1].0
    }
}

/// Random combinations: first those in which everything of a kind is kept or lost.
#[derive(Debug)]
pub(crate) struct Sample {
    random: Random,
    /// In 16 choices, this many are the last thing, for each kind. The others are any.
    kept: [usize; 3],
    /// True if choices that are not the last are the first.
    is_extreme: bool,
}

impl Sample {
    /// The number of combinations of extremes.
    pub(crate) const EXTREMES: u64 = 8;

    /// Returns the choices of the combination with this number.
    pub(crate) fn new(number: u64) -> Self {
        let mut random = Random::new(number);
        let is_extreme = number < Self::EXTREMES;
        let kept = [0, 1, 2].map(|kind| match is_extreme {
            true => usize::from(number >> kind & 1 == 1) * 16,
            // Few are kept, half of them, or most: a single page that is lost is the hardest to notice.
            false => [1, 8, 15, 16][random.below(4)],
        });
        Sample { random, kept, is_extreme }
    }
}

impl Choices for Sample {
    fn choose(&mut self, of: Of, count: usize) -> usize {
        if count == 1 || self.random.below(16) < self.kept[of as usize] {
            return count - 1;
        }
        if self.is_extreme { 0 } else { self.random.below(count) }
    }
}
