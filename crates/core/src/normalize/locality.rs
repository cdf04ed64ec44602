//! Locality: how much context a normalizer needs, and what it changes.
//!
//! The fast path cuts a text into chunks, and the normal form of a chunk must not depend on the text around it. Each
//! normalizer declares its [`Locality`] in its own file. The plan asks for the properties that it needs, and for no
//! normalizer by name. A normalizer without properties is correct too: its texts take the generic path.

use super::{Normalizer, Precompiled, SentencePiece};
use crate::text::unicode::Class;

/// The properties that a normalizer guarantees, each independent of the others; the default guarantees nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Locality<'a> {
    /// It maps each character by itself, except for canonical reordering, and makes no other changes to ASCII.
    pub(crate) characters: Option<CharacterChanges>,
    /// It needs no context beyond ASCII white space, which stays white space, and makes only these changes to ASCII.
    pub(crate) ascii: Option<CharacterChanges>,
    /// It does not change texts without characters of these properties, and a text may be split before any other character.
    pub(crate) may_change: Option<Class>,
    /// It needs no context beyond a space, and makes no other changes.
    pub(crate) words: Option<WordChanges<'a>>,
    /// It only prepends a metaspace to the text.
    pub(crate) prepends_metaspace: bool,
    /// It writes spaces as metaspaces, and needs no context beyond them.
    pub(crate) metaspaces: Option<Metaspaces<'a>>,
}

/// The changes to ASCII and ideographs of a normalizer that maps each character by itself.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CharacterChanges {
    /// Control characters are removed, and white space becomes a space.
    pub(crate) drops_controls: bool,
    /// Ideographs are surrounded with spaces.
    pub(crate) isolates_ideographs: bool,
    /// ASCII letters become lower case.
    pub(crate) lowercases: bool,
}

/// The changes of a normalizer that needs no context beyond a space.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WordChanges<'a> {
    /// The rules that replace characters, or a few together, before or after the other changes.
    ///
    /// At most [`Precompiled::LONGEST_WINDOW`] bytes before a position affect the result after it.
    pub(crate) rules: Option<&'a Precompiled>,
    /// Whether white space in a row, and each tab or line end, becomes a space.
    pub(crate) joins_whitespace: bool,
    /// Whether white space at the end of the text is removed.
    pub(crate) strips_end: bool,
    /// The result for several spaces in a row.
    pub(crate) space_runs: SpaceRuns,
    /// The characters that may change, apart from those of the rules.
    pub(crate) changed: ChangedCharacters,
}

/// The result of a normalizer for several spaces in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum SpaceRuns {
    /// One or several spaces.
    #[default]
    Any,
    /// One space.
    Space,
    /// One metaspace.
    Metaspace,
}

/// The characters that may change, from the fewest to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum ChangedCharacters {
    /// None.
    #[default]
    None,
    /// Printable ASCII, to other printable ASCII.
    Graphic,
    /// All, in case; marks, controls, white space and those that normalization forms change, also with neighbours.
    All,
}

/// How a normalizer writes the spaces of a text as metaspaces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Metaspaces<'a> {
    /// Whether a metaspace is prepended to the text.
    pub(crate) prefix: bool,
    /// Whether runs of spaces become one, and those at the ends are removed.
    pub(crate) collapses: bool,
    /// The rules that replace characters first, each the longest that matches at its position.
    pub(crate) rules: Option<&'a Precompiled>,
    /// Texts that do not change, except for their spaces.
    pub(crate) symbols: &'a [String],
    /// The normalizer that writes them.
    normalizer: &'a Normalizer,
}

impl<'a> Locality<'a> {
    /// Returns the locality of a sequence of normalizers.
    pub(super) fn of_sequence(steps: impl Iterator<Item = Self>) -> Self {
        let identity = || Self {
            characters: Some(CharacterChanges::default()),
            ascii: Some(CharacterChanges::default()),
            may_change: Some(Class::NONE),
            words: Some(WordChanges::default()),
            ..Self::default()
        };
        steps.reduce(Self::then).unwrap_or_else(identity)
    }

    fn then(self, next: Self) -> Self {
        Self {
            characters: merge(self.characters, next.characters, CharacterChanges::and),
            ascii: merge(self.ascii, next.ascii, CharacterChanges::and),
            may_change: merge(self.may_change, next.may_change, |one, other| Some(one.union(other))),
            words: merge(self.words, next.words, WordChanges::and),
            prepends_metaspace: false,
            metaspaces: next
                .metaspaces
                .filter(|spaces| self.prepends_metaspace && spaces.changes_only_spaces())
                .map(|spaces| Metaspaces { prefix: true, ..spaces }),
        }
    }
}

impl Locality<'_> {
    /// Returns the rules of a normalizer that changes nothing but spaces beside them; `None` if it may change more.
    pub(crate) fn only_rules(&self) -> Option<Option<&Precompiled>> {
        if let Some(spaces) = &self.metaspaces {
            return Some(spaces.rules);
        }
        self.words.filter(|words| words.changed == ChangedCharacters::None).map(|words| words.rules)
    }
}

