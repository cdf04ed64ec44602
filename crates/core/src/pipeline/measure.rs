//! Sums over texts from which the metrics of a tokenizer are computed.

use super::Tokenizer;
use super::options::{Input, Options};
use super::scratch::Scratch;
use crate::encoding::Encoding;
use crate::error::Result;
use crate::memory::prefetch;
use crate::stop;
use crate::text::span::Span;

/// The number of counters of words by tokens, and of tokens by bytes; the last one also counts all longer ones.
pub const LENGTHS: usize = 33;
/// The number of counters of [`Measures::texts_by_tokens`].
pub const TEXT_LENGTHS: usize = 64;
/// The number of tokens whose table entries are prefetched.
const PREFETCHED: usize = 256;

/// Sums over texts; those of several lists of texts add up in any order.
///
/// A word is a longest run of characters that are not white space. A token belongs to the words that its span overlaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measures {
    /// The number of texts.
    pub texts: u64,
    /// The number of bytes of the texts.
    pub bytes: u64,
    /// The number of characters of the texts.
    pub characters: u64,
    /// The number of words.
    pub words: u64,
    /// The number of words with exactly one token, which is not the unknown token.
    pub whole_words: u64,
    /// The number of texts that differ from the decoded tokens, special tokens included.
    pub changed_texts: u64,
    /// The number of words by their number of tokens.
    pub words_by_tokens: Vec<u64>,
    /// The number of tokens by the bytes of the text that they cover.
    pub tokens_by_bytes: Vec<u64>,
    /// The number of texts by the number of bits of their number of tokens: 0, 1, 2 to 3, 4 to 7, ...
    pub texts_by_tokens: Vec<u64>,
    /// The number of occurrences of each token by id, up to the largest id that occurs.
    counts: Vec<u64>,
}

impl Measures {
    /// Adds the sums of other texts.
    pub fn merge(&mut self, other: &Self) {
        self.texts += other.texts;
        self.bytes += other.bytes;
        self.characters += other.characters;
        self.words += other.words;
        self.whole_words += other.whole_words;
        self.changed_texts += other.changed_texts;
        add(&mut self.words_by_tokens, &other.words_by_tokens);
        add(&mut self.tokens_by_bytes, &other.tokens_by_bytes);
        add(&mut self.texts_by_tokens, &other.texts_by_tokens);
        add(&mut self.counts, &other.counts);
    }

    /// Iterates over the ids of the tokens of the texts with their counts, in ascending order of ids.
    pub fn token_counts(&self) -> impl Iterator<Item = (u32, u64)> {
        (0..).zip(self.counts.iter().copied()).filter(|&(_, count)| count > 0)
    }

    fn count_tokens(&mut self, ids: &[u32]) {
        for &id in ids {
            let place = id as usize;
            if place >= self.counts.len() {
                grow(&mut self.counts, place + 1);
            }
            self.counts[place] += 1;
        }
    }

    fn count_lengths(&mut self, spans: &[Span]) {
        let lengths = first_counters::<LENGTHS>(&mut self.tokens_by_bytes);
        for span in spans {
            lengths[span.range().len().min(LENGTHS - 1)] += 1;
        }
    }

    fn count_words(&mut self, words: &[WordTokens]) {
        let lengths = first_counters::<LENGTHS>(&mut self.words_by_tokens);
        for word in words {
            lengths[(word.tokens as usize).min(LENGTHS - 1)] += 1;
            self.whole_words += u64::from(word.tokens == 1 && !word.is_unknown);
        }
        self.words += words.len() as u64;
    }
}

/// Lengthens a list of counters to at least a length.
fn grow(counters: &mut Vec<u64>, length: usize) {
    if counters.len() < length {
        counters.resize(length, 0);
    }
}

/// Returns the first `N` counters of a list, which is lengthened to them.
fn first_counters<const N: usize>(counters: &mut Vec<u64>) -> &mut [u64] {
    grow(counters, N);
    &mut counters[..N]
}

fn add(sums: &mut Vec<u64>, others: &[u64]) {
    grow(sums, others.len());
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

/// A word, the number of tokens that overlap it, and whether one of them is the unknown token.
struct WordTokens {
    span: Span,
    tokens: u32,
    is_unknown: bool,
}

/// Measures texts one after the other; its buffers are reused.
///
/// ```
/// use piecework_core::format::format_named;
/// use piecework_core::pipeline::{Meter, Options, Scratch};
///
/// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?;
/// let (options, mut scratch) = (Options::default(), Scratch::default());
/// let mut meter = Meter::new(&tokenizer, &options);
/// assert!(meter.add("low lower", &mut scratch)?);
/// assert!(!meter.add("LOW", &mut scratch)?, "the normalizer makes it lowercase");
/// assert_eq!((meter.measures.words, meter.measures.whole_words), (3, 2));
/// assert_eq!(meter.measures.token_counts().collect::<Vec<_>>(), [(1, 3), (2, 1)]);
/// # Ok::<(), piecework_core::Error>(())
/// ```
pub struct Meter<'a> {
    tokenizer: &'a Tokenizer,
    options: &'a Options,
    encoding: Encoding,
    words: Vec<WordTokens>,
    /// The sums over the texts so far.
    pub measures: Measures,
}

