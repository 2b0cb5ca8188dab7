//! A change of one field.

/// A field of a PATCH: left out, emptied, or set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Patch<T> {
    /// Not sent: stays as it is.
    Keep,
    /// Sent as null: emptied.
    Clear,
    /// Sent with a value.
    Set(T),
}

impl<T> Patch<T> {
    /// What a field is after the PATCH.
    pub fn over(self, before: Option<T>) -> Option<T> {
        match self {
            Self::Keep => before,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }

    /// The same of what the value holds.
    pub fn map<U>(self, value: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Clear => Patch::Clear,
            Self::Set(inner) => Patch::Set(value(inner)),
        }
    }
}

/// Of a field that was empty before.
impl<T> From<Option<T>> for Patch<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Keep, Self::Set)
    }
}
