//! The bytes of tokens in a decoded text, in a table, so that a text is compared with its tokens without decoding them.
//!
//! The table is made by decoding each token after each state that the stages of a decoder reach: before the first
//! token, after a word, and so on. A decoder that remembers a token has too many states for a table.

use super::stage::{AnyStage, Stages};
use super::{Decoder, StreamOutput};
use crate::error::Result;
use crate::memory::prefetch;

/// The maximum number of states.
const MAX_STATES: usize = 8;
/// The length of a token that a text is not compared with: it is longer, or no token.
const UNDECIDED: u16 = u16::MAX;

/// The bytes of a token in a text; the first eight are compared without a look at the others.
#[derive(Debug, Clone, Copy)]
struct TokenBytes {
    head: u64,
    /// The place of all bytes in the table.
    start: u32,
    length: u16,
    /// The state after the token.
    next: u8,
}

/// The bytes of each token in a text, by the state of the decoder before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct DecodeTable {
    bytes: Vec<u8>,
    /// The tokens by id after each state, the first of which is the start of a text; empty if there are too many.
    states: Vec<Vec<TokenBytes>>,
    /// The bytes at the end of a text, by state.
    ends: Vec<Vec<u8>>,
}

impl DecodeTable {
    /// Returns the table of `decoder` for the ids below `limit`; `None` joins tokens with spaces.
    pub(crate) fn new<'a>(decoder: Option<&Decoder>, limit: u32, token: impl Fn(u32) -> Option<&'a str>) -> Self {
        Self::of_states(initial_stages(decoder), limit, token).unwrap_or_default()
    }

    /// Returns the table for the states that are reached from one of them; `None` if there are too many.
    fn of_states<'a>(initial: Stages, limit: u32, token: impl Fn(u32) -> Option<&'a str>) -> Option<Self> {
        let (mut all, mut states, mut reached) = (Vec::new(), Vec::new(), vec![initial]);
        while states.len() < reached.len() {
            let from = states.len();
            let mut stages = reached[from].clone();
            let mut tokens = Vec::with_capacity(limit as usize);
            for id in 0..limit {
                let bytes = token(id).and_then(|token| stages.run(&[token], false).ok());
                let is_same = stages == reached[from];
                let next = if is_same || bytes.is_none() { from } else { place_of(&stages, &mut reached)? };
                tokens.push(TokenBytes::new(bytes.as_deref(), u8::try_from(next).ok()?, &mut all));
                if !is_same {
                    stages.clone_from(&reached[from]);
                }
            }
            states.push(tokens);
        }
        let ends = reached.iter_mut().map(|stages| stages.run(&[], true)).collect::<Result<_>>().ok()?;
        Some(Self { bytes: all, states, ends })
    }

    /// Prefetches what [`Self::reproduces`] reads of these tokens.
    pub(crate) fn prefetch(&self, ids: &[u32]) {
        // Most tokens are neither first nor special.
        let Some(tokens) = self.states.get(1).or(self.states.first()) else { return };
        ids.iter().filter_map(|&id| tokens.get(id as usize)).for_each(prefetch);
    }

    /// Returns whether `ids` decode to `text`, special tokens included; `None` if that requires decoding them.
    pub(crate) fn reproduces(&self, text: &str, ids: &[u32]) -> Option<bool> {
        let (mut rest, mut state) = (text.as_bytes(), 0);
        for &id in ids {
            let token = self.states.get(state)?.get(id as usize).filter(|token| token.length != UNDECIDED)?;
            let Some(after) = token.strip_from(rest, &self.bytes) else { return Self::differs(text) };
            rest = after;
            state = usize::from(token.next);
        }
        if rest == self.ends.get(state)? { Some(true) } else { Self::differs(text) }
    }

    /// Returns the result for other bytes: a text without U+FFFD differs, any other may be decoded from invalid UTF-8.
    fn differs(text: &str) -> Option<bool> {
        if text.contains(char::REPLACEMENT_CHARACTER) { None } else { Some(false) }
    }
}

/// Returns the stages of a decoder before the first token.
///
/// They emit bytes where no later stage could see that these are not UTF-8: as text, an incomplete character would be
/// a state.
fn initial_stages(decoder: Option<&Decoder>) -> Stages {
    let stages = Decoder::stages(decoder, StreamOutput::Bytes);
    let is_byte =
        |stage: &AnyStage| matches!(stage, AnyStage::ByteLevel(_) | AnyStage::ByteFallback(_) | AnyStage::Pieces(_));
    let keeps_bytes = |stage: &AnyStage| match stage {
        AnyStage::Fuse(_) => true,
        AnyStage::Strip(stage) => !stage.strips(char::REPLACEMENT_CHARACTER),
        _ => false,
    };
    if stages.iter().skip_while(|stage| !is_byte(stage)).skip(1).all(keeps_bytes) {
        return stages;
    }
    Decoder::stages(decoder, StreamOutput::Text)
}

/// Returns the index of a state, which is added if it is new; `None` if there are too many.
fn place_of(stages: &Stages, reached: &mut Vec<Stages>) -> Option<usize> {
    if let Some(place) = reached.iter().position(|other| other == stages) {
        return Some(place);
    }
    if reached.len() == MAX_STATES {
        return None;
    }
    reached.push(stages.clone());
    Some(reached.len() - 1)
}

