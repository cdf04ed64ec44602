//! Locality: what a normalizer promises of how far it looks, and of what it changes.
//!
//! The fast path cuts a text into chunks, and what a chunk becomes must not depend on what stands around it. Each normalizer says
//! what it promises as a [`Locality`], in its own file; a way of cutting asks for the properties that it needs, and for no normalizer
//! by name. A normalizer that promises nothing is right, too: its texts take the generic path.

use super::{LONG_CLUSTER, Normalizer, Precompiled, SentencePiece};
use crate::text::unicode::CharSet;

/// The properties that a normalizer guarantees, each independent of the others; the default guarantees nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Locality<'a> {
    /// It looks at one character at a time, canonical reordering aside, and makes no other changes to ASCII than these.
    pub(crate) characters: Option<CharacterChanges>,
    /// It does not look past ASCII white space, which stays white space, and makes no other changes to ASCII than these.
    pub(crate) ascii: Option<AsciiChanges>,
    /// It leaves texts of NFC-inert characters as they are.
    pub(crate) keeps_inert_nfc: bool,
    /// It does not look past a space, and makes no other changes than these.
    pub(crate) words: Option<WordChanges<'a>>,
    /// It puts a metaspace before the text, and does no more.
    pub(crate) prepends_metaspace: bool,
    /// It writes spaces as metaspaces in this way, and looks past none of them.
    pub(crate) metaspaces: Option<Metaspaces<'a>>,
}

/// The changes to ASCII and ideographs of a normalizer that looks at one character at a time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CharacterChanges {
    /// Control characters vanish, and white space becomes a space.
    pub(crate) drops_controls: bool,
    /// Ideographs get spaces around them.
    pub(crate) isolates_ideographs: bool,
    /// ASCII letters become lower case.
    pub(crate) lowercases: bool,
}

/// The changes to ASCII of a normalizer that does not look past ASCII white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct AsciiChanges {
    /// Letters become lower case.
    pub(crate) lowercases: bool,
}

/// The changes of a normalizer that does not look past a space.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WordChanges<'a> {
    /// The rules by which it rewrites characters, before or after all else.
    pub(crate) rules: Option<Rewrites<'a>>,
    /// Whether white space at the end of the text vanishes.
    pub(crate) strips_end: bool,
    /// What several spaces in a row become.
    pub(crate) space_runs: SpaceRuns,
    /// Which characters may change beside those of the rules.
    pub(crate) changed: ChangedCharacters,
}

/// What several spaces in a row become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum SpaceRuns {
    /// They stay as many spaces.
    #[default]
    Kept,
    /// One space.
    Space,
    /// One metaspace.
    Metaspace,
}

/// Which characters may change, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum ChangedCharacters {
    /// None.
    #[default]
    None,
    /// Printable ASCII, to other printable ASCII.
    Graphic,
    /// All, in case; marks, controls, white space and what a normalization form may change also together with their neighbours.
    All,
}

/// Rules by which single characters, or a few together, are replaced.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rewrites<'a> {
    rules: &'a Precompiled,
    /// The bytes before a place that may decide what becomes of what follows.
    pub(crate) window: usize,
}

/// The longest [`Rewrites::window`] there is.
pub(crate) const LONGEST_WINDOW: usize = LONG_CLUSTER - 1;

/// How a normalizer writes the spaces of a text as metaspaces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Metaspaces<'a> {
    /// Whether a metaspace is put before the text.
    pub(crate) prefix: bool,
    /// Whether one space stays of several in a row, and none at the ends.
    pub(crate) collapses: bool,
    /// The rules by which characters are rewritten before that.
    pub(crate) rules: Option<Rewrites<'a>>,
    /// Texts that stay as they are, but for their spaces.
    pub(crate) symbols: &'a [String],
    source: MetaspaceSource<'a>,
}

