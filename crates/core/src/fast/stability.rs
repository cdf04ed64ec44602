//! Kinds of characters, for pipelines that write spaces as marks.

/// What an ASCII character is; the classifier has a set for each kind but the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stability {
    Stable = 0,
    Separator = 1,
    /// Anything else.
    Unstable = 2,
}
