//! Byte-pair encoding: a vocabulary, and merges that are applied to the characters of each word in their order.
//!
//! See `spec/bpe.md`. `alphabet` has the entries of single characters, `pairs` the merges, `halves` finds the pairs that make
//! an entry, and `infer_merges` infers merges from ranks. `encode` encodes a word: from left to right (`backtracking`, with
//! `derivations`, `last_merges` and `trie`) or, if the model does not allow that, by merging (`merging`). `unused` splits
//! entries that are not tokens. `adjacency`
//! computes safe split points of a text, `parts` those of a long word, `unreachable` the entries that no text becomes, and
//! `steps` the merges of a word for explanations. A byte-level tokenizer writes bytes as
//! characters before the model.

mod adjacency;
mod alphabet;
mod backtracking;
mod derivations;
mod encode;
mod halves;
mod infer_merges;
mod last_merges;
mod made;
mod merging;
mod pairs;
mod parts;
mod steps;
pub mod train;
mod trie;
mod unreachable;
mod unused;

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Message, Result, shorten};
use crate::model::entries::TablesByEntries;
use crate::model::{DropoutTrait, ModelTraits};
use crate::text::bytes::byte_entry;
use crate::vocab::{AllowedEntries, ReservedEntries, Vocab};
use alphabet::Alphabet;
use backtracking::BacktrackingEncoder;
use derivations::InputForm;
pub use merging::BpeScratch;
use pairs::MergeTable;
pub use pairs::PairMerge;
pub(crate) use parts::WordParts;
pub use steps::{MergeStep, MergeSteps, UnusedSplit};
use unused::Splits;

/// The rank of an entry that no merge produces.
pub const NO_RANK: u32 = u32::MAX;

/// The settings of a [`Bpe`] model besides its vocabulary and merges.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BpeSettings {
    /// The token of characters that are not entries; without it they are dropped.
    pub unk_token: Option<String>,
    /// The prefix of an entry that continues a word; may be empty.
    pub continuing_subword_prefix: String,
    /// The suffix of an entry that ends a word; may be empty.
    pub end_of_word_suffix: String,
    /// The place of the suffix.
    pub suffix_style: SuffixStyle,
    /// Whether a run of unknown characters is one unknown token.
    pub fuse_unk: bool,
    /// Whether an unknown character becomes the entries `<0x00>` to `<0xFF>` of its bytes, if the vocabulary has them.
    pub byte_fallback: bool,
    /// Whether a word that is an entry becomes that entry without merging.
    pub ignore_merges: bool,
    /// The probability with which a possible merge is skipped; `None` for never.
    pub dropout: Option<f32>,
    /// The ids of entries that are not tokens: if merging produces one, it is split again, or is unknown.
    pub unused: BTreeSet<u32>,
}

/// The place of the suffix that marks the end of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SuffixStyle {
    /// The suffix is part of the last character.
    #[default]
    Attached,
    /// The suffix is a separate symbol after the last character.
    Separate,
}

impl BpeSettings {
    /// Returns the suffix with which the last character of a word is looked up.
    fn attached_suffix(&self) -> &str {
        if self.suffix_style == SuffixStyle::Attached { &self.end_of_word_suffix } else { "" }
    }

    /// Returns the symbol after the last character of a word, if there is one.
    fn separate_suffix(&self) -> Option<String> {
        let Self { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, .. } = self;
        let separate = self.suffix_style == SuffixStyle::Separate && !suffix.is_empty();
        separate.then(|| [prefix.as_str(), suffix].concat())
    }
}

/// The pairs that merge, and their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merges {
    /// Pairs of ids, the first merged first; the last position of a repeated pair counts.
    Listed(Vec<(u32, u32)>),
    /// Any two entries whose concatenation is an entry with a rank; the lowest rank is merged first.
    Implied(Vec<u32>),
}

/// A BPE model, immutable once built and cheap to clone.
///
/// ```
/// use piecework_core::model::bpe::{Bpe, Merges, BpeSettings};
/// use piecework_core::vocab::Vocab;
///
/// let vocab = Vocab::from_tokens(["l", "o", "w", "lo", "low"].map(String::from))?;
/// let model = Bpe::listed(vocab, vec![(0, 1), (3, 2)], BpeSettings::default())?;
/// assert_eq!(model.merged_id((3, 2)), Some(4));
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bpe {
    vocab: Arc<Vocab>,
    merges: Arc<Merges>,
    settings: Arc<BpeSettings>,
    unk_id: Option<u32>,
    splits: Arc<OnceLock<Splits>>,
    reserved: Arc<ReservedEntries>,
    /// Built by [`Self::build_tables`], or when the first word is encoded: decoding and inspecting a file do not need them.
    tables: TablesByEntries<OnceLock<Tables>>,
}

