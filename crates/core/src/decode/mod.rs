//! Tokens back to text.
//!
//! A decoder makes a list of parts of a list of tokens; the parts in a row are the text. Decoders in a sequence pass
//! their parts on. All costs are linear in the tokens and in what becomes of them.

mod bpe;
mod byte_fallback;
mod byte_level;
mod cleanup;
mod ctc;
mod metaspace;
mod replace;
mod sentencepiece;
mod stream;
mod strip;
mod wordpiece;

use std::borrow::Cow;

use crate::error::Result;
use crate::settings::{ByteLevel, Metaspace};
use crate::text::span::check_bytes;

pub use bpe::BpeDecoder;
pub use ctc::CtcDecoder;
pub(crate) use replace::LAST_SPACE;
pub use replace::ReplaceDecoder;
pub use sentencepiece::SentencePieceDecoder;
pub use stream::{DecodeStream, Form};
pub use strip::StripDecoder;
pub use wordpiece::WordPieceDecoder;

/// Tokens, or what decoders made of them.
pub type Parts<'a> = Vec<Cow<'a, str>>;

/// How tokens become text.
#[derive(Debug, Clone, PartialEq)]
pub enum Decoder {
    /// Spaces between words; continuing tokens lose their prefix.
    WordPiece(WordPieceDecoder),
    /// The suffix at the end of a word becomes a space.
    Bpe(BpeDecoder),
    /// Characters that stand for bytes become these bytes.
    ByteLevel(ByteLevel),
    /// Tokens such as `<0x61>` become bytes.
    ByteFallback,
    /// The character that stands for a space becomes one.
    Metaspace(Metaspace),
    /// All parts become one.
    Fuse,
    /// A character at the ends of each part is dropped.
    Strip(StripDecoder),
    /// What a pattern finds in each part is replaced.
    Replace(ReplaceDecoder),
    /// The output of a model that repeats tokens and pads.
    Ctc(CtcDecoder),
    /// Pieces of a `SentencePiece` model become text.
    SentencePiece(SentencePieceDecoder),
    /// One decoder after the other.
    Sequence(Vec<Decoder>),
}

impl Decoder {
    /// The text of `tokens`.
    pub fn decode<'a>(&self, tokens: impl IntoIterator<Item = &'a str>) -> Result<String> {
        match self {
            Self::WordPiece(decoder) => Ok(decoder.decode(tokens)),
            _ => Ok(self.decode_chain(tokens.into_iter().map(Cow::Borrowed).collect())?.concat()),
        }
    }

    /// The parts that the decoder makes of `parts`.
    pub fn decode_chain<'a>(&self, parts: Parts<'a>) -> Result<Parts<'a>> {
        Ok(match self {
            Self::WordPiece(decoder) => decoder.decode_chain(parts),
            Self::Bpe(decoder) => decoder.decode_chain(parts),
            Self::ByteLevel(_) => byte_level::decode_chain(&parts),
            Self::ByteFallback => byte_fallback::decode_chain(parts),
            Self::Metaspace(settings) => metaspace::decode_chain(settings, parts),
            Self::Fuse => vec![Cow::Owned(parts.concat())],
            Self::Strip(decoder) => decoder.decode_chain(parts),
            Self::Replace(decoder) => decoder.decode_chain(parts)?,
            Self::Ctc(decoder) => decoder.decode_chain(parts),
            Self::SentencePiece(decoder) => decoder.decode_chain(parts),
            Self::Sequence(decoders) => decoders.iter().try_fold(parts, |parts, decoder| {
                let parts = decoder.decode_chain(parts)?;
                // A decoder can double its input, and a file can name many.
                check_bytes(parts.iter().map(|part| part.len()).sum())?;
                Ok(parts)
            })?,
        })
    }

    /// The bytes that a token stands for, so far as that hangs on no other token: characters that stand for bytes become
    /// these, marks of spaces become spaces, and what puts words together or apart leaves it as it is.
    pub fn token_bytes(&self, token: Vec<u8>) -> Result<Vec<u8>> {
        let text = match String::from_utf8(token) {
            Ok(text) => text,
            Err(error) => return Ok(error.into_bytes()),
        };
        Ok(match self {
            Self::ByteLevel(_) => {
                let mut bytes = Vec::new();
                byte_level::extend_bytes(&mut bytes, &text);
                bytes
            }
            Self::ByteFallback => byte_fallback::byte_of(&text).map_or_else(|| text.into_bytes(), |byte| vec![byte]),
            Self::Metaspace(settings) => text.replace(settings.replacement, " ").into_bytes(),
            Self::Replace(decoder) => decoder.replace(Cow::Owned(text))?.into_owned().into_bytes(),
            Self::Sequence(decoders) => {
                decoders.iter().try_fold(text.into_bytes(), |token, decoder| decoder.token_bytes(token))?
            }
            Self::SentencePiece(decoder) => decoder.token_bytes(&text),
            Self::WordPiece(_) | Self::Bpe(_) | Self::Fuse | Self::Strip(_) | Self::Ctc(_) => text.into_bytes(),
        })
    }
}

/// `part` with each `found` replaced, copied only if there is one; an empty string is found around every character.
fn replaced<'a>(part: Cow<'a, str>, found: &str, by: &str) -> Cow<'a, str> {
    if part.contains(found) { Cow::Owned(part.replace(found, by)) } else { part }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::text::pattern::Pattern;

    #[test]
    fn no_tokens_are_no_text() {
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
    fn what_grows_and_grows_is_refused() {
        let content = "x".repeat(1 << 12);
        let replace = Decoder::Replace(ReplaceDecoder { pattern: Pattern::literal("x"), content });
        let error = Decoder::Sequence(vec![replace; 100]).decode(["x"]).unwrap_err();
        assert_eq!(error, Error::TooLong(1 << 36));
    }
}