impl<'a> Meter<'a> {
    /// Returns a meter; special tokens that the post-processor would add, truncation and padding have no effect.
    #[must_use]
    pub fn new(tokenizer: &'a Tokenizer, options: &'a Options) -> Self {
        let (encoding, words, measures) = (Encoding::default(), Vec::new(), Measures::default());
        Self { tokenizer, options, encoding, words, measures }
    }

    /// Adds a text, and returns whether its tokens decode to the same text. After an error the sums are unchanged.
    pub fn add(&mut self, text: &str, scratch: &mut Scratch) -> Result<bool> {
        self.tokenizer.spans(text, self.options, scratch, &mut self.encoding)?;
        let Self { tokenizer, measures, words, encoding, .. } = self;
        let (ids, table) = (&encoding.ids, tokenizer.decode_table());
        // Finding words takes the time that memory needs for the tables.
        let first = &ids[..ids.len().min(PREFETCHED)];
        table.prefetch(first);
        first.iter().filter_map(|&id| measures.counts.get(id as usize)).for_each(prefetch);
        find_words(text, words);
        stop::check_after(text.len());
        assign_tokens(words, encoding, tokenizer.traits().unk_id);
        let is_reproduced = match table.reproduces(text, ids) {
            Some(is_reproduced) => is_reproduced,
            None => tokenizer.decode(ids, false)? == text,
        };
        stop::check_after(text.len());
        measures.texts += 1;
        measures.bytes += text.len() as u64;
        measures.characters += text.chars().count() as u64;
        measures.changed_texts += u64::from(!is_reproduced);
        measures.count_tokens(ids);
        stop::check_after(text.len());
        measures.count_lengths(&encoding.spans);
        stop::check_after(text.len());
        measures.count_words(words);
        let lengths = first_counters::<TEXT_LENGTHS>(&mut measures.texts_by_tokens);
        lengths[(usize::BITS - ids.len().leading_zeros()) as usize] += 1;
        Ok(is_reproduced)
    }
}

/// The high bit of each of eight bytes.
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
/// Added to eight bytes below 0x80, sets the high bit of those above a space.
const ABOVE_SPACE: u64 = 0x5f5f_5f5f_5f5f_5f5f;
/// Moves the lowest bits of eight bytes to the highest byte, when they are multiplied.
const GATHER: u64 = 0x0102_0408_1020_4080;
/// The number of bytes of a text that are looked at together.
const BLOCK: usize = 64;

/// Finds the words of a text, those of `split_whitespace`.
fn find_words(text: &str, words: &mut Vec<WordTokens>) {
    words.clear();
    let mut start = 0;
    let mut end_word = |start: usize, end: usize| {
        if start < end {
            words.push(WordTokens { span: Span::new(start, end), tokens: 0, is_unknown: false });
        }
    };
    for (number, block) in text.as_bytes().chunks(BLOCK).enumerate() {
        let mut candidates = space_candidates(&zero_padded(block));
        while candidates != 0 {
            let place = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            let at = number * BLOCK + place;
            let length = match block[place] {
                b'\t'..=b'\r' | b' ' => 1,
                // The first bytes of all other white space.
                0xc2 | 0xe1..=0xe3 => white_space_length(text, at),
                _ => 0,
            };
            if length > 0 {
                end_word(start, at);
                start = at + length;
            }
        }
    }
    end_word(start, text.len());
}

/// Returns a bit for each byte that may begin white space: control characters, spaces, and the first bytes of characters
/// outside ASCII.
fn space_candidates(block: &[u8; BLOCK]) -> u64 {
    let mut candidates = 0;
    for (place, bytes) in block.as_chunks::<8>().0.iter().enumerate() {
        let bytes = u64::from_le_bytes(*bytes);
        let is_small = !((bytes & !HIGH_BITS) + ABOVE_SPACE) & !bytes;
        let is_first = bytes & (bytes << 1); // a continuation byte has only the first of these two bits
        candidates |= ((((is_small | is_first) & HIGH_BITS) >> 7).wrapping_mul(GATHER) >> 56) << (8 * place);
    }
    candidates
}

/// Returns the bytes of a block, with letters after a shorter one.
fn zero_padded(bytes: &[u8]) -> [u8; BLOCK] {
    bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut block = [b'x'; BLOCK];
        block[..bytes.len()].copy_from_slice(bytes);
        block
    })
}

/// Returns the length of the character at a byte if it is white space, else 0.
fn white_space_length(text: &str, at: usize) -> usize {
    text[at..].chars().next().filter(|c| c.is_whitespace()).map_or(0, char::len_utf8)
}