/// The tables for encoding words.
#[derive(Debug)]
struct Tables {
    /// The entries that the tables contain.
    entries: AllowedEntries,
    alphabet: Alphabet,
    pairs: MergeTable,
    /// Whether every unknown character becomes a token or fallback entries that never merge.
    unknown_never_merges: bool,
    /// The backtracking encoders of words as text and as bytes, if the merges allow them.
    backtracking: [OnceLock<Option<BacktrackingEncoder>>; 2],
    /// Where byte-level words may be cut, if they may.
    parts: OnceLock<Option<WordParts>>,
}

impl Bpe {
    /// Returns the model with these merges, each of which must produce an entry.
    ///
    /// A merge concatenates the left text and the right text without the prefix, with which the right text must begin.
    pub fn listed(vocab: Vocab, merges: Vec<(u32, u32)>, settings: BpeSettings) -> Result<Self> {
        let mut text = String::new();
        for (place, &pair) in merges.iter().enumerate() {
            if merged(&vocab, pair, &settings.continuing_subword_prefix, &mut text).is_none() {
                return Err(Error::Vocabulary(
                    unknown_merge(&vocab, place, pair, &settings.continuing_subword_prefix).into(),
                ));
            }
        }
        Self::over(Arc::new(vocab), Arc::new(Merges::Listed(merges)), settings)
    }

    /// Returns the model in which two adjacent entries merge if their concatenation has a rank.
    ///
    /// The lowest rank is merged first, and of equal ranks the leftmost; an id without a rank has [`NO_RANK`].
    pub fn implied(vocab: Vocab, ranks: Vec<u32>, settings: BpeSettings) -> Result<Self> {
        if ranks.len() != vocab.id_limit() as usize {
            return Err(Error::Vocabulary(
                format!("{} ranks were given for {} ids", ranks.len(), vocab.id_limit()).into(),
            ));
        }
        if !settings.continuing_subword_prefix.is_empty() {
            let message =
                Message::new("merges by rank join entries as they are").hint("pass `continuing_subword_prefix=\"\"`");
            return Err(Error::Config(message));
        }
        Self::over(Arc::new(vocab), Arc::new(Merges::Implied(ranks)), settings)
    }

    fn over(vocab: Arc<Vocab>, merges: Arc<Merges>, settings: BpeSettings) -> Result<Self> {
        if let Some(dropout) = settings.dropout.filter(|dropout| !(0.0..=1.0).contains(dropout)) {
            return Err(Error::Config(
                Message::new(format!("expected a number from 0 to 1, found {dropout}")).setting("dropout"),
            ));
        }
        let unk_id = settings.unk_token.as_ref().and_then(|unk| vocab.id(unk));
        unused::check(&vocab, &settings, unk_id)?;
        let (settings, splits, reserved) = (Arc::new(settings), Arc::default(), Arc::default());
        Ok(Self { vocab, merges, settings, unk_id, splits, reserved, tables: TablesByEntries::default() })
    }

    /// Returns the model with other settings; the prefix, on which merges depend, must not change.
    pub fn with_settings(&self, settings: BpeSettings) -> Result<Self> {
        if settings.continuing_subword_prefix != self.settings.continuing_subword_prefix {
            let message = "the merges of a model are made for its continuing_subword_prefix, which cannot be changed";
            return Err(Error::Config(message.into()));
        }
        let changed = Self::over(Arc::clone(&self.vocab), Arc::clone(&self.merges), settings)?;
        Ok(changed.with_reserved((*self.reserved).clone()))
    }

    /// Returns the model with these reserved entries.
    #[must_use]
    pub fn with_reserved(&self, reserved: ReservedEntries) -> Self {
        if reserved == *self.reserved {
            return self.clone();
        }
        let tables = self.tables.with_reserved(reserved.filtered(|ids| self.produced(ids)));
        Self { reserved: Arc::new(reserved), tables, ..self.clone() }
    }

