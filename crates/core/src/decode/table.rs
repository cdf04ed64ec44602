//! The bytes of tokens in a decoded text, in a table: decoding copies them, and a text is compared with them.
//!
//! The table is made by decoding each token after each state that the stages of a decoder reach: before the first
//! token, after a word, and so on. A decoder that remembers a token has too many states for a table.
//!
//! The stages of the table emit the bytes of byte tokens at once. Where the stages that emit text would emit the same and
//! reach the same state, the token is [`TokenBytes::is_text`]: only other tokens need these stages.

use super::stage::{AnyStage, StageBuffers, Stages};
use super::{Decoder, StreamOutput};
use crate::error::Result;
use crate::memory::{Growable, prefetch, with_room};
use crate::stop;

/// The maximum number of states.
const MAX_STATES: usize = 8;
/// The length of a token that a text is not compared with: it is longer, or no token.
const UNDECIDED: u16 = u16::MAX;

/// The bytes of a token in a text; the first eight are read without a look at the others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenBytes {
    head: [u8; HEAD],
    /// The place of all bytes in the table.
    start: u32,
    length: u16,
    /// The state after the token.
    next: u8,
    flags: u8,
}

/// The number of bytes that an entry of the table contains itself.
const HEAD: usize = 8;
/// The number of bytes that a token has on average, for memory that is reserved.
const BYTES_PER_TOKEN: usize = 6;
/// The flag of tokens that are [`TokenBytes::is_text`].
const IS_TEXT: u8 = 1;
/// The flag of special tokens.
const IS_SPECIAL: u8 = 2;

/// The bytes of each token in a text, by the state of the decoder before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct DecodeTable {
    bytes: Vec<u8>,
    /// The tokens by id after each state, the first of which is the start of a text; empty if there are too many.
    states: Vec<Vec<TokenBytes>>,
    /// The bytes at the end of a text, by state.
    ends: Vec<Vec<u8>>,
    /// The stages that emit text, by state, and what they emit at the end of a text; `None` for a state that they reach by
    /// no [text](TokenBytes::is_text).
    texts: Vec<Option<(Stages, Vec<u8>)>>,
    /// Whether the bytes of byte tokens are emitted even if they are not UTF-8.
    has_bytes: bool,
    /// Whether each token is in the table.
    is_complete: bool,
}

impl DecodeTable {
    /// Returns the table of `decoder` for the ids below `limit`; `None` joins tokens with spaces.
    ///
    /// `token` returns what the decoder receives for an id, and whether the token is special.
    pub(crate) fn new<'a>(
        decoder: Option<&Decoder>,
        limit: u32,
        token: impl Fn(u32) -> Option<(&'a str, bool)>,
    ) -> Self {
        TableBuilder::new(decoder).of_tokens(limit, token).unwrap_or_default()
    }

    /// Returns whether texts can be decoded by the table alone.
    pub(crate) fn decodes(&self) -> bool {
        self.is_complete
    }

    /// Returns whether the bytes of byte tokens are emitted even if they are not UTF-8.
    pub(crate) fn has_bytes(&self) -> bool {
        self.has_bytes
    }

    /// Returns a token after a state, the first of which is 0; `None` for an id without token.
    #[inline]
    pub(crate) fn token(&self, state: u8, id: u32) -> Option<&TokenBytes> {
        self.states.get(usize::from(state))?.get(id as usize).filter(|token| token.length != UNDECIDED)
    }

    /// Returns the bytes of a token.
    #[inline]
    pub(crate) fn bytes_of<'a>(&'a self, token: &'a TokenBytes) -> &'a [u8] {
        let length = usize::from(token.length);
        token.head.get(..length).unwrap_or_else(|| &self.bytes[token.start as usize..][..length])
    }

    /// Appends the bytes of a token.
    #[inline]
    pub(crate) fn push(&self, token: &TokenBytes, out: &mut Vec<u8>) {
        let length = usize::from(token.length);
        if length > HEAD {
            return out.extend_from_slice(self.bytes_of(token));
        }
        // A copy of a fixed size is faster.
        let end = out.len() + length;
        out.extend_from_slice(&token.head);
        out.truncate(end);
    }

    /// Appends the bytes of an id, and sets the state after it; a special token that is skipped, or an id without token, has no
    /// effect.
    #[inline]
    pub(crate) fn step(&self, state: &mut u8, id: u32, skip_special_tokens: bool, out: &mut Vec<u8>) {
        let is_kept = |token: &&TokenBytes| !(skip_special_tokens && token.is_special());
        if let Some(token) = self.token(*state, id).filter(is_kept) {
            self.push(token, out);
            *state = token.next;
        }
    }