/// What writes metaspaces.
#[derive(Debug, Clone, Copy)]
enum MetaspaceSource<'a> {
    /// A normalizer that replaces each space, and does no more.
    Replace(&'a Normalizer),
    SentencePiece(&'a SentencePiece),
}

impl<'a> Locality<'a> {
    /// The locality of a normalizer that does nothing.
    const IDENTITY: Self = Self {
        characters: Some(CharacterChanges { drops_controls: false, isolates_ideographs: false, lowercases: false }),
        ascii: Some(AsciiChanges { lowercases: false }),
        keeps_inert_nfc: true,
        words: Some(WordChanges {
            rules: None,
            strips_end: false,
            space_runs: SpaceRuns::Kept,
            changed: ChangedCharacters::None,
        }),
        prepends_metaspace: false,
        metaspaces: None,
    };

    /// Returns the locality of normalizers that follow each other.
    pub(super) fn of_sequence(steps: impl Iterator<Item = Self>) -> Self {
        steps.reduce(Self::then).unwrap_or(Self::IDENTITY)
    }

    fn then(self, next: Self) -> Self {
        Self {
            characters: merge(self.characters, next.characters, CharacterChanges::and),
            ascii: merge(self.ascii, next.ascii, |one, other| {
                Some(AsciiChanges { lowercases: one.lowercases || other.lowercases })
            }),
            keeps_inert_nfc: self.keeps_inert_nfc && next.keeps_inert_nfc,
            words: merge(self.words, next.words, WordChanges::and),
            prepends_metaspace: false,
            metaspaces: next
                .metaspaces
                .filter(|spaces| self.prepends_metaspace && spaces.changes_only_spaces())
                .map(|spaces| Metaspaces { prefix: true, ..spaces }),
        }
    }
}

/// Returns what two steps promise together, if both do.
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
    /// Returns the changes of both; `None` if what one set of rules writes may be rewritten by another.
    fn and(self, other: Self) -> Option<Self> {
        if self.rules.is_some() && other.rules.is_some() {
            return None;
        }
        Some(Self {
            rules: self.rules.or(other.rules),
            strips_end: self.strips_end || other.strips_end,
            space_runs: self.space_runs.max(other.space_runs),
            changed: self.changed.max(other.changed),
        })
    }
}

impl<'a> Rewrites<'a> {
    pub(super) fn new(rules: &'a Precompiled, window: usize) -> Self {
        debug_assert!(window <= LONGEST_WINDOW, "blocks of text have room for no longer window");
        Self { rules, window }
    }

    /// Returns the characters that the rules replace, alone or after others; `None` if there are too many rules.
    ///
    /// A text without any of these characters is unchanged.
    pub(crate) fn changed(&self) -> Option<&'a CharSet> {
        self.rules.active()
    }

    /// Returns whether a byte by itself becomes a space.
    pub(crate) fn makes_space(&self, byte: u8) -> bool {
        self.rules.becomes(byte, " ")
    }

    /// Returns whether a byte may stand in a rule beside others.
    pub(crate) fn joins(&self, byte: u8) -> bool {
        self.rules.joins(byte)
    }
}

impl<'a> Metaspaces<'a> {
    /// Returns how a normalizer does it that replaces each space by a metaspace.
    pub(super) fn of_replacement(normalizer: &'a Normalizer) -> Self {
        let source = MetaspaceSource::Replace(normalizer);
        Self { prefix: false, collapses: false, rules: None, symbols: &[], source }
    }

    /// Returns how SentencePiece does it; `None` where it leaves spaces, or puts one behind the text.
    pub(super) fn of_sentencepiece(normalizer: &'a SentencePiece) -> Option<Self> {
        let settings = normalizer.settings();
        let writes = settings.escape_whitespaces && !settings.treat_whitespace_as_suffix;
        writes.then(|| Self {
            prefix: settings.add_dummy_prefix,
            collapses: settings.remove_extra_whitespaces,
            // Each rule is the longest that fits where it begins.
            rules: settings.rules.as_ref().map(|rules| Rewrites::new(rules, 1)),
            symbols: &settings.user_defined_symbols,
            source: MetaspaceSource::SentencePiece(normalizer),
        })
    }

    /// Returns whether each space becomes a metaspace, and nothing else changes but the front of the text.
    pub(crate) fn changes_only_spaces(&self) -> bool {
        matches!(self.source, MetaspaceSource::Replace(_))
    }

