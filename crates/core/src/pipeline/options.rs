//! The input and the options of an encoding call.

use crate::added::{SegmentTrust, SpecialsPolicy};
use crate::encoding::pad::Padding;
use crate::encoding::truncate::Truncation;
use crate::text::span::Span;

/// A text to encode.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// A text.
    Text(&'a str),
    /// Words of a text that the caller has split; each is encoded separately.
    Words(&'a [&'a str]),
    /// A text in segments: the end of each in bytes, and whether all added tokens in it are matched; in the others, the
    /// call's option for special tokens applies.
    Segments(&'a str, &'a [(usize, bool)]),
    /// A text with the ranges of its bytes that may spell any added token, in order; see [`SegmentTrust::Within`].
    Trusted(&'a str, &'a [Span]),
}

impl<'a> Input<'a> {
    /// Calls `each` with its texts: the index if it is a word of the caller, the text, and the ends of its segments with
    /// their trust.
    #[inline]
    pub(super) fn each_text<E>(
        self,
        mut each: impl FnMut(Option<u32>, &'a str, &[(usize, SegmentTrust<'a>)]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Text(text) => each(None, text, &[(text.len(), SegmentTrust::AsOptions)]),
            Self::Words(words) => (0..)
                .zip(words)
                .try_for_each(|(index, word)| each(Some(index), word, &[(word.len(), SegmentTrust::AsOptions)])),
            Self::Segments(text, segments) => {
                let trust = |trusted: bool| if trusted { SegmentTrust::Full } else { SegmentTrust::AsOptions };
                let segments: Vec<_> = segments.iter().map(|&(end, trusted)| (end, trust(trusted))).collect();
                each(None, text, &segments)
            }
            Self::Trusted(text, ranges) => each(None, text, &[(text.len(), SegmentTrust::Within(ranges))]),
        }
    }
}

/// The options of an encoding call.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Whether the post-processor adds its special tokens.
    pub add_special_tokens: bool,
    /// The treatment of special tokens in the text.
    pub specials: SpecialsPolicy,
    /// The truncation of encodings.
    pub truncation: Option<Truncation>,
    /// The padding of encodings.
    pub padding: Option<Padding>,
    /// Whether the tokens that truncation removes are returned.
    pub overflow: bool,
    /// The encoding path of the call.
    pub path: EncodingPath,
    /// The probability with which a merge or a matching token is skipped; overrides the model's own.
    pub dropout: Option<f32>,
    /// The exponent of the probabilities with which a segmentation is sampled; `None` takes the best.
    pub alpha: Option<f64>,
    /// The number of best segmentations to sample from; `None` for all.
    pub nbest_size: Option<usize>,
    /// The seed of all random choices.
    pub seed: u64,
    /// The index of the call's first input; each input's random choices depend on `seed` and its index.
    pub first_input: u64,
}

/// The implementations that encode a text to equal tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EncodingPath {
    /// The fast path with its cache, if the pipeline has one.
    #[default]
    Fast,
    /// The fast path without its cache.
    Uncached,
    /// The generic path, which supports every pipeline; the oracle of the others.
    Generic,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            add_special_tokens: true,
            specials: SpecialsPolicy::default(),
            truncation: None,
            padding: None,
            overflow: true,
            path: EncodingPath::Fast,
            dropout: None,
            alpha: None,
            nbest_size: None,
            seed: 0,
            first_input: 0,
        }
    }
}
