//! The bytes of each id in a decoded text, and where its text starts.
//!
//! The bytes of an id are those that its step of a stream of bytes emits; at the end of a text, the rest are those of the
//! last id. The characters of the text are found in these bytes: they differ only where bytes are not UTF-8, which each
//! decoder replaces by a rule of its own.

use super::Tokenizer;
use super::decode::DecodeOptions;
use crate::decode::{Stages, StreamOutput, byte_of};
use crate::error::Result;
use crate::memory::{Growable, with_room};
use crate::stop;
use crate::text::span::check_growth;

/// The bytes of ids in a decoded text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokensBytes {
    /// The bytes of all ids.
    pub bytes: Vec<u8>,
    /// The first byte of each id.
    pub starts: Vec<usize>,
}

/// A decoded text, and where its ids start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecodedText {
    /// The text.
    pub text: String,
    /// The first character of each id; a character of several ids belongs to the first.
    pub starts: Vec<usize>,
    /// The first byte of each id, in the bytes of all ids.
    pub byte_starts: Vec<usize>,
}

/// How a decoder replaces bytes that are not UTF-8.
#[derive(Debug, Clone, Copy)]
enum Replacement {
    /// One U+FFFD for each sequence that begins a character.
    Sequences,
    /// One U+FFFD for each byte of a run of byte tokens, if the run is not UTF-8.
    Runs,
    /// One U+FFFD for each byte of a run of byte tokens that is in no character; skipped tokens end a run.
    Bytes,
}

/// A maximal range of bytes that are those of byte tokens, or are not.
struct Run {
    start: usize,
    end: usize,
    is_bytes: bool,
}

/// A token of ordinary text, before and after which the bytes of another are found.
struct Probe {
    id: u32,
    /// The stages after the token.
    after: Stages,
    /// The bytes that the token adds after itself.
    bytes: Vec<u8>,
}

impl Probe {
    /// Returns the probe of a token; `None` if it does not add letters or digits after itself.
    fn new(id: u32, tokenizer: &Tokenizer) -> Option<Self> {
        let tokens = tokenizer.decoder_tokens(&[id], DecodeOptions::default()).ok()?;
        let mut after = Stages::of(tokenizer.decoder(), StreamOutput::Bytes);
        after.run(&tokens, false).ok()?;
        let bytes = after.clone().run(&tokens, false).ok()?;
        let is_word = bytes.last().is_some_and(u8::is_ascii_alphanumeric);
        is_word.then_some(Self { id, after, bytes })
    }

    /// Returns what a token adds between two of this one.
    fn bytes_of(&self, id: u32, tokenizer: &Tokenizer) -> Result<Vec<u8>> {
        let tokens = tokenizer.decoder_tokens(&[id, self.id], DecodeOptions::default())?;
        let mut both = self.after.clone().run(&tokens, false)?;
        if both.ends_with(&self.bytes) {
            both.truncate(both.len() - self.bytes.len());
            return Ok(both);
        }
        self.after.clone().run(&tokens[..1], false)
    }
}

impl Tokenizer {
    /// Returns the bytes of each id, whose concatenation is [`Self::decode_bytes`].
    ///
    /// ```
    /// use piecework_core::format::format_named;
    ///
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?;
    /// let found = tokenizer.tokens_bytes(&[1, 2, 1], true)?;
    /// assert_eq!((&*found.bytes, found.starts), (&b"lower low"[..], vec![0, 3, 5]));
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn tokens_bytes(&self, ids: &[u32], options: impl Into<DecodeOptions>) -> Result<TokensBytes> {
        let options = options.into();
        for &id in ids {
            self.expect_token(id)?;
        }
        let mut found = TokensBytes { bytes: Vec::new(), starts: with_room(ids.len()) };
        let TokensBytes { bytes, starts } = &mut found;
        if let Some(table) = self.table_for(ids.len(), options).filter(|table| table.has_bytes()) {
            let mut state = 0;
            for &id in stop::blocks(ids).flatten() {
                starts.push(bytes.len());
                table.step(&mut state, id, options.skip_special_tokens, bytes);
            }
            bytes.extend_from_slice(table.end(state));
            return Ok(found);
        }
        let mut stages = Stages::of(self.decoder(), StreamOutput::Bytes);
        for id in stop::blocks(ids).flatten() {
            starts.push(bytes.len());
            let more = stages.run(&self.decoder_tokens(std::slice::from_ref(id), options)?, false)?;
            bytes.make_room(more.len());
            bytes.extend(more);
        }
        bytes.extend(stages.run(&[], true)?);
        Ok(found)
    }

    /// Returns the bytes that each id, special ones included, adds to a text between ordinary tokens; none for an id
    /// without token.
    ///
    /// They are what the id adds to `a b`, where `a` and `b` are the same token, and differ from this one.
    pub fn all_token_bytes(&self) -> Result<TokensBytes> {
        let mut found = TokensBytes { bytes: Vec::new(), starts: with_room(self.id_limit() as usize) };
        let original = self.vocab().iter().map(|(token, _)| token.len()).sum();
        let probes = self.probes();
        for id in 0..self.id_limit() {
            found.starts.push(found.bytes.len());
            if self.token(id).is_none() {
                continue;
            }
            let between = match probes.iter().find(|probe| probe.id != id) {
                Some(probe) => probe.bytes_of(id, self)?,
                None => self.decode_bytes(&[id], false)?,
            };
            check_growth(original, found.bytes.len() + between.len())?;
            found.bytes.make_room(between.len());
            found.bytes.extend(between);
        }
        Ok(found)
    }