/// Returns the property of two steps in order, if both have it.
fn merge<T>(one: Option<T>, other: Option<T>, and: impl FnOnce(T, T) -> Option<T>) -> Option<T> {
    and(one?, other?)
}

impl CharacterChanges {
    fn and(self, other: Self) -> Option<Self> {
        Some(Self {
            drops_controls: self.drops_controls || other.drops_controls,
            isolates_ideographs: self.isolates_ideographs || other.isolates_ideographs,
            lowercases: self.lowercases || other.lowercases,
        })
    }
}

impl WordChanges<'_> {
    /// Returns the changes of both; `None` if one set of rules may rewrite the output of another, or if other white space
    /// may become a space after spaces in a row have become a metaspace.
    fn and(self, other: Self) -> Option<Self> {
        let may_write_spaces = other.rules.is_some() || other.joins_whitespace;
        let writes_metaspaces = self.space_runs == SpaceRuns::Metaspace;
        if other.rules.is_some() && self.rules.is_some() || may_write_spaces && writes_metaspaces {
            return None;
        }
        let space_runs = if may_write_spaces { SpaceRuns::Any } else { self.space_runs };
        Some(Self {
            rules: self.rules.or(other.rules),
            joins_whitespace: self.joins_whitespace || other.joins_whitespace,
            strips_end: self.strips_end || other.strips_end,
            space_runs: space_runs.max(other.space_runs),
            changed: self.changed.max(other.changed),
        })
    }
}

impl<'a> Metaspaces<'a> {
    /// Returns the metaspaces of a normalizer that replaces each space with one.
    pub(super) fn of_replacement(normalizer: &'a Normalizer) -> Self {
        Self { prefix: false, collapses: false, rules: None, symbols: &[], normalizer }
    }

    /// Returns the metaspaces of SentencePiece; `None` if it keeps spaces, or appends one to the text.
    pub(super) fn of_sentencepiece(normalizer: &'a Normalizer, own: &'a SentencePiece) -> Option<Self> {
        let settings = own.settings();
        let writes = settings.escape_whitespaces && !settings.treat_whitespace_as_suffix;
        writes.then(|| Self {
            prefix: settings.add_dummy_prefix,
            collapses: settings.remove_extra_whitespaces,
            rules: settings.precompiled_charsmap.as_deref(),
            symbols: &settings.user_defined_symbols,
            normalizer,
        })
    }

    /// Returns whether nothing changes but spaces, and the start of the text.
    pub(crate) fn changes_only_spaces(&self) -> bool {
        !matches!(self.normalizer, Normalizer::SentencePiece(_))
    }

    /// Returns whether nothing changes but spaces, each by itself, the start of the text, and the offsets of symbols.
    pub(crate) fn keeps_characters(&self) -> bool {
        self.rules.is_none() && !self.collapses
    }

