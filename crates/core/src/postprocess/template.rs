//! Templates such as `[CLS] $A [SEP]`: where special tokens go, and which type ids the parts get.

use std::collections::BTreeMap;

use crate::encoding::{Encoding, NamedToken};
use crate::error::{Error, Result};
use crate::vocab::Vocab;

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// The tokens of the first (0) or second (1) text.
    Sequence {
        /// Which text.
        index: usize,
        /// The type id of its tokens.
        type_id: u32,
    },
    /// Special tokens, by the name under which the template lists them.
    Special {
        /// The name.
        name: String,
        /// Their type id.
        type_id: u32,
    },
}

/// The special tokens that a template has a name for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Special {
    /// What the file calls them, mostly the same name again.
    pub id: String,
    /// The tokens.
    pub tokens: Vec<NamedToken>,
}

/// What stands around one text, and around a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// For one text.
    pub single: Vec<Piece>,
    /// For a pair.
    pub pair: Vec<Piece>,
    /// The special tokens by name.
    pub specials: BTreeMap<String, Special>,
}

/// So many combinations of overflowing parts are made at the most, by templates in which a text stands twice too.
const MOST_COMBINED: usize = 1 << 16;

/// Refuses texts of which so many parts overflow that their combinations would take the memory.
fn check_combined(pieces: &[Piece], encodings: &[Encoding]) -> Result<()> {
    let parts = |piece: &Piece| match piece {
        Piece::Sequence { index, .. } => encodings.get(*index).map_or(1, |encoding| 1 + encoding.overflowing.len()),
        Piece::Special { .. } => 1,
    };
    let combined = pieces.iter().map(parts).fold(1, usize::saturating_mul);
    if combined <= MOST_COMBINED {
        return Ok(());
    }
    Err(Error::Truncation(format!(
        "the template makes {combined} combinations of the parts that overflow; raise max_length, or truncate only one of \
         the texts (strategy \"only_first\" or \"only_second\")"
    )))
}

impl Piece {
    fn is_sequence(&self, number: usize) -> bool {
        matches!(self, Self::Sequence { index, .. } if *index == number)
    }
}

impl Template {
    /// The template of BERT: `[CLS] A [SEP]` and `[CLS] A [SEP] B [SEP]`, the second text with type id 1.
    #[must_use]
    pub fn bert(cls: (&str, u32), sep: (&str, u32)) -> Self {
        let special = |name: &str, type_id| Piece::Special { name: name.to_owned(), type_id };
        let single = vec![special(cls.0, 0), Piece::Sequence { index: 0, type_id: 0 }, special(sep.0, 0)];
        let mut pair = single.clone();
        pair.extend([Piece::Sequence { index: 1, type_id: 1 }, special(sep.0, 1)]);
        let specials = [cls, sep].map(|(name, id)| {
            (name.to_owned(), Special { id: name.to_owned(), tokens: vec![NamedToken::new(name, id)] })
        });
        Self { single, pair, specials: specials.into() }
    }

    /// BERT's template, if `[CLS]` and `[SEP]` are among `specials`, all of which are in `vocab`.
    #[must_use]
    pub fn bert_of(vocab: &Vocab, specials: &[impl AsRef<str>]) -> Option<Self> {
        let named = |name: &'static str| {
            let id = vocab.id(specials.iter().find(|special| special.as_ref() == name)?.as_ref())?;
            Some((name, id))
        };
        Some(Self::bert(named("[CLS]")?, named("[SEP]")?))
    }

    /// The pieces for one text or for a pair.
    #[must_use]
    pub fn pieces(&self, pair: bool) -> &[Piece] {
        if pair { &self.pair } else { &self.single }
    }

    pub(super) fn added_tokens(&self, pair: bool) -> usize {
        let count = |piece: &Piece| match piece {
            Piece::Sequence { .. } => 0,
            Piece::Special { name, .. } => self.specials.get(name).map_or(0, |special| special.tokens.len()),
        };
        self.pieces(pair).iter().map(count).sum()
    }

    pub(super) fn tokens_mut(&mut self) -> impl Iterator<Item = &mut NamedToken> {
        self.specials.values_mut().flat_map(|special| &mut special.tokens)
    }

    pub(super) fn process(&self, mut encodings: Vec<Encoding>, specials: bool) -> Result<Vec<Encoding>> {
        let count = encodings.len();
        if !(1..=2).contains(&count) {
            return Err(Error::Config(format!(
                "a template takes one or two encodings, and the post-processor before it gives {count}; let the \
                 template come first"
            )));
        }
        let mut list = Vec::new();
        let pieces = self.pieces(count == 2);
        check_combined(pieces, &encodings)?;
        for (place, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Sequence { index, type_id } => {
                    let Some(encoding) = encodings.get_mut(*index) else {
                        return Err(Error::Config("the template for one text asks for a second one".to_owned()));
                    };
                    encoding.set_type_ids(*type_id);
                    encoding.set_sequence(*index);
                    // A text that stands twice in a template keeps what it was given the first time.
                    let again = pieces[place + 1..].iter().any(|piece| piece.is_sequence(*index));
                    list.push(if again { encoding.clone() } else { std::mem::take(encoding) });
                }
                Piece::Special { name, type_id } if specials => {
                    let Some(special) = self.specials.get(name) else {
                        return Err(Error::Config(format!("the template does not say what {name:?} is")));
                    };
                    list.push(Encoding::of_specials(&special.tokens, *type_id));
                }
                Piece::Special { .. } => {}
            }
        }
        Ok(list)
    }
}
