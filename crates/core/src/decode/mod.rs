//! Decoding: tokens to text.
//!
//! A decoder maps a list of parts to a list of parts; the text is their concatenation. A sequence passes the parts from
//! decoder to decoder. The cost is linear in the length of the tokens and of the parts made from them.

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
mod table;
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
pub use stream::{DecodeStream, StreamOutput};
pub use strip::StripDecoder;
pub(crate) use table::DecodeTable;
pub use wordpiece::WordPieceDecoder;

/// Tokens, or the parts that decoders made from them.
pub type Parts<'a> = Vec<Cow<'a, str>>;

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
    /// Returns the text of `tokens`.
    pub fn decode<'a>(&self, tokens: impl IntoIterator<Item = &'a str>) -> Result<String> {
        match self {
            Self::WordPiece(decoder) => Ok(decoder.decode(tokens)),
            _ => Ok(self.decode_chain(tokens.into_iter().map(Cow::Borrowed).collect())?.concat()),
        }
    }

    /// Returns the parts that the decoder makes from `parts`.
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
                // A decoder can double its input, and a file can contain many decoders.
                check_bytes(parts.iter().map(|part| part.len()).sum())?;
                Ok(parts)
            })?,
        })
    }

    /// Returns how many times the decoder replaces characters by the bytes that they represent.
    pub(crate) fn byte_levels(&self) -> usize {
        match self {
            Self::ByteLevel(_) => 1,
            Self::Sequence(decoders) => decoders.iter().map(Self::byte_levels).sum(),
            _ => 0,
        }
    }

    /// Returns the bytes of a token, as far as they depend on no other token.
    ///
    /// Characters and tokens that represent bytes become these bytes, a metaspace becomes a space; word joining has no
    /// effect.
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

/// Replaces `found` with `by` in `part`, without a copy if there is none; an empty string matches around every
/// character.
fn replaced<'a>(part: Cow<'a, str>, found: &str, by: &str) -> Cow<'a, str> {
    if part.contains(found) { Cow::Owned(part.replace(found, by)) } else { part }
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
        assert_eq!(error, Error::TooLong(1 << 36));
    }
}
