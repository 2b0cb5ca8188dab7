use crate::outbound::Reach;
use crate::world::record::words;

words! {
    /// The environment that this process serves (docs/specification.md, Authentication 5).
    pub enum Environment {
        /// For tests: inbox, movable clock, simulated rails.
        Sandbox = "sandbox",
        /// Real messages and rails.
        Production = "production",
    }
}

impl Environment {
    /// Returns whether rails are real: a rail without a route is refused. Otherwise it is simulated.
    pub const fn is_live(self) -> bool {
        match self {
            Self::Sandbox => false,
            Self::Production => true,
        }
    }

    /// Returns the addresses that calls of this environment may reach (docs/decisions.md 12).
    pub const fn reach(self) -> Reach {
        match self {
            Self::Sandbox => Reach::Anywhere,
            Self::Production => Reach::Public,
        }
    }
}
