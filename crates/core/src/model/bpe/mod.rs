//! Byte-pair encoding: a vocabulary, and merges that are applied to the characters of each word, the first of them first.
//!
//! See `spec/bpe.md`. `alphabet` has the entries that single characters become, `pairs` the merges, `recover` merges
//! that are nowhere written down. `encode` takes a word to tokens: from left to right (`forward`, with `made` and `trie`) or,
//! where that cannot be done, by merging (`merging`). `adjacency` says where a text may be cut, `unreachable` what no text becomes.
//! Bytes need no model of their own: a byte-level tokenizer writes them as characters first.

mod adjacency;
mod alphabet;
mod encode;
mod forward;
mod made;
mod merging;
mod pairs;
mod recover;
pub mod train;
mod unreachable;
mod unused;

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result, shorten};
use crate::vocab::Vocab;
use alphabet::Alphabet;
use forward::Forward;
use made::{Spelling, made};
pub use merging::Merging;
use pairs::Pairs;
use unused::Splits;

/// The rank of an entry that no merge makes.
pub const NO_RANK: u32 = u32::MAX;

/// The settings of a [`Bpe`] model beside its vocabulary and merges.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// What characters become that are no entries; without it they vanish.
    pub unk_token: Option<String>,
    /// What marks an entry that continues a word; may be empty.
    pub continuing_subword_prefix: String,
    /// What marks an entry that ends a word; may be empty.
    pub end_of_word_suffix: String,
    /// Where that goes.
    pub suffix_style: SuffixStyle,
    /// Whether a run of unknown characters is one unknown token.
    pub fuse_unk: bool,
    /// Whether an unknown character becomes the entries `<0x00>` to `<0xFF>` of its bytes, where the vocabulary has them.
    pub byte_fallback: bool,
    /// Whether a word that is an entry is that entry, however it would merge.
    pub ignore_merges: bool,
    /// How likely a possible merge is passed over; `None` for never.
    pub dropout: Option<f32>,
    /// The ids of entries that are no tokens: where merging leaves one, it is split again, or is unknown.
    pub unused: BTreeSet<u32>,
}

/// Where the mark at the end of a word goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SuffixStyle {
    /// To the last character.
    #[default]
    Attached,
    /// Behind it, as a symbol of its own.
    Separate,
}

impl Settings {
    /// What the last character of a word is looked up with.
    fn attached_suffix(&self) -> &str {
        if self.suffix_style == SuffixStyle::Attached { &self.end_of_word_suffix } else { "" }
    }

    /// The symbol behind the last character of a word, if there is one.
    fn separate_suffix(&self) -> Option<String> {
        let Self { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, .. } = self;
        let separate = self.suffix_style == SuffixStyle::Separate && !suffix.is_empty();
        separate.then(|| [prefix.as_str(), suffix].concat())
    }
}

/// Which neighbours merge, and which of them first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merges {
    /// Pairs of ids, the first in the list first; of a pair that stands there twice the last place counts.
    Listed(Vec<(u32, u32)>),
    /// Any two whose concatenation is an entry with a rank; the lowest rank goes first.
    Implied(Vec<u32>),
}

/// A BPE model, immutable once built and cheap to clone.
#[derive(Debug, Clone)]
pub struct Bpe {
    shared: Arc<Shared>,
    /// The ids that text must not produce where special tokens are no more than text.
    specials: HashSet<u32>,
    /// Built when first asked for; models with the same special tokens share it.
    without_specials: Arc<OnceLock<Tables>>,
}

#[derive(Debug)]
struct Shared {
    vocab: Arc<Vocab>,
    merges: Arc<Merges>,
    settings: Settings,
    unk_id: Option<u32>,
    /// Built when the first word is encoded: whoever decodes, or looks at a file, has no need of them.
    tables: OnceLock<Tables>,
    splits: OnceLock<Splits>,
}

/// What words are merged by.
#[derive(Debug)]
struct Tables {
    alphabet: Alphabet,
    pairs: Pairs,
    /// Whether every unknown character becomes something, and that merges with nothing.
    unknown_stay_apart: bool,
    /// What encodes from left to right, if the merges are such that anything can: words as they are, and as bytes.
    forward: [OnceLock<Option<Forward>>; 2],
}

impl Bpe {
    /// The model with these merges, each of which must make an entry: the left one followed by the right one without its
    /// prefix, which it must have.
    pub fn listed(vocab: Vocab, merges: Vec<(u32, u32)>, settings: Settings) -> Result<Self> {
        let mut text = String::new();
        for (place, &pair) in merges.iter().enumerate() {
            if merged(&vocab, pair, &settings.continuing_subword_prefix, &mut text).is_none() {
                return Err(Error::Vocabulary(unknown_merge(&vocab, place, pair, &settings.continuing_subword_prefix)));
            }
        }
        Self::over(Arc::new(vocab), Arc::new(Merges::Listed(merges)), settings)
    }

