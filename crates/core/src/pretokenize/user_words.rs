//! Words that a user adds to jieba's dictionary.

/// A word that is added to the dictionary, or whose frequency is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserWord {
    /// The word.
    pub word: String,
    /// Its frequency; `None` for one so high that the dictionary alone does not split it; 0 removes it.
    pub frequency: Option<u64>,
    /// Its part of speech, which has no effect on segmentation.
    pub tag: Option<String>,
}
