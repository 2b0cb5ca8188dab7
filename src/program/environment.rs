use crate::outbound::Reach;
use crate::world::record::words;

words! {
    /// The environment that this process serves (docs/specification.md, Authentication 5).
    pub enum Environment {
        /// For tests: inbox, movable clock, simulated rails.
        Sandbox = "sandbox",
        /// Real messages; rails are simulated in this version.
        Production = "production",
    }
}

impl Environment {
    /// Returns the addresses that calls of this environment may reach (docs/decisions.md 12).
    pub const fn reach(self) -> Reach {
        match self {
            Self::Sandbox => Reach::Anywhere,
            Self::Production => Reach::Public,
        }
    }
}
