//! Templates such as `[CLS] $A [SEP]`: where special tokens go, and which type ids the parts get.

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
    /// Special tokens, under the name that the file gives them.
    Special {
        /// The name.
        name: String,
        /// Their ids.
        ids: Vec<u32>,
        /// Their type id.
        type_id: u32,
    },
}

/// What stands around one text, and around a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// For one text.
    pub single: Vec<Piece>,
    /// For a pair.
    pub pair: Vec<Piece>,
}

impl Template {
    /// The template of BERT: `[CLS] A [SEP]` and `[CLS] A [SEP] B [SEP]`, the second text with type id 1.
    #[must_use]
    pub fn bert((cls, cls_id): (&str, u32), (sep, sep_id): (&str, u32)) -> Self {
        let special = |name: &str, id, type_id| Piece::Special { name: name.to_owned(), ids: vec![id], type_id };
        let single = vec![special(cls, cls_id, 0), Piece::Sequence { index: 0, type_id: 0 }, special(sep, sep_id, 0)];
        let mut pair = single.clone();
        pair.extend([Piece::Sequence { index: 1, type_id: 1 }, special(sep, sep_id, 1)]);
        Self { single, pair }
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

    /// No special tokens: the texts one after the other, the second with type id 1.
    #[must_use]
    pub fn plain() -> Self {
        let sequence = |index, type_id| Piece::Sequence { index, type_id };
        Self { single: vec![sequence(0, 0)], pair: vec![sequence(0, 0), sequence(1, 1)] }
    }

    /// Whether the first (0) or second (1) text stands in the template for one text or for a pair.
    #[must_use]
    pub fn uses(&self, pair: bool, text: usize) -> bool {
        self.pieces(pair).iter().any(|piece| matches!(piece, Piece::Sequence { index, .. } if *index == text))
    }

    /// The pieces for one text or for a pair.
    #[must_use]
    pub fn pieces(&self, pair: bool) -> &[Piece] {
        if pair { &self.pair } else { &self.single }
    }
}