    /// Returns two tokens that are decoded to ordinary text, with the state of the decoder after each.
    fn probes(&self) -> Vec<Probe> {
        let suffix = &self.traits().end_of_word_suffix;
        // A decoder gives the space after such a token to the next one.
        let ends_word = |token: &str| !suffix.is_empty() && token.ends_with(&**suffix);
        let entries = self.model().vocab().iter().filter(|&(token, _)| !ends_word(token)).map(|(_, id)| id);
        let entries = entries.filter(|&id| self.added().token(id).is_none());
        entries.filter_map(|id| Probe::new(id, self)).take(2).collect()
    }

    /// Returns the text of ids, and where each id starts.
    ///
    /// ```
    /// use piecework_core::format::format_named;
    ///
    /// let tokenizer = format_named("vocab.txt")?.read("[UNK]\né\n##er\n".as_bytes())?;
    /// let found = tokenizer.decode_offsets(&[1, 2, 1], true)?;
    /// assert_eq!((&*found.text, found.starts, found.byte_starts), ("éer é", vec![0, 1, 3], vec![0, 2, 4]));
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn decode_offsets(&self, ids: &[u32], options: impl Into<DecodeOptions>) -> Result<DecodedText> {
        let options = options.into();
        let text = self.decode(ids, options)?;
        let TokensBytes { bytes, starts: byte_starts } = self.tokens_bytes(ids, options)?;
        let starts = match self.character_bytes(ids, options, &text, &bytes, &byte_starts) {
            Some(characters) => characters_before(&characters, &byte_starts),
            None => self.emitted_before(ids, options)?,
        };
        Ok(DecodedText { text, starts, byte_starts })
    }

    /// Returns the first byte of each character of a text; `None` if the text is not made of the bytes by a known rule.
    fn character_bytes(
        &self,
        ids: &[u32],
        options: DecodeOptions,
        text: &str,
        bytes: &[u8],
        starts: &[usize],
    ) -> Option<Vec<usize>> {
        if text.as_bytes() == bytes {
            return Some(text.char_indices().map(|(at, _)| at).collect());
        }
        [Replacement::Sequences, Replacement::Runs, Replacement::Bytes].into_iter().find_map(|rule| {
            let runs = match rule {
                Replacement::Sequences => vec![Run { start: 0, end: bytes.len(), is_bytes: true }],
                Replacement::Runs | Replacement::Bytes => {
                    self.runs(ids, options, (bytes, starts), matches!(rule, Replacement::Bytes))
                }
            };
            let (mut found, mut rest) = (Vec::new(), text.chars());
            for run in &runs {
                for (at, c) in replaced(&bytes[run.start..run.end], rule, run.is_bytes) {
                    if rest.next() != Some(c) {
                        return None;
                    }
                    found.push(run.start + at);
                }
            }
            rest.next().is_none().then_some(found)
        })
    }

    /// Returns the runs of byte tokens, and the bytes between them.
    fn runs(
        &self,
        ids: &[u32],
        options: DecodeOptions,
        (bytes, starts): (&[u8], &[usize]),
        are_ended_by_skipped: bool,
    ) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let mut is_ended = true;
        for (place, &id) in ids.iter().enumerate() {
            let start = starts[place];
            let end = starts.get(place + 1).copied().unwrap_or(bytes.len());
            if options.skip_special_tokens && self.is_special(id) {
                is_ended |= are_ended_by_skipped;
                continue;
            }
            let is_bytes = end == start + 1 && self.token(id).is_some_and(|token| byte_of(token).is_some());
            match runs.last_mut().filter(|last| !is_ended && last.is_bytes == is_bytes) {
                Some(last) => last.end = end,
                None => runs.push(Run { start, end, is_bytes }),
            }
            is_ended = false;
        }
        runs
    }

    /// Returns the number of characters that a stream of text emits before each id.
    fn emitted_before(&self, ids: &[u32], options: DecodeOptions) -> Result<Vec<usize>> {
        let (mut stages, mut count) = (Stages::of(self.decoder(), StreamOutput::Text), 0);
        let before = |id: &u32| {
            let new = stages.run(&self.decoder_tokens(std::slice::from_ref(id), options)?, false)?;
            let before = count;
            count += String::from_utf8_lossy(&new).chars().count();
            Ok(before)
        };
        ids.iter().map(before).collect()
    }
}

/// Returns the characters of some bytes, with their first bytes.
fn replaced(bytes: &[u8], rule: Replacement, is_bytes: bool) -> Vec<(usize, char)> {
    let is_broken = matches!(rule, Replacement::Runs) && is_bytes && std::str::from_utf8(bytes).is_err();
    if is_broken {
        return (0..bytes.len()).map(|at| (at, char::REPLACEMENT_CHARACTER)).collect();
    }
    let (mut found, mut done) = (Vec::new(), 0);
    for chunk in bytes.utf8_chunks() {
        found.extend(chunk.valid().char_indices().map(|(at, c)| (done + at, c)));
        done += chunk.valid().len();
        let invalid = chunk.invalid().len();
        let count = if matches!(rule, Replacement::Bytes) { invalid } else { invalid.min(1) };
        found.extend((0..count).map(|at| (done + at, char::REPLACEMENT_CHARACTER)));
        done += invalid;
    }
    found
}

/// Returns for each place in bytes the number of characters that begin before it.
fn characters_before(characters: &[usize], places: &[usize]) -> Vec<usize> {
    let mut count = 0;
    let before = |&place: &usize| {
        while characters.get(count).is_some_and(|&at| at < place) {
            count += 1;
        }
        count
    };
    places.iter().map(before).collect()
}
