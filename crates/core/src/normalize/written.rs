//! The characters that a normalizer can write, to prove that no word contains a character.

use super::{Normalized, Normalizer, UnicodeForm};
use crate::error::Result;
use crate::text::unicode::CharSet;

/// A letter that the normalizers of single characters neither change nor join with another.
const SEPARATOR: char = 'q';

impl Normalizer {
    /// Returns the characters of all normalized texts, and a few more; those that represent bytes are left out.
    pub(crate) fn written(&self) -> Result<CharSet> {
        let mut steps = self.steps().take_while(|step| !matches!(step, Self::ByteLevel));
        steps.try_fold(all(), |from, step| step.written_of(from))
    }

    /// Returns the characters that one step writes for texts of these characters.
    fn written_of(&self, from: CharSet) -> Result<CharSet> {
        match self {
            Self::Strip(_) | Self::ByteLevel | Self::Sequence(_) => Ok(from),
            Self::Prepend(text) => Ok(from.iter().chain(text.chars()).collect()),
            Self::Replace { pattern, content } => {
                let is_kept = |c: &char| pattern.is_regex() || !pattern.source().chars().eq([*c]);
                Ok(from.iter().filter(is_kept).chain(content.chars()).collect())
            }
            Self::Precompiled(rules) => Ok(rules.written_of(&from)),
            Self::SentencePiece(own) => Ok(own.written_of(&from)),
            Self::Form(UnicodeForm::Nfc) => self.composed(&from, UnicodeForm::Nfd),
            Self::Form(UnicodeForm::Nfkc) => self.composed(&from, UnicodeForm::Nfkd),
            Self::Bert(_) | Self::Form(_) | Self::Nmt | Self::Lowercase | Self::StripAccents => {
                Ok(self.apart(&from)?.chars().collect())
            }
        }
    }

    /// Returns the characters that a composing form writes: those whose parts the decomposing form writes.
    fn composed(&self, from: &CharSet, decomposing: UnicodeForm) -> Result<CharSet> {
        let parts: CharSet = Self::Form(decomposing).apart(from)?.chars().collect();
        let (mut text, mut spare) = <(Normalized, Normalized)>::default();
        let mut is_made = |c: &char| {
            parts.contains(*c) || {
                text.start(c.encode_utf8(&mut [0; 4]), 0, false);
                UnicodeForm::Nfd.normalize(&mut text, &mut spare);
                text.text().chars().all(|part| parts.contains(part))
            }
        };
        let stable: CharSet = self.apart(&all())?.chars().collect();
        Ok(stable.iter().filter(|c| is_made(c)).collect())
    }

    /// Returns the characters that normalized texts have only with a space before and after them.
    pub(crate) fn isolated(&self) -> Result<CharSet> {
        if !self.locality().characters.is_some_and(|changes| changes.isolates_ideographs) {
            return Ok(CharSet::default());
        }
        let mut joined = CharSet::default();
        let text = self.apart(&all())?;
        let (mut before, mut chars) = (' ', text.chars().peekable());
        while let Some(c) = chars.next() {
            if before != ' ' || chars.peek().is_some_and(|after| *after != ' ') {
                joined.insert(c);
            }
            before = c;
        }
        Ok(text.chars().filter(|c| !joined.contains(*c)).collect())
    }

    /// Returns the normalized forms of characters, with a letter before and after each.
    fn apart(&self, characters: &CharSet) -> Result<String> {
        let mut letters = String::from(SEPARATOR);
        letters.extend(characters.iter().flat_map(|c| [c, SEPARATOR]));
        let (mut text, mut spare) = <(Normalized, Normalized)>::default();
        text.start(&letters, 0, false);
        self.normalize(&mut text, &mut spare)?;
        Ok(text.text().to_owned())
    }
}

