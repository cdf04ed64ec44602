//! Decoding: tokens to text.
//!
//! A decoder is a sequence of stages, each of which maps a list of parts to a list of parts; the text is their
//! concatenation. A stage is written once, for tokens that arrive step by step (`stream.rs`); to decode all tokens is one
//! step. The cost is linear in the length of the tokens and of the parts made from them.

mod bpe;
mod byte_fallback;
mod byte_level;
mod cleanup;
mod ctc;
mod fuse;
mod literal;
mod replace;
mod search;
mod sentencepiece;
mod stage;
mod stops;
mod stream;
mod strip;
mod table;
mod wordpiece;

use crate::error::Result;
use crate::settings::{ByteLevel, Metaspace, PrependScheme};
use crate::text::pattern::Pattern;
use cleanup::CleanupStage;
use literal::LiteralStage;
use stage::AnyStage;

pub use bpe::BpeDecoder;
pub(crate) use byte_fallback::byte_of;
pub use ctc::CtcDecoder;
pub(crate) use replace::LAST_SPACE;
pub use replace::ReplaceDecoder;
pub use sentencepiece::SentencePieceDecoder;
pub(crate) use stage::Stages;
pub(crate) use stops::{Found, StopStrings};
pub use stream::{DecodeStream, StreamOutput};
pub use strip::StripDecoder;
pub(crate) use table::DecodeTable;
pub use wordpiece::WordPieceDecoder;

/// A decoder, which turns tokens into text.
///
/// ```
/// use piecework_core::decode::{Decoder, WordPieceDecoder};
///
/// let decoder = Decoder::WordPiece(WordPieceDecoder { prefix: "##".to_owned(), cleanup: true });
/// assert_eq!(decoder.decode(["low", "##er", "!"])?, "lower!");
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Decoder {
    /// Joins words with spaces; continuing tokens lose their prefix.
    WordPiece(WordPieceDecoder),
    /// Replaces the suffix at the end of words with a space.
    Bpe(BpeDecoder),
    /// Replaces characters that represent bytes with these bytes.
    ByteLevel(ByteLevel),
    /// Replaces tokens such as `<0x61>` with bytes.
    ByteFallback,
    /// Replaces the metaspace with a space.
    Metaspace(Metaspace),
    /// Concatenates all parts.
    Fuse,
    /// Removes a character from the ends of each part.
    Strip(StripDecoder),
    /// Replaces the matches of a pattern in each part.
    Replace(ReplaceDecoder),
    /// Removes the repetitions and the padding of a CTC model.
    Ctc(CtcDecoder),
    /// Decodes the pieces of a `SentencePiece` model.
    SentencePiece(SentencePieceDecoder),
    /// Several decoders in order.
    Sequence(Vec<Decoder>),
}

impl Decoder {
    /// Returns the same with a limit of Oniguruma's retries in a text.
    pub(crate) fn with_retries(self, retries: Option<u64>) -> Self {
        match self {
            Self::Sequence(steps) => Self::Sequence(steps.into_iter().map(|step| step.with_retries(retries)).collect()),
            Self::Replace(own) => Self::Replace(ReplaceDecoder { pattern: own.pattern.with_retries(retries), ..own }),
            other => other,
        }
    }

