//! Stability: whether a character may change, for pipelines that write spaces as metaspaces.

/// What may become of an ASCII character; the classifier has a set for each kind but the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stability {
    /// It stays as it is.
    Stable = 0,
    /// It is white space that becomes plain spaces.
    Separator = 1,
    /// Anything else.
    Unstable = 2,
}
