//! Sandbox or production.

use crate::outbound::Reach;
use crate::world::record::words;

words! {
    /// Which of the two environments this listener serves (docs/specification.md, Authentication 5).
    pub enum Environment {
        /// For trying out: inbox, movable clock, simulated rails.
        Sandbox = "sandbox",
        /// Real money.
        Production = "production",
    }
}

impl Environment {
    /// How far calls of this environment may reach (docs/decisions.md 12).
    pub const fn reach(self) -> Reach {
        match self {
            Self::Sandbox => Reach::Anywhere,
            Self::Production => Reach::Public,
        }
    }
}