    /// Returns what normalizes a chunk that does not begin the text: where it begins with a space, and elsewhere.
    pub(crate) fn chunk_normalizers(&self) -> Option<[Normalizer; 2]> {
        match self.source {
            MetaspaceSource::Replace(normalizer) => Some([normalizer.clone(), normalizer.clone()]),
            // Where spaces are removed from the front, the metaspace for them is put there again.
            MetaspaceSource::SentencePiece(normalizer) => {
                let with_prefix = |prefix| normalizer.with_prefix(prefix).ok().map(Normalizer::SentencePiece);
                Some([with_prefix(self.collapses)?, with_prefix(false)?])
            }
        }
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

    fn rules() -> Normalizer {
        Normalizer::Precompiled(Precompiled::new(b"\x04\0\0\0\xff\xff\xff\x7fab\0".to_vec()).unwrap())
    }

    /// Which of the properties a normalizer has: characters, ASCII, inert, words, metaspaces.
    fn promises(normalizer: &Normalizer) -> [bool; 5] {
        let Locality { characters, ascii, keeps_inert_nfc, words, metaspaces, .. } = normalizer.locality();
        [characters.is_some(), ascii.is_some(), keeps_inert_nfc, words.is_some(), metaspaces.is_some()]
    }

    #[test]
    fn each_promises_what_it_keeps() {
        let bert = Normalizer::Bert(BertNormalizer::default());
        for (normalizer, wanted) in [
            (bert, [true, false, false, false, false]),
            (Normalizer::Lowercase, [true, true, false, true, false]),
            (Normalizer::StripAccents, [true, false, false, true, false]),
            (Normalizer::Form(UnicodeForm::Nfd), [true, true, false, true, false]),
            (Normalizer::Form(UnicodeForm::Nfc), [false, true, true, true, false]),
            (Normalizer::Form(UnicodeForm::Nfkc), [false, true, false, true, false]),
            (Normalizer::Strip(Strip { left: false, right: true }), [false, false, false, true, false]),
            (Normalizer::Strip(Strip { left: true, right: false }), [false; 5]),
            (replace_regex(r"\s+", " "), [false, true, false, false, false]),
            (replace_regex(" {2,}", SPACE), [false, false, false, true, false]),
            (replace("``", "\""), [false, false, false, true, false]),
            (replace("` `", "\""), [false; 5]),
            (replace(" ", SPACE), [false, false, false, false, true]),
            (rules(), [false, false, false, true, false]),
            (Normalizer::Nmt, [false; 5]),
            (Normalizer::ByteLevel, [false; 5]),
            (Normalizer::Prepend(SPACE.to_owned()), [false; 5]),
            (Normalizer::Sequence(Vec::new()), [true, true, true, true, false]),
        ] {
            assert_eq!(promises(&normalizer), wanted, "{normalizer:?}");
            let once = Normalizer::Sequence(vec![Normalizer::Sequence(vec![normalizer.clone()])]);
            assert_eq!(promises(&once), wanted, "{once:?}");
        }
    }

    #[test]
    fn a_sequence_promises_what_all_its_steps_do() {
        let prepend = || Normalizer::Prepend(SPACE.to_owned());
        for (steps, wanted) in [
            (vec![Normalizer::Lowercase, Normalizer::Form(UnicodeForm::Nfc)], [false, true, false, true, false]),
            (vec![Normalizer::StripAccents, Normalizer::Form(UnicodeForm::Nfd)], [true, false, false, true, false]),
            (vec![rules(), Normalizer::Lowercase], [false, false, false, true, false]),
            (vec![rules(), rules()], [false; 5]),
            (vec![prepend(), replace(" ", SPACE)], [false, false, false, false, true]),
            (vec![replace(" ", SPACE), prepend()], [false; 5]),
            (vec![prepend(), prepend(), replace(" ", SPACE)], [false; 5]),
            (vec![Normalizer::Lowercase, replace(" ", SPACE)], [false; 5]),
        ] {
            let sequence = Normalizer::Sequence(steps);
            assert_eq!(promises(&sequence), wanted, "{sequence:?}");
        }
    }

    #[test]
    fn spaces_are_written_before_the_text_and_in_it() {
        let settings = SentencePieceSettings {
            rules: None,
            add_dummy_prefix: true,
            remove_extra_whitespaces: true,
            escape_whitespaces: true,
            treat_whitespace_as_suffix: false,
            user_defined_symbols: vec!["<a>".to_owned()],
        };
        let made =
            |settings: &SentencePieceSettings| Normalizer::SentencePiece(SentencePiece::new(settings.clone()).unwrap());
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
