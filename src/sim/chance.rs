//! The only source of chance in the simulation: one seed decides everything.

use rand::rngs::StdRng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};

use crate::ids::Entropy;

pub(super) struct Chance {
    rng: StdRng,
}

impl Chance {
    pub fn of_seed(seed: u64) -> Self {
        Self { rng: StdRng::seed_from_u64(seed) }
    }

    /// Returns true once in `times`.
    pub fn one_in(&mut self, times: u32) -> bool {
        self.rng.random_range(0..times) == 0
    }

    /// Returns a number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        self.rng.random_range(low..=high)
    }

    pub fn position(&mut self, length: usize) -> usize {
        self.rng.random_range(0..length)
    }

    /// Returns an item of the list, or `None` if it is empty.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { from.get(self.rng.random_range(0..from.len())) }
    }

    pub fn seed(&mut self) -> u64 {
        self.rng.next_u64()
    }

    pub fn entropy(&mut self) -> Entropy {
        let mut seed = [0; 32];
        self.rng.fill_bytes(&mut seed);
        Entropy::from_seed(seed)
    }
}