/// Counts the tokens of each word. Spans that overlap or go back, as after reordering of marks, are counted too.
fn assign_tokens(words: &mut [WordTokens], encoding: &Encoding, unk_id: Option<u32>) {
    // The words before `at` end before the start of the last token.
    let (mut at, mut last_start) = (0, 0);
    for (&id, span) in encoding.ids.iter().zip(&encoding.spans) {
        if span.start == span.end {
            continue;
        }
        if span.start < last_start {
            while at > 0 && words[at - 1].span.end > span.start {
                at -= 1;
            }
        }
        last_start = span.start;
        // Whether a token begins a new word is hard to predict, so the first step is not a branch.
        at += usize::from(words.get(at).is_some_and(|word| word.span.end <= span.start));
        while at < words.len() && words[at].span.end <= span.start {
            at += 1;
        }
        for word in words[at..].iter_mut().take_while(|word| word.span.start < span.end) {
            word.tokens += 1;
            if unk_id == Some(id) {
                word.is_unknown = true;
            }
        }
    }
}

impl Tokenizer {
    /// Writes the ids and spans of a text's tokens, before post-processing, to the columns of an encoding.
    fn spans(&self, text: &str, options: &Options, scratch: &mut Scratch, encoding: &mut Encoding) -> Result<()> {
        self.begin(options, scratch);
        encoding.clear_spans();
        if !self.fast_spans::<false>(Input::Text(text), options, scratch, encoding) {
            encoding.clear_spans();
            self.each_token(Input::Text(text), options, true, scratch, |found, _| {
                encoding.ids.push(found.id);
                encoding.spans.push(found.original());
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, tokens: &[(u32, usize, usize)]) -> Vec<(u32, bool)> {
        let mut found = Vec::new();
        find_words(text, &mut found);
        let mut encoding = Encoding::default();
        for &(id, start, end) in tokens {
            encoding.push(id, Span::new(start, end), 0, 0);
        }
        assign_tokens(&mut found, &encoding, Some(0));
        found.iter().map(|word| (word.tokens, word.is_unknown)).collect()
    }

    #[test]
    fn words_are_those_of_the_standard_library() {
        let mut found = Vec::new();
        for c in (0..=0x1_0ffff).filter_map(char::from_u32) {
            for text in [format!("{c}"), format!("a{c}é"), format!("{c}中 {c}"), format!("ab cd{c}ef g\nhijklm{c}n")]
            {
                find_words(&text, &mut found);
                let own: Vec<&str> = found.iter().map(|word| &text[word.span.range()]).collect();
                assert_eq!(own, text.split_whitespace().collect::<Vec<_>>(), "{text:?}");
            }
        }
    }

    #[test]
    fn words_may_cross_blocks() {
        let mut found = Vec::new();
        for c in [' ', '\n', '\u{85}', '\u{a0}', '\u{2003}', '\u{3000}', 'é', '中', '𝒳'] {
            for before in 0..=2 * BLOCK {
                let text = format!("{}{c}b {c}{}", "a".repeat(before), "d".repeat(BLOCK - before % BLOCK));
                find_words(&text, &mut found);
                let own: Vec<&str> = found.iter().map(|word| &text[word.span.range()]).collect();
                assert_eq!(own, text.split_whitespace().collect::<Vec<_>>(), "{text:?}");
            }
        }
    }

    #[test]
    fn tokens_belong_to_the_words_that_they_overlap() {
        assert_eq!(words("", &[(1, 0, 0)]), []);
        assert_eq!(words(" ab\u{3000}c ", &[(1, 0, 2), (1, 2, 3), (1, 3, 6), (0, 6, 7)]), [(2, false), (1, true)]);
        assert_eq!(words("a b c", &[(1, 0, 3), (1, 3, 5)]), [(1, false), (1, false), (1, false)]);
        assert_eq!(words("a b", &[(1, 2, 3), (0, 0, 1), (1, 0, 3), (1, 1, 1)]), [(2, true), (2, false)]);
        assert_eq!(words("a b", &[]), [(0, false), (0, false)]);
    }

    #[test]
    fn sums_add_up() {
        let mut one = Measures::default();
        one.count_tokens(&[3, 1, 3, 9]);
        let mut other = Measures { texts: 2, words_by_tokens: vec![1, 2], ..Measures::default() };
        other.count_tokens(&[7, 1]);
        let (mut sum, mut turned) = (one.clone(), other.clone());
        sum.merge(&other);
        turned.merge(&one);
        assert_eq!(sum, turned);
        assert_eq!(sum.token_counts().collect::<Vec<_>>(), [(1, 2), (3, 2), (7, 1), (9, 1)]);
        assert_eq!((sum.texts, sum.words_by_tokens), (2, vec![1, 2]));
    }
}
