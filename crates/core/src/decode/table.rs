//! The bytes of tokens in a decoded text, in a table, so that a text is compared with its tokens without decoding them.

use super::byte_fallback::byte_of;
use super::{Decoder, byte_level};
use crate::memory::prefetch;
use crate::settings::PrependScheme;

/// The length of the bytes of a token that depend on other tokens.
const UNDECIDED: u32 = u32::MAX;

/// The bytes that a token contributes to a text; the first eight are compared without a look at the others.
#[derive(Debug, Clone, Copy)]
struct TokenBytes {
    head: u64,
    /// The place of all bytes in the table.
    start: u32,
    length: u32,
}

/// The bytes that each token contributes to a text, as its first token and as a later one.
#[derive(Debug, Clone)]
pub(crate) struct DecodeTable {
    bytes: Vec<u8>,
    /// The first tokens of texts and all others, by id.
    first: Vec<TokenBytes>,
    later: Vec<TokenBytes>,
    /// Whether a token after empty ones also counts as the first.
    repeats_first: bool,
}

impl DecodeTable {
    /// Returns the table of `decoder` for the ids below `limit`; `None` joins tokens with spaces.
    pub(crate) fn new<'a>(decoder: Option<&Decoder>, limit: u32, token: impl Fn(u32) -> Option<&'a str>) -> Self {
        let repeats_first = decoder.is_some_and(Decoder::repeats_first);
        let mut table = Self { bytes: Vec::new(), first: Vec::new(), later: Vec::new(), repeats_first };
        for token in (0..limit).map(token) {
            for (is_first, tokens) in [(true, &mut table.first), (false, &mut table.later)] {
                let bytes = token.and_then(|token| bytes_in_text(decoder, token, is_first));
                tokens.push(TokenBytes::new(bytes.as_deref(), &mut table.bytes));
            }
        }
        table
    }

    /// Prefetches what [`Self::reproduces`] reads of these tokens.
    pub(crate) fn prefetch(&self, ids: &[u32]) {
        ids.iter().filter_map(|&id| self.later.get(id as usize)).for_each(prefetch);
    }

    /// Returns whether `ids` decode to `text`, special tokens included; `None` if that requires decoding them.
    pub(crate) fn reproduces(&self, text: &str, ids: &[u32]) -> Option<bool> {
        let (mut rest, mut tokens) = (text.as_bytes(), &self.first);
        for &id in ids {
            let token = tokens.get(id as usize).filter(|token| token.length != UNDECIDED)?;
            let Some(after) = token.strip_from(rest, &self.bytes) else { return Self::differs(text) };
            rest = after;
            if token.length > 0 || !self.repeats_first {
                tokens = &self.later;
            }
        }
        if rest.is_empty() { Some(true) } else { Self::differs(text) }
    }

    /// Returns the result for other bytes: a text without U+FFFD differs, any other may be decoded from invalid UTF-8.
    fn differs(text: &str) -> Option<bool> {
        if text.contains(char::REPLACEMENT_CHARACTER) { None } else { Some(false) }
    }
}

impl TokenBytes {
    /// Returns the entry of a token, whose bytes are appended to `all`; `None` if they depend on other tokens.
    fn new(bytes: Option<&[u8]>, all: &mut Vec<u8>) -> Self {
        let undecided = Self { head: 0, start: 0, length: UNDECIDED };
        let Some(bytes) = bytes else { return undecided };
        let (Ok(start), Ok(length)) = (u32::try_from(all.len()), u32::try_from(bytes.len())) else { return undecided };
        let mut head = [0; 8];
        head.iter_mut().zip(bytes).for_each(|(byte, &own)| *byte = own);
        all.extend_from_slice(bytes);
        Self { head: u64::from_le_bytes(head), start, length }
    }

    /// Returns what follows the token in `text`, or `None` if the text does not begin with it.
    #[inline]
    fn strip_from<'a>(self, text: &'a [u8], all: &[u8]) -> Option<&'a [u8]> {
        let length = self.length as usize;
        if let Some(head) = text.first_chunk::<8>() {
            let unused = 64_u32.saturating_sub(8 * self.length.min(8));
            let differences = (u64::from_le_bytes(*head) ^ self.head).checked_shl(unused).unwrap_or(0);
            if differences != 0 {
                return None;
            }
            if length <= 8 {
                return text.get(length..);
            }
        }
        let start = self.start as usize;
        text.strip_prefix(all.get(start..)?.get(..length)?)
    }
}