    /// Returns the normalizers of a chunk that is not the first: if it begins with a space, and if not.
    pub(crate) fn chunk_normalizers(&self) -> Option<[Normalizer; 2]> {
        let Normalizer::SentencePiece(own) = self.normalizer else {
            return Some([self.normalizer.clone(), self.normalizer.clone()]);
        };
        // If spaces at the start are removed, the metaspace for them is prepended again.
        let with_prefix = |prefix| own.with_prefix(prefix).ok().map(|own| Normalizer::SentencePiece(own.into()));
        Some([with_prefix(self.collapses)?, with_prefix(false)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::{BertNormalizer, SPACE, SentencePieceSettings, Strip, UnicodeForm};
    use crate::text::pattern::Pattern;

    fn replace(pattern: &str, content: &str) -> Normalizer {
        Normalizer::Replace { pattern: Pattern::literal(pattern), content: content.to_owned() }
    }

    fn replace_regex(pattern: &str, content: &str) -> Normalizer {
        Normalizer::Replace { pattern: Pattern::regex(pattern).unwrap(), content: content.to_owned() }
    }

    fn joined() -> Normalizer {
        replace_regex(r"\s{2,}|[\n\r\t]", " ")
    }

    fn rules() -> Normalizer {
        Normalizer::Precompiled(Precompiled::new(b"\x04\0\0\0\xff\xff\xff\x7fab\0".to_vec()).unwrap().into())
    }

    /// Returns which properties a normalizer has: characters, ASCII, may change, words, metaspaces.
    fn properties(normalizer: &Normalizer) -> [bool; 5] {
        let Locality { characters, ascii, may_change, words, metaspaces, .. } = normalizer.locality();
        [characters.is_some(), ascii.is_some(), may_change.is_some(), words.is_some(), metaspaces.is_some()]
    }

    #[test]
    fn properties_of_each_normalizer() {
        let bert = Normalizer::Bert(BertNormalizer::default());
        for (normalizer, wanted) in [
            (bert, [true, false, false, false, false]),
            (Normalizer::Lowercase, [true, true, false, true, false]),
            (Normalizer::StripAccents, [true, false, false, true, false]),
            (Normalizer::Form(UnicodeForm::Nfd), [true, true, true, true, false]),
            (Normalizer::Form(UnicodeForm::Nfc), [false, true, true, true, false]),
            (Normalizer::Form(UnicodeForm::Nfkc), [false, true, true, true, false]),
            (Normalizer::Strip(Strip { left: false, right: true }), [false, false, false, true, false]),
            (Normalizer::Strip(Strip { left: true, right: false }), [false; 5]),
            (replace_regex(r"\s+", " "), [false, true, false, false, false]),
            (replace_regex(" {2,}", SPACE), [false, false, false, true, false]),
            (joined(), [false, false, false, true, false]),
            (replace("``", "\""), [false, false, false, true, false]),
            (replace("``", ""), [false; 5]),
            (replace("", "\""), [false; 5]),
            (replace("` `", "\""), [false; 5]),
            (replace(" ", SPACE), [false, false, false, false, true]),
            (rules(), [false, false, false, true, false]),
            (Normalizer::Nmt, [false; 5]),
            (Normalizer::ByteLevel, [false; 5]),
            (Normalizer::Prepend(SPACE.to_owned()), [false; 5]),
            (Normalizer::Sequence(Vec::new()), [true, true, true, true, false]),
        ] {
            assert_eq!(properties(&normalizer), wanted, "{normalizer:?}");
            let once = Normalizer::Sequence(vec![Normalizer::Sequence(vec![normalizer.clone()])]);
            assert_eq!(properties(&once), wanted, "{once:?}");
        }
    }

    #[test]
    fn a_sequence_has_the_properties_of_all_steps() {
        let prepend = || Normalizer::Prepend(SPACE.to_owned());
        for (steps, wanted) in [
            (vec![Normalizer::Lowercase, Normalizer::Form(UnicodeForm::Nfc)], [false, true, false, true, false]),
            (vec![Normalizer::StripAccents, Normalizer::Form(UnicodeForm::Nfd)], [true, false, false, true, false]),
            (vec![rules(), Normalizer::Lowercase], [false, false, false, true, false]),
            (vec![rules(), rules()], [false; 5]),
            (vec![rules(), replace_regex(" {2,}", " ")], [false, false, false, true, false]),
            (vec![replace_regex(" {2,}", " "), rules()], [false, false, false, true, false]),
            (vec![replace_regex(" {2,}", SPACE), rules()], [false; 5]),
            (vec![replace_regex(" {2,}", SPACE), joined()], [false; 5]),
            (vec![joined(), replace_regex(" {2,}", SPACE)], [false, false, false, true, false]),
            (vec![prepend(), replace(" ", SPACE)], [false, false, false, false, true]),
            (vec![replace(" ", SPACE), prepend()], [false; 5]),
            (vec![prepend(), prepend(), replace(" ", SPACE)], [false; 5]),
            (vec![Normalizer::Lowercase, replace(" ", SPACE)], [false; 5]),
        ] {
            let sequence = Normalizer::Sequence(steps);
            assert_eq!(properties(&sequence), wanted, "{sequence:?}");
        }
    }

    #[test]
    fn metaspaces_before_the_text_and_in_it() {
        let settings = SentencePieceSettings {
            precompiled_charsmap: None,
            add_dummy_prefix: true,
            remove_extra_whitespaces: true,
            escape_whitespaces: true,
            treat_whitespace_as_suffix: false,
            user_defined_symbols: vec!["<a>".to_owned()],
        };
        let made = |settings: &SentencePieceSettings| {
            Normalizer::SentencePiece(SentencePiece::new(settings.clone()).unwrap().into())
        };
        let own = made(&settings);
        let spaces = own.locality().metaspaces.unwrap();
        assert!(spaces.prefix && spaces.collapses && !spaces.changes_only_spaces());
        assert_eq!(spaces.symbols, ["<a>"]);
        let later = SentencePieceSettings { add_dummy_prefix: false, ..settings.clone() };
        assert_eq!(spaces.chunk_normalizers().unwrap(), [own.clone(), made(&later)]);
        let suffix = made(&SentencePieceSettings { treat_whitespace_as_suffix: true, ..settings });
        assert!(suffix.locality().metaspaces.is_none());

        let steps = vec![Normalizer::Prepend(SPACE.to_owned()), replace(" ", SPACE)];
        let (both, one) = (Normalizer::Sequence(steps), replace(" ", SPACE));
        let spaces = both.locality().metaspaces.unwrap();
        assert!(spaces.prefix && !spaces.collapses && spaces.changes_only_spaces());
        assert_eq!(spaces.chunk_normalizers().unwrap(), [one.clone(), one.clone()]);
        assert!(!one.locality().metaspaces.unwrap().prefix);
    }
}