impl TokenBytes {
    /// Returns the entry of a token, whose bytes are appended to `all`.
    fn new(bytes: Option<&[u8]>, next: u8, all: &mut Vec<u8>) -> Self {
        let undecided = Self { head: 0, start: 0, length: UNDECIDED, next };
        let Some(bytes) = bytes else { return undecided };
        let (Ok(start), Ok(length)) = (u32::try_from(all.len()), u16::try_from(bytes.len())) else { return undecided };
        let mut head = [0; 8];
        head.iter_mut().zip(bytes).for_each(|(byte, &own)| *byte = own);
        all.extend_from_slice(bytes);
        Self { head: u64::from_le_bytes(head), start, length, next }
    }

    /// Returns what follows the token in `text`, or `None` if the text does not begin with it.
    #[inline]
    fn strip_from<'a>(self, text: &'a [u8], all: &[u8]) -> Option<&'a [u8]> {
        let length = usize::from(self.length);
        if let Some(head) = text.first_chunk::<8>() {
            let unused = 64_u32.saturating_sub(8 * u32::from(self.length.min(8)));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::{BpeDecoder, CtcDecoder, ReplaceDecoder, SentencePieceDecoder, StripDecoder, WordPieceDecoder};
    use crate::settings::{ByteLevel, Metaspace, PrependScheme};
    use crate::text::pattern::Pattern;

    const TOKENS: [&str; 20] = [
        "a", "##b", "▁a", "▁", " ", "<0xC3>", "<0xA9>", "é", "\u{fffd}", "", "Ġa", "Ã", "©", ".", "'s", "<unk>", "##",
        "▁▁", "  ", "<0xE4>",
    ];

    /// Returns decoders with a table, and decoders without one.
    fn decoders() -> [Vec<Decoder>; 2] {
        let sentencepiece = |add_dummy_prefix, remove_extra_whitespaces| {
            Decoder::SentencePiece(SentencePieceDecoder {
                add_dummy_prefix,
                remove_extra_whitespaces,
                byte_fallback: true,
                unk_token: "<unk>".to_owned(),
                unk_surface: " ⁇ ".to_owned(),
            })
        };
        let replace = |found: &str, by: &str| {
            Decoder::Replace(ReplaceDecoder { pattern: Pattern::literal(found), content: by.to_owned() })
        };
        let regex =
            Decoder::Replace(ReplaceDecoder { pattern: Pattern::regex("a+").unwrap(), content: "b".to_owned() });
        let strip = |start, stop| Decoder::Strip(StripDecoder { content: ' ', start, stop });
        let never = Metaspace { prepend_scheme: PrependScheme::Never, ..Metaspace::default() };
        let llama =
            |start| Decoder::Sequence(vec![replace("▁", " "), Decoder::ByteFallback, Decoder::Fuse, strip(start, 0)]);
        let with = vec![
            Decoder::WordPiece(WordPieceDecoder::default()),
            Decoder::WordPiece(WordPieceDecoder { prefix: "##".to_owned(), cleanup: false }),
            Decoder::ByteLevel(ByteLevel::default()),
            Decoder::ByteFallback,
            Decoder::Metaspace(Metaspace::default()),
            Decoder::Metaspace(never),
            Decoder::Fuse,
            replace("▁", " "),
            regex.clone(),
            sentencepiece(true, true),
            sentencepiece(true, false),
            sentencepiece(false, true),
            sentencepiece(false, false),
            llama(1),
            llama(2),
            Decoder::Bpe(BpeDecoder { suffix: "</w>".to_owned() }),
            Decoder::Bpe(BpeDecoder { suffix: "a".to_owned() }),
            strip(1, 1),
            Decoder::Sequence(vec![Decoder::Fuse, strip(0, 1)]),
            Decoder::Sequence(vec![Decoder::WordPiece(WordPieceDecoder::default()), sentencepiece(true, true)]),
            Decoder::Sequence(vec![Decoder::ByteLevel(ByteLevel::default()), Decoder::Fuse]),
        ];
        let without = vec![
            Decoder::Ctc(CtcDecoder::default()),
            Decoder::Sequence(vec![Decoder::Fuse, regex]),
            Decoder::Sequence(vec![Decoder::ByteFallback, replace("\u{fffd}", "")]),
        ];
        [with, without]
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
            for decoder in [None].into_iter().chain(decoders().concat().into_iter().map(Some)) {
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
    fn a_decoder_with_few_states_has_a_table() {
        let limit = u32::try_from(TOKENS.len()).unwrap();
        for (decoders, has_table) in decoders().iter().zip([true, false]) {
            for decoder in decoders {
                let table = DecodeTable::new(Some(decoder), limit, |id| TOKENS.get(id as usize).copied());
                let text = decoder.decode(["a", "a"]).unwrap();
                assert_eq!(table.reproduces(&text, &[0, 0]), has_table.then_some(true), "{decoder:?}");
                assert_eq!(table.reproduces("x", &[0, 0]), has_table.then_some(false), "{decoder:?}");
            }
        }
    }
}