    /// Returns the bytes at the end of a text, after a state.
    pub(crate) fn end(&self, state: u8) -> &[u8] {
        self.ends.get(usize::from(state)).map_or(&[], Vec::as_slice)
    }

    /// Returns the stages that emit text, after a state, and what they emit at the end of a text.
    pub(crate) fn text_stages(&self, state: u8) -> Option<&(Stages, Vec<u8>)> {
        self.texts.get(usize::from(state))?.as_ref()
    }

    /// Returns the bytes of a text, without special tokens if they are skipped.
    ///
    /// `None` if an id has no token, or if what is before and after a skipped token may be one character.
    pub(crate) fn text_bytes(&self, ids: &[u32], skip_special_tokens: bool) -> Option<Vec<u8>> {
        let mut out = with_room(ids.len() * BYTES_PER_TOKEN);
        let (mut state, mut gap) = (0, None);
        let tokens = |state: u8| self.states.get(usize::from(state));
        let mut current = tokens(state)?;
        for block in stop::blocks(ids) {
            out.make_room(block.len() * BYTES_PER_TOKEN);
            for &id in block {
                let token = current.get(id as usize).filter(|token| token.length != UNDECIDED)?;
                if skip_special_tokens && token.is_special() {
                    gap = Some(out.len());
                    continue;
                }
                self.push(token, &mut out);
                if let Some(at) = gap.filter(|&at| at < out.len()) {
                    let continues = at > 0 && out[at] & 0xC0 == 0x80;
                    if continues {
                        return None;
                    }
                    gap = None;
                }
                if token.next != state {
                    state = token.next;
                    current = tokens(state)?;
                }
            }
        }
        out.extend_from_slice(self.end(state));
        Some(out)
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

/// The largest number of bytes that the table has for a byte of a token, and for the token besides.
const MOST_PER_BYTE: usize = 16;
const MOST_BESIDES: usize = 64;
/// The largest number of bytes of a table, which a decoder that lengthens tokens would exceed.
const MAX_BYTES: usize = 1 << 26;

/// The states of a table, each with the stages of the table and those that emit text.
struct TableBuilder {
    reached: Vec<(Stages, Option<Stages>)>,
    has_bytes: bool,
    bytes: Vec<u8>,
    buffers: [StageBuffers; 2],
}

impl TableBuilder {
    /// Returns the state before the first token.
    fn new(decoder: Option<&Decoder>) -> Self {
        let (stages, has_bytes) = initial_stages(decoder);
        let text = Decoder::stages(decoder, StreamOutput::Text);
        Self { reached: vec![(stages, Some(text))], has_bytes, bytes: Vec::new(), buffers: Default::default() }
    }

    /// Returns the table for all states that are reached; `None` if there are too many.
    fn of_tokens<'a>(mut self, limit: u32, token: impl Fn(u32) -> Option<(&'a str, bool)>) -> Option<DecodeTable> {
        let (mut states, mut is_complete) = (Vec::new(), true);
        while states.len() < self.reached.len() {
            let from = states.len();
            let mut current = self.reached[from].clone();
            let mut tokens = with_room(limit as usize);
            for id in 0..limit {
                let Some((token, is_special)) = token(id) else {
                    tokens.push(TokenBytes::UNDECIDED);
                    continue;
                };
                let entry = self.entry(from, &mut current, token)?;
                if self.bytes.len() > MAX_BYTES {
                    return None;
                }
                is_complete &= entry.length != UNDECIDED;
                tokens.push(TokenBytes { flags: entry.flags | if is_special { IS_SPECIAL } else { 0 }, ..entry });
            }
            states.push(tokens);
        }
        let Self { mut reached, has_bytes, bytes, .. } = self;
        let ends = reached.iter_mut().map(|(stages, _)| stages.run(&[], true)).collect::<Result<_>>().ok()?;
        let text = |(_, text): &(Stages, Option<Stages>)| {
            let end = text.clone().map(|mut stages| stages.run(&[], true)).transpose();
            end.map(|end| text.clone().zip(end))
        };
        let texts = reached.iter().map(text).collect::<Result<_>>().ok()?;
        Some(DecodeTable { bytes, states, ends, texts, has_bytes, is_complete })
    }

    /// Returns the entry of a token after a state; `current` has the stages of the state, before and after.
    fn entry(&mut self, from: usize, current: &mut (Stages, Option<Stages>), token: &str) -> Option<TokenBytes> {
        let [mut buffers, mut text_buffers] = std::mem::take(&mut self.buffers);
        let bytes = current.0.run_in(&mut buffers, &[token], false).ok();
        // Texts of tokens that become many times as long are checked while they are made.
        let bytes = bytes.filter(|bytes| bytes.len() <= MOST_PER_BYTE * token.len() + MOST_BESIDES);
        let text = current.1.as_mut().and_then(|text| text.run_in(&mut text_buffers, &[token], false).ok());
        let mut is_text = text.is_some() && text == bytes;
        let mut next = from;
        if *current != self.reached[from] {
            if bytes.is_some() {
                next = self.place_of(&current.0)?;
            }
            is_text = is_text && self.has_text(next, &current.1);
            current.clone_from(&self.reached[from]);
        }
        let flags = if is_text { IS_TEXT } else { 0 };
        let entry = TokenBytes::new(bytes, u8::try_from(next).ok()?, flags, &mut self.bytes);
        self.buffers = [buffers, text_buffers];
        Some(entry)
    }