    /// Returns this decoder, or those of a sequence in order.
    pub(crate) fn steps(&self) -> Box<dyn Iterator<Item = &Self> + '_> {
        match self {
            Self::Sequence(decoders) => Box::new(decoders.iter().flat_map(Self::steps)),
            _ => Box::new(std::iter::once(self)),
        }
    }

    /// Returns the patterns of the decoders.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.steps().filter_map(|step| if let Self::Replace(own) = step { Some(&own.pattern) } else { None })
    }

    /// Returns the text of `tokens`.
    pub fn decode<'a>(&self, tokens: impl IntoIterator<Item = &'a str>) -> Result<String> {
        text_of(Some(self), &tokens.into_iter().collect::<Vec<_>>())
    }

    /// Returns the bytes of a token, as far as they depend on no other token.
    ///
    /// Characters and tokens that represent bytes become these bytes, a metaspace becomes a space; word joining has no
    /// effect.
    pub fn token_bytes(&self, token: &str) -> Result<Vec<u8>> {
        let mut stages = Stages::default();
        self.add_stages_of_one(&mut stages);
        stages.run(&[token], true)
    }

    /// Returns the settings of `SentencePiece`'s decoder, if it is that.
    #[must_use]
    pub fn sentencepiece(&self) -> Option<&SentencePieceDecoder> {
        if let Self::SentencePiece(own) = self { Some(own) } else { None }
    }

    /// Returns how many times the decoder replaces characters by the bytes that they represent.
    pub(crate) fn byte_levels(&self) -> usize {
        match self {
            Self::ByteLevel(_) => 1,
            Self::Sequence(decoders) => decoders.iter().map(Self::byte_levels).sum(),
            _ => 0,
        }
    }

    /// Returns the stages of a decoder; without one, tokens are joined with spaces.
    fn stages(decoder: Option<&Self>, output: StreamOutput) -> Stages {
        let mut stages = Stages::default();
        match decoder {
            Some(decoder) => drop(decoder.add_stages(output, false, &mut stages)),
            None => stages.push(AnyStage::Spaces(wordpiece::SpacesStage::new(None))),
        }
        stages
    }

    /// Adds the stages of the decoder; `is_single` states that they receive at most one part. Returns whether they emit
    /// at most one part.
    fn add_stages(&self, output: StreamOutput, is_single: bool, stages: &mut Stages) -> bool {
        match self {
            Self::WordPiece(decoder) => {
                stages.push(AnyStage::Spaces(wordpiece::SpacesStage::new(Some(&decoder.prefix))));
                if decoder.cleanup {
                    stages.push(AnyStage::Cleanup(CleanupStage::default()));
                }
            }
            Self::Bpe(decoder) => stages.push(AnyStage::Suffix(bpe::SuffixStage::new(&decoder.suffix, is_single))),
            Self::ByteLevel(_) => stages.push(AnyStage::ByteLevel(byte_level::ByteLevelStage::new(output))),
            Self::ByteFallback => stages.push(AnyStage::ByteFallback(byte_fallback::ByteFallbackStage::new(output))),
            Self::Metaspace(settings) => {
                let literal = metaspace(settings);
                let keeps_first = settings.prepend_scheme == PrependScheme::Never;
                stages.push(AnyStage::Literal(if keeps_first { literal } else { literal.with_first("") }));
            }
            Self::Fuse => stages.push(AnyStage::Fuse(fuse::FuseStage)),
            Self::Strip(decoder) => stages.push(AnyStage::Strip(strip::StripStage::new(decoder))),
            Self::Replace(decoder) => stages.push(decoder.stage()),
            Self::Ctc(decoder) => decoder.add_stages(stages),
            Self::SentencePiece(decoder) => {
                stages.push(AnyStage::Pieces(sentencepiece::PieceStage::new(decoder, output)));
            }
            Self::Sequence(decoders) => {
                return decoders
                    .iter()
                    .fold(is_single, |is_single, decoder| decoder.add_stages(output, is_single, stages));
            }
        }
        is_single || matches!(self, Self::ByteLevel(_) | Self::Fuse | Self::SentencePiece(_))
    }

    /// Adds the stages that change a token by itself, wherever it is.
    fn add_stages_of_one(&self, stages: &mut Stages) {
        match self {
            Self::Sequence(decoders) => decoders.iter().for_each(|decoder| decoder.add_stages_of_one(stages)),
            Self::Metaspace(settings) => stages.push(AnyStage::Literal(metaspace(settings))),
            Self::SentencePiece(decoder) => stages.push(AnyStage::Pieces(sentencepiece::PieceStage::of_one(decoder))),
            Self::ByteLevel(_) | Self::ByteFallback | Self::Replace(_) => {
                self.add_stages(StreamOutput::Bytes, false, stages);
            }
            Self::WordPiece(_) | Self::Bpe(_) | Self::Fuse | Self::Strip(_) | Self::Ctc(_) => {}
        }
    }
}

/// Returns the text of tokens; without a decoder, they are joined with spaces.
pub(crate) fn text_of(decoder: Option<&Decoder>, tokens: &[&str]) -> Result<String> {
    let bytes = Decoder::stages(decoder, StreamOutput::Text).run(tokens, true)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Returns the stage that replaces the metaspace with a space.
fn metaspace(settings: &Metaspace) -> LiteralStage {
    LiteralStage::new(settings.replacement.encode_utf8(&mut [0; 4]), " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::text::pattern::Pattern;

    #[test]
    fn no_tokens_decode_to_empty_text() {
        let replace = ReplaceDecoder { pattern: Pattern::literal(""), content: "x".to_owned() };
        let decoders = [
            Decoder::WordPiece(WordPieceDecoder::default()),
            Decoder::Bpe(BpeDecoder { suffix: "</w>".to_owned() }),
            Decoder::ByteLevel(ByteLevel::default()),
            Decoder::ByteFallback,
            Decoder::Metaspace(Metaspace::default()),
            Decoder::Fuse,
            Decoder::Strip(StripDecoder { content: 'a', start: 1, stop: 1 }),
            Decoder::Replace(replace),
            Decoder::Ctc(CtcDecoder::default()),
        ];
        for decoder in &decoders {
            assert_eq!(decoder.decode([]).unwrap(), "", "{decoder:?}");
        }
        assert_eq!(Decoder::Sequence(decoders.to_vec()).decode([]).unwrap(), "");
    }

    #[test]
    fn growing_output_is_limited() {
        let content = "x".repeat(1 << 12);
        let replace = Decoder::Replace(ReplaceDecoder { pattern: Pattern::literal("x"), content });
        let error = Decoder::Sequence(vec![replace; 100]).decode(["x"]).unwrap_err();
        assert_eq!(error, Error::Lengthened { original: 1, bytes: 1 << 24 });
        let token = "x".repeat(1 << 20);
        let error = Decoder::Fuse.decode(std::iter::repeat_n(token.as_str(), 1 << 20)).unwrap_err();
        assert_eq!(error, Error::TooLong(1 << 40));
    }
}
