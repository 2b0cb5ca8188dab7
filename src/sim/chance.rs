//! The simulation's only source of chance: everything that happens follows from one seed.

use rand::rngs::StdRng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};

use crate::ids::Entropy;

/// Draws that a seed decides.
pub(super) struct Chance {
    rng: StdRng,
}

impl Chance {
    /// The same seed draws the same.
    pub fn of_seed(seed: u64) -> Self {
        Self { rng: StdRng::seed_from_u64(seed) }
    }

    /// Something that is so once in `times`.
    pub fn one_in(&mut self, times: u32) -> bool {
        self.rng.random_range(0..times) == 0
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        self.rng.random_range(low..=high)
    }

    /// A position in a list of this length.
    pub fn position(&mut self, length: usize) -> usize {
        self.rng.random_range(0..length)
    }

    /// One of a list; `None` when it is empty.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { from.get(self.rng.random_range(0..from.len())) }
    }

    /// A seed for something that draws by itself.
    pub fn seed(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// Entropy for a request, as a handler has it.
    pub fn entropy(&mut self) -> Entropy {
        let mut seed = [0; 32];
        self.rng.fill_bytes(&mut seed);
        Entropy::from_seed(seed)
    }
}
