/// A field of a PATCH: omitted, null, or set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Patch<T> {
    /// Omitted: stays as it is.
    Keep,
    /// Null: becomes empty.
    Clear,
    Set(T),
}

impl<T> Patch<T> {
    /// Returns the field's value after the PATCH.
    pub fn over(self, before: Option<T>) -> Option<T> {
        match self {
            Self::Keep => before,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }

    pub fn map<U>(self, value: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Clear => Patch::Clear,
            Self::Set(inner) => Patch::Set(value(inner)),
        }
    }
}

/// `None` becomes `Keep`.
impl<T> From<Option<T>> for Patch<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Keep, Self::Set)
    }
}
