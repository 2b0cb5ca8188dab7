//! The protocol as one function: what is committed and known gives the next step.

use sha2::{Digest as _, Sha256};

use crate::name::{BadName, Name};

/// How a file gets its final name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// A temporary file and an atomic rename. After a crash both names show what happened.
    AtomicRename,
    /// A temporary file and a rename that may link and then unlink. Nothing is visible before the rename, so a crash
    /// while the file is written is repaired; a crash during the rename is a doubt, unless the final name exists.
    PlainRename,
    /// Written under its final name, for servers that cannot rename or collect every file at once. The intent is
    /// committed before the first byte, and any doubt remains one.
    Direct,
}

/// What is committed about a file. The states before `Sealed` and after `Sent` belong to the caller.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    Sealed,
    /// Nothing can have the final name.
    Sending,
    /// From here on the final name may exist.
    Renaming(Publishing),
    Sent,
    /// An operator decides with the bank: sent, or not sent.
    InDoubt(Doubt),
}

/// How the file in [`State::Renaming`] is published. It is stored, so a changed setting does not change its meaning.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Publishing {
    Atomic { temp: Name },
    Plain { temp: Name },
    Direct,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// Neither name exists: the bank has collected the file, or it was removed.
    NeitherName,
    /// The final name has another size.
    FinalDiffers,
    /// The temporary file has another size.
    TempDiffers,
    /// The sender ended during a step that is not atomic.
    Interrupted,
}

impl Doubt {
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NeitherName => "neither-name",
            Self::FinalDiffers => "final-differs",
            Self::TempDiffers => "temp-differs",
            Self::Interrupted => "interrupted",
        }
    }

    /// What an operator does.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::NeitherName => "Ask the bank whether it has collected the file.",
            Self::FinalDiffers => "Compare the server's file with ours, and ask the bank what it has read.",
            Self::TempDiffers => {
                "Ask the bank whether it has the file. If not, remove the temporary file, then mark it as not sent."
            }
            Self::Interrupted => {
                "Ask the bank whether it has the file. If not, remove what is on the server, then mark it as not sent."
            }
        }
    }
}

/// What one lease sends.
#[derive(Clone, Debug)]
pub struct Order {
    /// The temporary name, unique to the lease.
    pub temp: Name,
    /// The fencing token of the lease.
    pub lease: u64,
    /// The final name.
    pub last: Name,
    pub size: u64,
    pub sha256: [u8; 32],
    pub way: Way,
    /// Whether the bank acknowledges each file, so that the acknowledgement decides a collected file.
    pub is_acknowledged: bool,
}

impl Order {
    /// # Errors
    ///
    /// Returns why the id of the file is no part of a name.
    pub fn new(file: &str, lease: u64, last: Name, bytes: &[u8], way: Way) -> Result<Self, BadName> {
        Ok(Self {
            temp: Name::temporary(file, lease)?,
            lease,
            last,
            size: bytes.len() as u64,
            sha256: Sha256::digest(bytes).into(),
            way,
            is_acknowledged: false,
        })
    }
}

/// What stat says about one name, compared with the size of our file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Found {
    Missing,
    Whole,
    Different,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Look {
    pub temp: Found,
    pub last: Found,
}

/// What this lease knows in addition to the committed state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Known {
    /// This lease wrote its temporary file, and the server has all bytes.
    pub is_put: bool,
    /// This lease committed [`State::Renaming`] and has requested nothing since.
    pub is_fresh: bool,
    /// The server confirmed that the file has its final name.
    pub is_published: bool,
    /// The last request to publish has no success: refused, or without an answer.
    pub has_failed: bool,
    /// Both names, since the last request that may have changed one.
    pub look: Option<Look>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Write this temporary file.
    Put(Name),
    /// Stat this temporary name and the final name.
    Look(Name),
    Commit(State),
    /// Rename this temporary file to the final name.
    Rename(Name),
    /// Write the final name.
    PutFinal,
    /// Remove this temporary file: the final name exists too.
    Remove(Name),
    End(End),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Sent,
    InDoubt(Doubt),
    /// Before the rename, another file has the final name. Nothing of ours is visible.
    NameTaken,
    /// The rename was refused and nothing changed. The next lease tries again.
    NotRenamed,
}

/// Returns the next step of a lease.
#[must_use]
pub fn next(order: &Order, state: &State, known: &Known) -> Step {
    match state {
        State::Sealed => Step::Commit(State::Sending),
        State::Sending => sending(order, known),
        State::Renaming(publishing) => renaming(order, publishing, known),
        State::Sent => Step::End(End::Sent),
        State::InDoubt(doubt) => Step::End(End::InDoubt(*doubt)),
    }
}

fn sending(order: &Order, known: &Known) -> Step {
    let temp = order.temp.clone();
    let publishing = match order.way {
        Way::AtomicRename => Publishing::Atomic { temp: temp.clone() },
        Way::PlainRename => Publishing::Plain { temp: temp.clone() },
        Way::Direct => Publishing::Direct,
    };
    match known.look {
        _ if publishing != Publishing::Direct && !known.is_put => Step::Put(temp),
        None => Step::Look(temp),
        Some(Look { last: Found::Missing, .. }) => Step::Commit(State::Renaming(publishing)),
        Some(Look { last: Found::Whole | Found::Different, .. }) => Step::End(End::NameTaken),
    }
}

fn renaming(order: &Order, publishing: &Publishing, known: &Known) -> Step {
    let temp = match publishing {
        Publishing::Atomic { temp } | Publishing::Plain { temp } => temp,
        Publishing::Direct => &order.temp,
    };
    if known.is_fresh {
        return match publishing {
            Publishing::Atomic { .. } | Publishing::Plain { .. } => Step::Rename(temp.clone()),
            Publishing::Direct => Step::PutFinal,
        };
    }
    let Some(look) = known.look else { return Step::Look(temp.clone()) };
    let doubt = |doubt| Step::Commit(State::InDoubt(doubt));
    let is_direct = *publishing == Publishing::Direct;
    match (look.last, look.temp) {
        (Found::Whole, Found::Whole | Found::Different) if !is_direct => Step::Remove(temp.clone()),
        (Found::Whole, _) => Step::Commit(State::Sent),
        (Found::Different, _) => doubt(Doubt::FinalDiffers),
        // The server confirmed it, and the bank has collected it since.
        (Found::Missing, Found::Missing) if known.is_published => Step::Commit(State::Sent),
        (Found::Missing, _) if known.is_published => doubt(Doubt::Interrupted),
        (Found::Missing, _) if is_direct => doubt(Doubt::Interrupted),
        (Found::Missing, Found::Missing) if order.is_acknowledged => Step::Commit(State::Sent),
        (Found::Missing, Found::Missing) => doubt(Doubt::NeitherName),
        (Found::Missing, Found::Different) => doubt(Doubt::TempDiffers),
        (Found::Missing, Found::Whole) => match publishing {
            Publishing::Atomic { .. } if known.has_failed => Step::End(End::NotRenamed),
            Publishing::Atomic { .. } => Step::Rename(temp.clone()),
            // The link may have existed for a moment, in which the bank collected it.
            Publishing::Plain { .. } | Publishing::Direct => doubt(Doubt::Interrupted),
        },
    }
}
