//! Normalization: text to normalized text, with the alignment to the original.
//!
//! Each normalizer has its own file; [`Normalized`] is the text they change.

mod bert;
mod byte_level;
mod case;
mod charsmap;
mod double_array;
mod forms;
pub(crate) mod locality;
mod nmt;
mod precompiled;
mod reordering;
mod replace;
mod sentencepiece;
mod strip;
mod text;
mod written;

pub use bert::BertNormalizer;
pub(crate) use byte_level::write_bytes;
pub use charsmap::RULES;
pub use forms::UnicodeForm;
use locality::{Locality, Metaspaces};
pub use precompiled::Precompiled;
pub(crate) use sentencepiece::SPACE;
pub use sentencepiece::{SentencePiece, SentencePieceSettings};
pub use strip::Strip;
pub use text::Normalized;
pub(crate) use text::Rewriter;

use std::sync::Arc;

use crate::error::Result;
use crate::text::pattern::Pattern;

/// A normalizer, which changes a text before it is split into words.
///
/// ```
/// use piecework_core::normalize::Normalizer;
/// use piecework_core::splitter::WordSplitter;
///
/// let steps = vec![Normalizer::Lowercase, Normalizer::StripAccents];
/// let splitter = WordSplitter::new(Some(Normalizer::Sequence(steps)), None)?;
/// assert_eq!(splitter.normalize("Cafe\u{301}")?, "cafe");
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Normalizer {
    /// Applies the normalization of BERT.
    Bert(BertNormalizer),
    /// Applies a Unicode normalization form.
    Form(UnicodeForm),
    /// Removes control characters and replaces white space with spaces, as for neural machine translation.
    Nmt,
    /// Lowercases each character by itself.
    Lowercase,
    /// Removes white space at the ends.
    Strip(Strip),
    /// Removes combining marks.
    StripAccents,
    /// Replaces the matches of a pattern.
    Replace {
        /// The pattern.
        pattern: Pattern,
        /// The replacement.
        content: String,
    },
    /// Inserts a text at the start.
    Prepend(String),
    /// Represents each byte by a printable character.
    ByteLevel,
    /// Applies the compiled rules of a `SentencePiece` model.
    Precompiled(Arc<Precompiled>),
    /// Applies the whole normalization of a `SentencePiece` model.
    SentencePiece(Arc<SentencePiece>),
    /// Applies several normalizers in order.
    Sequence(Vec<Normalizer>),
}

impl Normalizer {
    /// Returns the same with a limit of Oniguruma's retries in a text.
    pub(crate) fn with_retries(self, retries: Option<u64>) -> Self {
        match self {
            Self::Sequence(steps) => Self::Sequence(steps.into_iter().map(|step| step.with_retries(retries)).collect()),
            Self::Replace { pattern, content } => Self::Replace { pattern: pattern.with_retries(retries), content },
            other => other,
        }
    }

    /// Normalizes `text` in place; `spare` is working memory.
    ///
    /// ```
    /// use piecework_core::normalize::{Normalized, Normalizer};
    ///
    /// let (mut text, mut spare) = (Normalized::default(), Normalized::default());
    /// text.start("LOW", 0, false);
    /// Normalizer::Lowercase.normalize(&mut text, &mut spare)?;
    /// assert_eq!(text.text(), "low");
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn normalize(&self, text: &mut Normalized, spare: &mut Normalized) -> Result<()> {
        match self {
            Self::Bert(bert) => bert.normalize(text, spare),
            Self::Form(form) => form.normalize(text, spare),
            Self::Nmt => nmt::normalize(text, spare),
            Self::Lowercase => case::lowercase(text, spare),
            Self::Strip(strip) => strip.normalize(text, spare),
            Self::StripAccents => strip::strip_accents(text, spare),
            Self::Replace { pattern, content } => replace::normalize(pattern, content, text, spare)?,
            Self::Prepend(prefix) => {
                text.check_growth(text.text().len() + prefix.len())?;
                text.prepend(spare, prefix);
            }
            Self::ByteLevel => byte_level::normalize(text, spare),
            Self::Precompiled(precompiled) => precompiled.normalize(text, spare)?,
            Self::SentencePiece(sentencepiece) => sentencepiece.normalize(text, spare)?,
            Self::Sequence(normalizers) => {
                for normalizer in normalizers {
                    normalizer.normalize(text, spare)?;
                }
            }
        }
        text.check_growth(text.text().len())
    }

    /// Returns the settings of `SentencePiece`'s normalization, if it is that.
    #[must_use]
    pub fn sentencepiece(&self) -> Option<&SentencePiece> {
        if let Self::SentencePiece(own) = self { Some(own) } else { None }
    }

    /// Returns whether it sets Chinese characters apart.
    pub(crate) fn separates_chinese(&self) -> bool {
        self.steps().any(|step| matches!(step, Self::Bert(bert) if bert.handle_chinese_chars))
    }

    /// Returns the strip with which it begins, and the normalizers after it.
    pub(crate) fn leading_strip(&self) -> Option<(Strip, Option<Self>)> {
        let mut steps = self.steps();
        let Self::Strip(strip) = steps.next()? else { return None };
        let rest: Vec<_> = steps.cloned().collect();
        Some((*strip, (!rest.is_empty()).then_some(Self::Sequence(rest))))
    }

