//! Stability: whether a normalizer may change a character, for pipelines that write spaces as metaspaces.

/// The stability of a character; the classifier has a set for each variant except the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::fast) enum Stability {
    /// The character does not change.
    Stable = 0,
    /// The character is white space that becomes plain spaces.
    Separator = 1,
    /// Any other character.
    Unstable = 2,
}