    /// The model in which any two neighbours merge that make an entry with a rank, the lowest rank first, and of equal
    /// ranks the leftmost; an id without a rank has [`NO_RANK`].
    pub fn implied(vocab: Vocab, ranks: Vec<u32>, settings: Settings) -> Result<Self> {
        if ranks.len() != vocab.id_limit() as usize {
            return Err(Error::Vocabulary(format!("{} ranks were given for {} ids", ranks.len(), vocab.id_limit())));
        }
        if !settings.continuing_subword_prefix.is_empty() {
            let message = "merges by rank join entries as they are; leave the continuing_subword_prefix empty";
            return Err(Error::Config(message.to_owned()));
        }
        Self::over(Arc::new(vocab), Arc::new(Merges::Implied(ranks)), settings)
    }

    fn over(vocab: Arc<Vocab>, merges: Arc<Merges>, settings: Settings) -> Result<Self> {
        if let Some(dropout) = settings.dropout.filter(|dropout| !(0.0..=1.0).contains(dropout)) {
            return Err(Error::Config(format!("dropout={dropout} is no probability; expected 0 to 1")));
        }
        let unk_id = settings.unk_token.as_ref().and_then(|unk| vocab.id(unk));
        unused::check(&vocab, &settings, unk_id)?;
        let shared =
            Arc::new(Shared { vocab, merges, settings, unk_id, tables: OnceLock::new(), splits: OnceLock::new() });
        Ok(Self { shared, specials: HashSet::new(), without_specials: Arc::default() })
    }

    /// The same model with other settings; merges depend on the prefix, which stays.
    pub fn with_settings(&self, settings: Settings) -> Result<Self> {
        let Shared { vocab, merges, settings: old, .. } = &*self.shared;
        if settings.continuing_subword_prefix != old.continuing_subword_prefix {
            let message = "the merges of a model are made for its continuing_subword_prefix, which cannot be changed";
            return Err(Error::Config(message.to_owned()));
        }
        let changed = Self::over(Arc::clone(vocab), Arc::clone(merges), settings)?;
        Ok(changed.with_specials(self.specials.clone()))
    }

    /// The same model; on request no text produces these ids.
    #[must_use]
    pub fn with_specials(&self, specials: HashSet<u32>) -> Self {
        let is_same = specials == self.specials;
        let without_specials = if is_same { Arc::clone(&self.without_specials) } else { Arc::default() };
        Self { shared: Arc::clone(&self.shared), specials, without_specials }
    }

    /// The vocabulary.
    #[must_use]
    pub fn vocab(&self) -> &Vocab {
        &self.shared.vocab
    }

    /// Which neighbours merge.
    #[must_use]
    pub fn merges(&self) -> &Merges {
        &self.shared.merges
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// The unknown token's id, where the vocabulary has one.
    #[must_use]
    pub fn unk_id(&self) -> Option<u32> {
        self.shared.unk_id
    }

    /// The merges as a list: as it was given, or the merges that the ranks come to.
    ///
    /// Where no two ranks are equal, a model with this list encodes every text alike. The cost is that of encoding every
    /// entry once.
    #[must_use]
    pub fn recovered(&self) -> Vec<(u32, u32)> {
        match self.merges() {
            Merges::Listed(merges) => merges.clone(),
            Merges::Implied(ranks) => {
                recover::merges(self.vocab(), ranks).into_iter().map(|merge| merge.pair).collect()
            }
        }
    }

    /// The id of what a merge makes.
    #[must_use]
    pub fn made(&self, pair: (u32, u32)) -> Option<u32> {
        merged(self.vocab(), pair, &self.settings().continuing_subword_prefix, &mut String::new())
    }

    /// What words are merged by: all entries, or all but the special ones.
    fn tables(&self, specials: bool) -> &Tables {
        if specials || self.specials.is_empty() {
            return self.shared.tables.get_or_init(|| self.make_tables(|_| true));
        }
        self.without_specials.get_or_init(|| self.make_tables(|id| !self.specials.contains(&id)))
    }

    /// What encodes words of this spelling from left to right, if anything can.
    fn forward<'a>(&self, tables: &'a Tables, spelling: Spelling) -> Option<&'a Forward> {
        let Tables { alphabet, pairs, forward, .. } = tables;
        let make = || {
            let made = made(self.vocab(), self.settings(), alphabet, pairs, spelling)?;
            Forward::new(made, self.vocab().id_limit() as usize)
        };
        forward[usize::from(spelling == Spelling::Bytes)].get_or_init(make).as_ref()
    }

    fn make_tables(&self, allowed: impl Fn(u32) -> bool) -> Tables {
        let Shared { vocab, merges, settings, .. } = &*self.shared;
        let alphabet = Alphabet::new(vocab, settings, &allowed);
        let pairs = match &**merges {
            Merges::Listed(list) => Pairs::listed(vocab, list, &settings.continuing_subword_prefix, allowed),
            Merges::Implied(ranks) => recover::pairs(vocab, ranks, allowed),
        };
        let known = settings.unk_token.is_some() || alphabet.falls_back();
        let unknown: HashSet<u32> = alphabet.fallbacks().chain(self.unk_id()).collect();
        let unknown_stay_apart =
            known && !pairs.iter().any(|(left, right)| [left, right].iter().any(|id| unknown.contains(id)));
        Tables { alphabet, pairs, unknown_stay_apart, forward: Default::default() }
    }
}

/// The id of what a merge makes; its text is left in `text`.
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