/// Returns the bytes of a token in a text, as its first token or a later one; `None` if they depend on other tokens.
fn bytes_in_text(decoder: Option<&Decoder>, token: &str, is_first: bool) -> Option<Vec<u8>> {
    match decoder {
        Some(decoder) => Some(Part::of(token).decoded(decoder, is_first)?.bytes),
        None if is_first => Some(token.as_bytes().to_vec()),
        None => Some([" ", token].concat().into_bytes()),
    }
}

/// How the parts of a list of decoders belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joining {
    /// Each token is a part.
    Tokens,
    /// Runs of byte tokens are parts.
    Runs,
    /// The text is one part.
    Whole,
}

/// A token on its way through a list of decoders.
struct Part {
    bytes: Vec<u8>,
    joining: Joining,
}

impl Part {
    fn of(token: &str) -> Self {
        Self { bytes: token.as_bytes().to_vec(), joining: Joining::Tokens }
    }

    /// Returns the part after a decoder; `None` if the result depends on other tokens.
    fn decoded(self, decoder: &Decoder, is_first: bool) -> Option<Self> {
        match decoder {
            Decoder::Sequence(decoders) => {
                decoders.iter().try_fold(self, |part, decoder| part.decoded(decoder, is_first))
            }
            Decoder::Fuse => Some(Self { joining: Joining::Whole, ..self }),
            Decoder::Strip(strip) if self.joining == Joining::Whole && strip.stop == 0 => {
                self.stripped(strip.content, strip.start, is_first)
            }
            _ if self.joining == Joining::Tokens => {
                Self::of_token(decoder, &String::from_utf8(self.bytes).ok()?, is_first)
            }
            _ => None,
        }
    }

    /// Returns the part of a single token.
    fn of_token(decoder: &Decoder, token: &str, is_first: bool) -> Option<Self> {
        let (bytes, joining) = match decoder {
            Decoder::WordPiece(decoder) => {
                let place = usize::from(!is_first);
                let parts = [vec![String::new().into(); place], vec![token.into()]].concat();
                (decoder.decode_chain(parts).pop()?.into_owned().into_bytes(), Joining::Tokens)
            }
            Decoder::ByteLevel(_) => {
                let mut bytes = Vec::new();
                byte_level::extend_bytes(&mut bytes, token);
                (bytes, Joining::Whole)
            }
            Decoder::ByteFallback => {
                (byte_of(token).map_or_else(|| token.as_bytes().to_vec(), |byte| vec![byte]), Joining::Runs)
            }
            Decoder::Metaspace(settings) => {
                let is_removed = is_first && settings.prepend_scheme != PrependScheme::Never;
                let by = if is_removed { "" } else { " " };
                (token.replace(settings.replacement, by).into_bytes(), Joining::Tokens)
            }
            Decoder::Replace(decoder) => {
                (decoder.replace(token.into()).ok()?.into_owned().into_bytes(), Joining::Tokens)
            }
            Decoder::SentencePiece(decoder) => (decoder.bytes_in_text(token, is_first)?, Joining::Whole),
            _ => return None,
        };
        Some(Self { bytes, joining })
    }

    /// Removes a character from the start of a text.
    fn stripped(self, content: char, most: usize, is_first: bool) -> Option<Self> {
        if !is_first || most == 0 {
            return Some(self);
        }
        if self.bytes.is_empty() {
            return None; // the next token would lose the character
        }
        let (mut buffer, mut rest) = ([0; 4], &self.bytes[..]);
        let content = content.encode_utf8(&mut buffer).as_bytes();
        for _ in 0..most {
            let Some(after) = rest.strip_prefix(content) else { break };
            rest = after;
        }
        if rest.is_empty() && most > 1 {
            return None; // the next token may lose it, too
        }
        Some(Self { bytes: rest.to_vec(), joining: self.joining })
    }
}