    /// Returns whether a state has these stages that emit text, or had none.
    fn has_text(&mut self, state: usize, text: &Option<Stages>) -> bool {
        let known = &mut self.reached[state].1;
        if known.is_none() {
            known.clone_from(text);
        }
        known == text
    }

    /// Returns the index of a state, which is added if it is new; `None` if there are too many.
    fn place_of(&mut self, stages: &Stages) -> Option<usize> {
        if let Some(place) = self.reached.iter().position(|(other, _)| other == stages) {
            return Some(place);
        }
        if self.reached.len() == MAX_STATES {
            return None;
        }
        self.reached.push((stages.clone(), None));
        Some(self.reached.len() - 1)
    }
}

/// Returns the stages of a decoder before the first token, and whether they emit bytes that are not UTF-8.
///
/// They do so where no later stage could see it: as text, an incomplete character would be a state.
fn initial_stages(decoder: Option<&Decoder>) -> (Stages, bool) {
    let stages = Decoder::stages(decoder, StreamOutput::Bytes);
    let is_byte =
        |stage: &AnyStage| matches!(stage, AnyStage::ByteLevel(_) | AnyStage::ByteFallback(_) | AnyStage::Pieces(_));
    let keeps_bytes = |stage: &AnyStage| match stage {
        AnyStage::Fuse(_) => true,
        AnyStage::Strip(stage) => !stage.strips(char::REPLACEMENT_CHARACTER),
        _ => false,
    };
    if stages.iter().skip_while(|stage| !is_byte(stage)).skip(1).all(keeps_bytes) {
        return (stages, true);
    }
    (Decoder::stages(decoder, StreamOutput::Text), false)
}

impl TokenBytes {
    /// The entry of an id without token, or of a token that is too long.
    const UNDECIDED: Self = Self { head: [0; HEAD], start: 0, length: UNDECIDED, next: 0, flags: 0 };

    /// Returns the entry of a token, whose bytes are appended to `all`.
    fn new(bytes: Option<&[u8]>, next: u8, flags: u8, all: &mut Vec<u8>) -> Self {
        let Some(bytes) = bytes else { return Self::UNDECIDED };
        let length = u16::try_from(bytes.len()).ok().filter(|&length| length != UNDECIDED);
        let (Ok(start), Some(length)) = (u32::try_from(all.len()), length) else { return Self::UNDECIDED };
        let mut head = [0; HEAD];
        head.iter_mut().zip(bytes).for_each(|(byte, &own)| *byte = own);
        all.extend_from_slice(bytes);
        Self { head, start, length, next, flags }
    }

    /// Returns the state after the token.
    pub(crate) fn next(&self) -> u8 {
        self.next
    }

    /// Returns whether the token adds its bytes to a text, whatever comes next.
    pub(crate) fn is_text(&self) -> bool {
        self.flags & IS_TEXT != 0
    }

    /// Returns whether the token is special.
    pub(crate) fn is_special(&self) -> bool {
        self.flags & IS_SPECIAL != 0
    }

    /// Returns what follows the token in `text`, or `None` if the text does not begin with it.
    #[inline]
    fn strip_from<'a>(self, text: &'a [u8], all: &[u8]) -> Option<&'a [u8]> {
        let length = usize::from(self.length);
        if let Some(head) = text.first_chunk::<HEAD>() {
            let unused = 64_u32.saturating_sub(8 * u32::from(self.length.min(8)));
            let own = u64::from_le_bytes(self.head);
            let differences = (u64::from_le_bytes(*head) ^ own).checked_shl(unused).unwrap_or(0);
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
                let table = DecodeTable::new(decoder.as_ref(), limit, |id| Some((token(id)?, false)));
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
                let table = DecodeTable::new(Some(decoder), limit, |id| Some((*TOKENS.get(id as usize)?, false)));
                let text = decoder.decode(["a", "a"]).unwrap();
                assert_eq!(table.reproduces(&text, &[0, 0]), has_table.then_some(true), "{decoder:?}");
                assert_eq!(table.reproduces("x", &[0, 0]), has_table.then_some(false), "{decoder:?}");
            }
        }
    }
}