    /// Returns whether compiled rules are the first, except for a strip.
    pub(crate) fn rewrites_first(&self) -> bool {
        let first = self.steps().find(|step| !matches!(step, Self::Strip(_)));
        matches!(first, Some(Self::Precompiled(_)))
    }

    /// Returns whether a regular expression that is not known decides what it changes.
    pub(crate) fn has_unknown_pattern(&self) -> bool {
        self.steps().any(|step| matches!(step, Self::Replace { pattern, .. } if !pattern.is_known()))
    }

    /// Returns the text that this step of a normalizer writes for spaces, and whether one more is written before a text and
    /// after it.
    ///
    /// The normalizer of Llama does so with `Prepend("▁")` and `Replace(" ", "▁")`.
    pub(crate) fn space_mark(&self, whole: &Self) -> Option<(&str, bool, bool)> {
        match self {
            Self::SentencePiece(own) => {
                let own = own.settings();
                let (text, suffix) = (if own.escape_whitespaces { SPACE } else { " " }, own.treat_whitespace_as_suffix);
                Some((text, own.add_dummy_prefix && !suffix, own.add_dummy_prefix && suffix))
            }
            Self::Replace { pattern, content }
                if !pattern.is_regex() && pattern.source() == " " && !content.is_empty() =>
            {
                let is_prepended = |step: &Self| matches!(step, Self::Prepend(text) if text == content);
                Some((content, whole.steps().any(is_prepended), false))
            }
            _ => None,
        }
    }

    /// Returns how many times the normalizer writes bytes as the characters that represent them.
    pub(crate) fn byte_levels(&self) -> usize {
        self.steps().filter(|step| **step == Self::ByteLevel).count()
    }

    /// Returns how much context the normalizer needs, and what it changes.
    pub(crate) fn locality(&self) -> Locality<'_> {
        match self {
            Self::Bert(bert) => bert.locality(),
            Self::Form(form) => form.locality(),
            Self::Lowercase => case::locality(),
            Self::Strip(strip) => strip.locality(),
            Self::StripAccents => strip::locality_of_accents(),
            Self::Replace { pattern, content } => replace::locality(self, pattern, content),
            Self::Prepend(prefix) => Locality { prepends_metaspace: prefix == SPACE, ..Locality::default() },
            Self::Precompiled(precompiled) => precompiled.locality(),
            Self::SentencePiece(own) => {
                Locality { metaspaces: Metaspaces::of_sentencepiece(self, own), ..Locality::default() }
            }
            Self::Sequence(_) => Locality::of_sequence(self.steps().map(Self::locality)),
            Self::Nmt | Self::ByteLevel => Locality::default(),
        }
    }

    /// Whether the output may contain characters without origin, which affects later stages.
    pub(crate) fn makes_up_characters(&self) -> bool {
        self.steps().any(|step| match step {
            Self::Replace { pattern, .. } => pattern.may_match_empty(),
            Self::Prepend(prefix) => prefix.is_empty(),
            _ => false,
        })
    }

    /// Returns this normalizer, or those of a sequence in order.
    pub fn steps(&self) -> Box<dyn Iterator<Item = &Self> + '_> {
        match self {
            Self::Sequence(normalizers) => Box::new(normalizers.iter().flat_map(Self::steps)),
            _ => Box::new(std::iter::once(self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(normalizer: &Normalizer, text: &str) -> String {
        let (mut normalized, mut spare) = Default::default();
        Normalized::start(&mut normalized, text, 0, true);
        normalizer.normalize(&mut normalized, &mut spare).unwrap();
        normalized.text().to_owned()
    }

    #[test]
    fn each_alone() {
        let strip = Strip { left: true, right: false };
        for (normalizer, text, expected) in [
            (Normalizer::Form(UnicodeForm::Nfc), "e\u{301}", "é"),
            (Normalizer::Form(UnicodeForm::Nfd), "é", "e\u{301}"),
            (Normalizer::Form(UnicodeForm::Nfkc), "ﬁ\u{301}", "fí"),
            (Normalizer::Form(UnicodeForm::Nfkd), "ﬁ²", "fi2"),
            (Normalizer::Nmt, "a\u{b}b\u{200b}c\t", "ab c "),
            (Normalizer::Lowercase, "AΣİ", "aσi\u{307}"),
            (Normalizer::Strip(strip), "\u{3000} a ", "a "),
            (Normalizer::StripAccents, "e\u{301}x", "ex"),
            (Normalizer::Prepend("_".to_owned()), "ab", "_ab"),
            (Normalizer::ByteLevel, "é a", "Ã©Ġa"),
            (Normalizer::Replace { pattern: Pattern::literal("b"), content: "xx".to_owned() }, "abcb", "axxcxx"),
        ] {
            assert_eq!(normalized(&normalizer, text), expected, "{normalizer:?}");
            let twice = Normalizer::Sequence(vec![Normalizer::Sequence(vec![normalizer.clone()])]);
            assert_eq!(normalized(&twice, text), expected);
            assert_eq!(normalized(&normalizer, ""), "");
        }
    }
}
