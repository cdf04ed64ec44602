//! The post-processors of BERT and RoBERTa, which add special tokens before and after each text.

use super::{TokenTexts, trim};
use crate::encoding::{Encoding, NamedToken};

/// The format `[CLS] A [SEP] B [SEP]`; the second text and the token after it have type id 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bert {
    /// The token before the first text.
    pub cls: NamedToken,
    /// The token after each text.
    pub sep: NamedToken,
}

/// The format `<s> A </s></s> B </s>`, all with type id 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roberta {
    /// The special tokens.
    pub tokens: Bert,
    /// Whether spaces are excluded from offsets.
    pub trim_offsets: bool,
    /// Whether the first space of a text was inserted by the pre-tokenizer.
    pub add_prefix_space: bool,
}

impl Bert {
    /// Adds the special tokens of BERT to each text.
    pub(super) fn process(&self, encodings: Vec<Encoding>) -> Vec<Encoding> {
        let places = encodings.into_iter().enumerate();
        places
            .map(|(place, encoding)| {
                let before = if place == 0 { Some(&self.cls) } else { None };
                for_each_window(encoding, |part| self.surround(part, before, place, u32::from(place > 0)))
            })
            .collect()
    }

    /// Adds special tokens around the text with the index `place`; all texts after the first count as the second.
    fn surround(&self, mut part: Encoding, before: Option<&NamedToken>, place: usize, type_id: u32) -> Encoding {
        let (length, sequence) = (part.len(), place.min(1));
        let before = Encoding::of_special_tokens(before, type_id);
        let start = before.len();
        part.sequences.clear();
        part.special_tokens_mask.fill(0);
        let mut around = Encoding::merged(vec![before, part, Encoding::of_special_tokens([&self.sep], type_id)], false);
        around.set_range(sequence, start..start + length);
        around.attention_mask.fill(1);
        around
    }
}

impl Roberta {
    /// Trims offsets if required, and adds the special tokens of RoBERTa to each text.
    pub(super) fn process(
        &self,
        mut encodings: Vec<Encoding>,
        add_special_tokens: bool,
        texts: Option<&dyn TokenTexts>,
    ) -> Vec<Encoding> {
        if self.trim_offsets
            && let Some(texts) = texts
        {
            trim::trim_all(&mut encodings, self.add_prefix_space, texts);
        }
        encodings.iter_mut().for_each(|encoding| encoding.set_type_ids(0));
        if !add_special_tokens {
            return encodings;
        }
        let places = encodings.into_iter().enumerate();
        places
            .map(|(place, encoding)| {
                let before = if place == 0 { &self.tokens.cls } else { &self.tokens.sep };
                for_each_window(encoding, |part| {
                    let mut part = self.tokens.surround(part, Some(before), place, 0);
                    part.set_type_ids(0);
                    part
                })
            })
            .collect()
    }
}

/// Processes an encoding and each of its overflowing windows.
fn for_each_window(mut encoding: Encoding, process: impl Fn(Encoding) -> Encoding) -> Encoding {
    let overflowing = std::mem::take(&mut encoding.overflowing);
    let without_overflow = |part: Encoding| Encoding { overflowing: Vec::new(), ..part };
    let mut processed = process(encoding);
    processed.overflowing = overflowing.into_iter().map(|part| process(without_overflow(part))).collect();
    processed
}