/// Returns all characters.
fn all() -> CharSet {
    ('\0'..=char::MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::{BertNormalizer, SPACE, SentencePiece, SentencePieceSettings};
    use crate::text::pattern::Pattern;

    fn replace(pattern: &str, content: &str) -> Normalizer {
        Normalizer::Replace { pattern: Pattern::literal(pattern), content: content.to_owned() }
    }

    fn sentencepiece(symbols: &[&str]) -> Normalizer {
        let settings = SentencePieceSettings {
            user_defined_symbols: symbols.iter().map(|&symbol| symbol.to_owned()).collect(),
            ..SentencePieceSettings::of(None).unwrap()
        };
        Normalizer::SentencePiece(SentencePiece::new(settings).unwrap().into())
    }

    #[test]
    fn characters_that_are_written_or_not() {
        let form = Normalizer::Form;
        for (steps, written, others) in [
            (vec![], "aAé\0\u{301}中", ""),
            (vec![Normalizer::Lowercase], "aé\u{301}", "AÉ"),
            (vec![Normalizer::Bert(BertNormalizer::default())], "a中 ", "AÉé\u{301}\0\t"),
            (vec![form(UnicodeForm::Nfd)], "e\u{301}\u{1100}", "é가\u{212A}"),
            (vec![form(UnicodeForm::Nfkc)], "é가fi", "ﬁ²\u{212A}"),
            (vec![form(UnicodeForm::Nfkd), form(UnicodeForm::Nfc)], "é가fi", "ﬁ²\u{212A}"),
            (vec![Normalizer::Lowercase, form(UnicodeForm::Nfd), form(UnicodeForm::Nfc)], "éḉ가", "É"),
            // A mathematical E has no lower case, and is an E with marks by its compatibility decomposition.
            (vec![Normalizer::Lowercase, form(UnicodeForm::Nfkc)], "éÉ", "\u{212A}ﬁ"),
            (vec![form(UnicodeForm::Nfd), Normalizer::StripAccents, form(UnicodeForm::Nfc)], "e가", "é\u{301}"),
            (vec![replace("a", "bé"), replace("é", "")], "bc", "aé"),
            (vec![replace("ab", ""), Normalizer::Prepend("a".to_owned())], "ab", ""),
            (vec![Normalizer::Lowercase, Normalizer::ByteLevel], "aé ", "A"),
            (vec![replace(" ", ""), sentencepiece(&[])], "aA", " "),
            (
                vec![Normalizer::Precompiled(super::super::Precompiled::named("nmt_nfkc_cf").unwrap().unwrap().into())],
                { "aé가" },
                "AÉﬁ\u{200B}",
            ),
        ] {
            let normalizer = Normalizer::Sequence(steps);
            let found = normalizer.written().unwrap();
            assert!(written.chars().all(|c| found.contains(c)), "{normalizer:?}");
            assert!(!others.chars().any(|c| found.contains(c)), "{normalizer:?}");
        }
    }

    #[test]
    fn sentencepiece_writes_metaspaces_for_spaces() {
        let escaped = SentencePieceSettings { escape_whitespaces: true, ..SentencePieceSettings::of(None).unwrap() };
        let found = Normalizer::SentencePiece(SentencePiece::new(escaped).unwrap().into()).written().unwrap();
        assert!(SPACE.chars().all(|c| found.contains(c)) && !found.contains(' '));
        let found = Normalizer::Sequence(vec![Normalizer::Lowercase, sentencepiece(&["Ab"])]).written().unwrap();
        assert!(found.contains('A') && !found.contains('B'));
    }

    #[test]
    fn ideographs_are_isolated_by_normalizers_of_single_characters() {
        let bert =
            |handle_chinese_chars| Normalizer::Bert(BertNormalizer { handle_chinese_chars, ..Default::default() });
        for (steps, wanted) in [
            (vec![bert(true)], true),
            (vec![Normalizer::Form(UnicodeForm::Nfd), bert(true), Normalizer::Lowercase], true),
            (vec![bert(false)], false),
            (vec![bert(true), Normalizer::Form(UnicodeForm::Nfc)], false),
            (vec![bert(true), replace("中", "a")], false),
            (vec![], false),
        ] {
            let normalizer = Normalizer::Sequence(steps);
            let found = normalizer.isolated().unwrap();
            assert_eq!(found.contains('中'), wanted, "{normalizer:?}");
            assert!(!found.contains('a') && !found.contains(' '));
        }
    }
}