    /// Returns those of some entries that a text may become: the tables without the others are equal to those with them.
    fn produced(&self, ids: &HashSet<u32>) -> HashSet<u32> {
        let BpeSettings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, .. } = self.settings();
        if !prefix.is_empty() || !suffix.is_empty() {
            // The marks of a character's position may overlap, and a merge may have an empty half.
            return ids.clone();
        }
        let BpeSettings { ignore_merges, byte_fallback, .. } = self.settings();
        let made = self.made(&ids.iter().copied().collect::<Vec<_>>());
        let bytes: HashSet<u32> = match byte_fallback {
            true => (0..=255).filter_map(|byte| self.vocab().id(&byte_entry(byte))).collect(),
            false => HashSet::new(),
        };
        let is_whole_word = |id| *ignore_merges && self.is_whole_word(id);
        ids.iter().copied().filter(|id| made.contains(id) || bytes.contains(id) || is_whole_word(*id)).collect()
    }

    /// Returns the vocabulary.
    #[must_use]
    pub fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    /// Returns the merges.
    #[must_use]
    pub fn merges(&self) -> &Merges {
        &self.merges
    }

    /// Returns the settings.
    #[must_use]
    pub fn settings(&self) -> &BpeSettings {
        &self.settings
    }

    /// Returns what is true of the model, whatever word it encodes.
    pub(super) fn traits(&self) -> ModelTraits {
        let settings = self.settings();
        ModelTraits {
            kind: "BPE",
            unk_token: settings.unk_token.clone(),
            unk_id: self.unk_id(),
            continuing_subword_prefix: settings.continuing_subword_prefix.clone(),
            end_of_word_suffix: settings.end_of_word_suffix.clone(),
            drops_unknown: settings.unk_token.is_none(),
            names_unknown: [false, true],
            dropout: DropoutTrait::Own(settings.dropout),
            ..ModelTraits::default()
        }
    }

    /// Returns the unknown token's id, if the vocabulary has one.
    #[must_use]
    pub fn unk_id(&self) -> Option<u32> {
        self.unk_id
    }

    /// Returns the merges as a list: the given list, or the merges inferred from ranks.
    ///
    /// If no two ranks are equal, a model with this list encodes every text alike. The cost is that of encoding every
    /// entry once.
    #[must_use]
    pub fn merge_list(&self) -> Vec<(u32, u32)> {
        match self.merges() {
            Merges::Listed(merges) => merges.clone(),
            Merges::Implied(ranks) => {
                infer_merges::merges(self.vocab(), ranks).into_iter().map(|merge| merge.pair).collect()
            }
        }
    }

    /// Returns the id of the entry that a pair concatenates to, whether or not the pair is a merge.
    #[must_use]
    pub fn merged_id(&self, pair: (u32, u32)) -> Option<u32> {
        merged(self.vocab(), pair, &self.settings().continuing_subword_prefix, &mut String::new())
    }

    /// Builds the tables that encode words of these entries, as bytes or as text, and in parts or as a whole.
    pub(crate) fn build_tables(&self, entries: AllowedEntries, as_bytes: bool, in_parts: bool) {
        let tables = self.tables(entries);
        if self.settings().dropout.is_some_and(|dropout| dropout > 0.0) {
            // Words are encoded by merging.
            return;
        }
        if !as_bytes || self.backtracking(tables, InputForm::Bytes).is_none() {
            self.backtracking(tables, InputForm::Text);
        }
        if in_parts {
            self.word_parts(entries);
        }
        self.splits();
    }

    /// Returns the tables of these entries.
    fn tables(&self, entries: AllowedEntries) -> &Tables {
        self.tables.of(entries).get_or_init(|| self.make_tables(entries))
    }

    /// Returns the backtracking encoder for words of this form, if the merges allow one.
    fn backtracking<'a>(&self, tables: &'a Tables, form: InputForm) -> Option<&'a BacktrackingEncoder> {
        tables.backtracking[form as usize].get_or_init(|| self.make_encoder(tables, form)).as_ref()
    }

    fn make_tables(&self, entries: AllowedEntries) -> Tables {
        let allowed = |id| self.tables.allows(entries, id);
        let Self { vocab, merges, settings, .. } = self;
        let alphabet = Alphabet::new(vocab, settings, &allowed);
        let pairs = match &**merges {
            Merges::Listed(list) => MergeTable::listed(vocab, list, &settings.continuing_subword_prefix, allowed),
            Merges::Implied(ranks) => infer_merges::pairs(vocab, ranks, allowed),
        };
        let known = settings.unk_token.is_some() || alphabet.falls_back();
        let unknown: HashSet<u32> = alphabet.fallbacks().chain(self.unk_id()).collect();
        let unknown_never_merges =
            known && !pairs.iter().any(|PairMerge { pair, .. }| [pair.0, pair.1].iter().any(|id| unknown.contains(id)));
        Tables {
            entries,
            alphabet,
            pairs,
            unknown_never_merges,
            backtracking: Default::default(),
            parts: OnceLock::new(),
        }
    }
}