impl Decoder {
    /// Returns whether a token after empty ones is treated as the first.
    fn repeats_first(&self) -> bool {
        match self {
            Self::Sequence(decoders) => decoders.iter().any(Self::repeats_first),
            Self::SentencePiece(decoder) => decoder.remove_extra_whitespaces,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::{BpeDecoder, ReplaceDecoder, SentencePieceDecoder, StripDecoder, WordPieceDecoder};
    use crate::settings::{ByteLevel, Metaspace};
    use crate::text::pattern::Pattern;

    const TOKENS: [&str; 20] = [
        "a", "##b", "▁a", "▁", " ", "<0xC3>", "<0xA9>", "é", "\u{fffd}", "", "Ġa", "Ã", "©", ".", "'s", "<unk>", "##",
        "▁▁", "  ", "<0xE4>",
    ];

    fn decoders() -> Vec<Decoder> {
        let sentencepiece = |add_dummy_prefix, remove_extra_whitespaces| {
            Decoder::SentencePiece(SentencePieceDecoder {
                add_dummy_prefix,
                remove_extra_whitespaces,
                byte_fallback: true,
                unk_token: "<unk>".to_owned(),
                unk_surface: " ⁇ ".to_owned(),
            })
        };
        let replace = || {
            let pattern = Pattern::literal("▁");
            Decoder::Replace(ReplaceDecoder { pattern, content: " ".to_owned() })
        };
        let strip = |start, stop| Decoder::Strip(StripDecoder { content: ' ', start, stop });
        let never = Metaspace { prepend_scheme: PrependScheme::Never, ..Metaspace::default() };
        let llama = |start| Decoder::Sequence(vec![replace(), Decoder::ByteFallback, Decoder::Fuse, strip(start, 0)]);
        vec![
            Decoder::WordPiece(WordPieceDecoder::default()),
            Decoder::WordPiece(WordPieceDecoder { prefix: "##".to_owned(), cleanup: false }),
            Decoder::ByteLevel(ByteLevel::default()),
            Decoder::ByteFallback,
            Decoder::Metaspace(Metaspace::default()),
            Decoder::Metaspace(never),
            Decoder::Fuse,
            replace(),
            sentencepiece(true, true),
            sentencepiece(true, false),
            sentencepiece(false, true),
            sentencepiece(false, false),
            llama(1),
            llama(2),
            Decoder::Bpe(BpeDecoder { suffix: "</w>".to_owned() }),
            strip(1, 1),
            Decoder::Sequence(vec![Decoder::Fuse, strip(0, 1)]),
            Decoder::Sequence(vec![Decoder::ByteFallback, replace()]),
        ]
    }

    /// Returns all lists of at most three tokens.
    fn lists() -> Vec<Vec<u32>> {
        let mut lists = vec![Vec::new()];
        for length in 0..3 {
            let longest: Vec<_> = lists.iter().filter(|list| list.len() == length).cloned().collect();
            lists.extend(longest.iter().flat_map(|list| (0..20).map(|id| [&list[..], &[id]].concat())));
        }
        lists
    }

    #[test]
    fn the_table_agrees_with_decoding() {
        let tokens: Vec<&str> = TOKENS.iter().copied().filter(|token| !token.is_empty()).collect();
        for vocabulary in [&TOKENS[..], &tokens] {
            let limit = u32::try_from(vocabulary.len()).unwrap();
            for decoder in [None].into_iter().chain(decoders().into_iter().map(Some)) {
                let token = |id: u32| vocabulary.get(id as usize).copied();
                let table = DecodeTable::new(decoder.as_ref(), limit, token);
                for ids in lists().iter().filter(|ids| ids.iter().all(|&id| id < limit)) {
                    let tokens: Vec<&str> = ids.iter().filter_map(|&id| token(id)).collect();
                    let text = match &decoder {
                        Some(decoder) => decoder.decode(tokens.iter().copied()).unwrap(),
                        None => tokens.join(" "),
                    };
                    for other in [text.clone(), format!("{text} "), format!("a{text}"), text.replacen(' ', "", 1)] {
                        let found = table.reproduces(&other, ids);
                        let is_same = other == text;
                        assert!(
                            found.is_none_or(|found| found == is_same),
                            "{decoder:?} {tokens:?} {other:?} {found:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_common_decoders_have_a_table_that_decides() {
        let tokens: Vec<&str> = TOKENS.iter().copied().filter(|token| !token.is_empty()).collect();
        for (place, decoder) in decoders().iter().enumerate() {
            let limit = u32::try_from(tokens.len()).unwrap();
            let table = DecodeTable::new(Some(decoder), limit, |id| tokens.get(id as usize).copied());
            let text = decoder.decode(["a", "a"]).unwrap();
            let decides = place < 14;
            assert_eq!(table.reproduces(&text, &[0, 0]), decides.then_some(true), "{decoder:?}");
            assert_eq!(table.reproduces("x", &[0, 0]), decides.then_some(false), "{decoder:?}");
        }
    }
}
