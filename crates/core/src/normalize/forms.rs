//! The four Unicode normalization forms, with the tables and the alignment of the reference library.
//!
//! Most characters are unchanged: no form changes them, and no later character can. Runs of them are copied; the text
//! between, from the last unchanged character before it, is normalized by the crate that the reference library uses.

use unicode_normalization_alignments::UnicodeNormalization;

use super::locality::{ChangedCharacters, CharacterChanges, Locality, WordChanges};
use super::{Normalized, Rewriter};
use crate::text::unicode::Class;

/// A normalization form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnicodeForm {
    /// Canonical composition.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
}

impl UnicodeForm {
    pub(super) fn locality(self) -> Locality<'static> {
        Locality {
            // The other forms compose or replace characters, and character kinds do not show which.
            characters: (self == Self::Nfd).then(CharacterChanges::default),
            ascii: Some(CharacterChanges::default()),
            may_change: Some(self.may_change()),
            words: Some(WordChanges { changed: ChangedCharacters::All, ..WordChanges::default() }),
            ..Locality::default()
        }
    }

    pub(super) fn normalize(self, text: &mut Normalized, spare: &mut Normalized) {
        let may_change = self.may_change();
        let is_unchanged = |c: char| c.is_ascii() || !may_change.contains(c);
        if text.text().chars().all(is_unchanged) && text.is_whole() {
            return;
        }
        text.rewrite(spare, |to| {
            let source = to.source();
            if !to.is_whole() {
                return self.write(source, to);
            }
            let mut rest = source;
            while let Some(at) = rest.find(|c| !is_unchanged(c)) {
                // A mark may compose with the unchanged character before it.
                let start = rest[..at].char_indices().next_back().map_or(at, |(before, _)| before);
                let end = rest[at..].find(is_unchanged).map_or(rest.len(), |length| at + length);
                let base = source.len() - rest.len();
                to.copy_to(base + start);
                self.write(&rest[start..end], to);
                rest = &rest[end..];
            }
            to.copy_to(source.len());
        });
    }

    fn may_change(self) -> Class {
        match self {
            Self::Nfc => Class::MAY_CHANGE_NFC,
            Self::Nfd => Class::MAY_CHANGE_NFD,
            Self::Nfkc => Class::MAY_CHANGE_NFKC,
            Self::Nfkd => Class::MAY_CHANGE_NFKD,
        }
    }

    fn write(self, text: &str, to: &mut Rewriter<'_>) {
        match self {
            Self::Nfc => text.nfc().for_each(|(c, change)| to.change(c, change)),
            Self::Nfd => text.nfd().for_each(|(c, change)| to.change(c, change)),
            Self::Nfkc => text.nfkc().for_each(|(c, change)| to.change(c, change)),
            Self::Nfkd => text.nfkd().for_each(|(c, change)| to.change(c, change)),
        }
    }
}