/// Returns the id of a merged pair; its text is left in `text`.
fn merged(vocab: &Vocab, (left, right): (u32, u32), prefix: &str, text: &mut String) -> Option<u32> {
    text.clear();
    text.push_str(vocab.token(left)?);
    let right = vocab.token(right)?;
    text.push_str(right.strip_prefix(prefix)?);
    vocab.id(text)
}

fn unknown_merge(vocab: &Vocab, place: usize, (left, right): (u32, u32), prefix: &str) -> String {
    let name = |id| vocab.token(id).map_or_else(|| format!("id {id}"), |token| format!("{:?}", shorten(token)));
    let text = |id| vocab.token(id).unwrap_or_default();
    let merge = format!("merge {place} ({}, {})", name(left), name(right));
    match text(right).strip_prefix(prefix) {
        Some(rest) => {
            let made = [text(left), rest].concat();
            format!("{merge} makes {:?}, which is not in the vocabulary", shorten(&made))
        }
        None => {
            format!("{merge}: the right one does not begin with the prefix {prefix:?} of tokens that continue a word")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::added::SpecialsPolicy;
    use crate::model::Model;
    use crate::pipeline::{Input, Options, Scratch, Tokenizer, TokenizerParts};
    use crate::pretokenize::PreTokenizer;
    use crate::settings::ByteLevel;
    use crate::splitter::WordSplitter;
    use crate::text::bytes::byte_to_char;

    /// Returns a byte-level model with the entries `hu`, `hug` and one that no merge makes.
    fn model(ignore_merges: bool) -> Bpe {
        let bytes = (0..=255).map(|byte| byte_to_char(byte).to_string());
        let vocab = Vocab::from_tokens(bytes.chain(["hu", "hug", "<s>"].map(String::from))).unwrap();
        let merges = [("h", "u"), ("hu", "g")].map(|(left, right)| (vocab.id(left).unwrap(), vocab.id(right).unwrap()));
        Bpe::listed(vocab, merges.to_vec(), BpeSettings { ignore_merges, ..BpeSettings::default() }).unwrap()
    }

    #[test]
    fn the_first_call_builds_no_tables_again() {
        let byte_level = ByteLevel { add_prefix_space: false, use_regex: true, trim_offsets: true };
        for (pre_tokenizer, is_bytes) in [(Some(PreTokenizer::ByteLevel(byte_level)), true), (None, false)] {
            let splitter = WordSplitter::new(None, pre_tokenizer).unwrap();
            let parts = TokenizerParts::new(splitter, Model::Bpe(model(false)));
            let tokenizer = Tokenizer::new(parts).unwrap();
            let built = || {
                let Model::Bpe(bpe) = tokenizer.model() else { unreachable!() };
                let tables = bpe.tables.of(AllowedEntries::All).get();
                let has_form = |tables: &Tables| tables.backtracking.each_ref().map(|form| form.get().is_some());
                tables.map(|tables| (has_form(tables), tables.parts.get().is_some()))
            };
            assert_eq!(built(), None);
            tokenizer.build_tables(&SpecialsPolicy::AsFormat);
            assert_eq!(built(), Some(([!is_bytes, is_bytes], is_bytes)));
            let text = Input::Text("hugs hug 中文字的一段很长的文字");
            tokenizer.encode(text, None, &Options::default(), &mut Scratch::default()).unwrap();
            assert_eq!(built(), Some(([!is_bytes, is_bytes], is_bytes)));
        }
    }

    #[test]
    fn special_tokens_that_no_text_becomes_have_no_tables_of_their_own() {
        let shares = |model: &Bpe, special: &str| {
            let id = model.vocab().id(special).unwrap();
            let model = model.with_reserved(HashSet::from([id]).into());
            std::ptr::eq(model.tables(AllowedEntries::All), model.tables(AllowedEntries::Ordinary))
        };
        assert!(shares(&model(false), "<s>"));
        assert!(!shares(&model(false), "hug"));
        assert!(!shares(&model(false), "h"));
        assert!(!shares(&model(true), "<s>"));
        let id = model(false).vocab().id("<s>").unwrap();
        let special = model(false).with_reserved(HashSet::from([id]).into());
        let changed = special.with_settings(BpeSettings { ignore_merges: true, ..BpeSettings::default() }).unwrap();
        assert!(!changed.tables.allows(AllowedEntries::Ordinary, id), "all special ids apply to other settings");
    }
}
