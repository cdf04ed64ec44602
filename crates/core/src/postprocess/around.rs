//! Special tokens before and behind each text, as BERT and RoBERTa have them.

use super::{Source, trim};
use crate::encoding::{Encoding, NamedToken};

/// `[CLS] A [SEP] B [SEP]`; the second text and what follows it are of type 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bert {
    /// What stands before the first text.
    pub cls: NamedToken,
    /// What stands behind each text.
    pub sep: NamedToken,
}

/// `<s> A </s></s> B </s>`, all of type 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roberta {
    /// The special tokens.
    pub around: Bert,
    /// Whether spaces are left out of offsets.
    pub trim_offsets: bool,
    /// Whether the first space of a text is one that was put there.
    pub add_prefix_space: bool,
}

impl Bert {
    pub(super) fn process(&self, encodings: Vec<Encoding>) -> Vec<Encoding> {
        let places = encodings.into_iter().enumerate();
        places
            .map(|(place, encoding)| {
                let before = if place == 0 { Some(&self.cls) } else { None };
                each_part(encoding, |part| self.surround(part, before, place, u32::from(place > 0)))
            })
            .collect()
    }

    /// The text number `place`; of more than two, all that follow the first are taken for the second.
    fn surround(&self, mut part: Encoding, before: Option<&NamedToken>, place: usize, type_id: u32) -> Encoding {
        let (length, sequence) = (part.len(), place.min(1));
        let mut around = Encoding::of_specials(before, type_id);
        let start = around.len();
        part.sequences.clear();
        part.special_tokens_mask.fill(0);
        around.append(part);
        around.append(Encoding::of_specials([&self.sep], type_id));
        around.set_range(sequence, start..start + length);
        around.attention_mask.fill(1);
        around
    }
}

impl Roberta {
    pub(super) fn process(&self, mut encodings: Vec<Encoding>, specials: bool, source: &dyn Source) -> Vec<Encoding> {
        if self.trim_offsets {
            trim::trim_all(&mut encodings, self.add_prefix_space, source);
        }
        encodings.iter_mut().for_each(|encoding| encoding.set_type_ids(0));
        if !specials {
            return encodings;
        }
        let places = encodings.into_iter().enumerate();
        places
            .map(|(place, encoding)| {
                let before = if place == 0 { &self.around.cls } else { &self.around.sep };
                each_part(encoding, |part| {
                    let mut part = self.around.surround(part, Some(before), place, 0);
                    part.set_type_ids(0);
                    part
                })
            })
            .collect()
    }
}

/// What becomes of an encoding becomes of each part that overflows.
fn each_part(mut encoding: Encoding, process: impl Fn(Encoding) -> Encoding) -> Encoding {
    let overflowing = std::mem::take(&mut encoding.overflowing);
    let without_overflow = |part: Encoding| Encoding { overflowing: Vec::new(), ..part };
    let mut processed = process(encoding);
    processed.overflowing = overflowing.into_iter().map(|part| process(without_overflow(part))).collect();
    processed
}
