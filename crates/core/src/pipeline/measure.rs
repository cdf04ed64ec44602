//! Sums over texts from which the metrics of a tokenizer are computed.

use super::Tokenizer;
use super::options::{Input, Options};
use super::scratch::Scratch;
use crate::encoding::Encoding;
use crate::error::Result;
use crate::memory::prefetch;
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
        grow(&mut self.tokens_by_bytes, LENGTHS);
        for span in spans {
            self.tokens_by_bytes[span.range().len().min(LENGTHS - 1)] += 1;
        }
    }

    fn count_words(&mut self, words: &[WordTokens]) {
        grow(&mut self.words_by_tokens, LENGTHS);
        self.words += words.len() as u64;
        for word in words {
            self.words_by_tokens[(word.tokens as usize).min(LENGTHS - 1)] += 1;
            self.whole_words += u64::from(word.tokens == 1 && !word.is_unknown);
        }
    }
}

/// Lengthens a list of counters to at least a length.
fn grow(counters: &mut Vec<u64>, length: usize) {
    if counters.len() < length {
        counters.resize(length, 0);
    }
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
        assign_tokens(words, encoding, tokenizer.model().unk_id());
        let is_reproduced = match table.reproduces(text, ids) {
            Some(is_reproduced) => is_reproduced,
            None => tokenizer.decode(ids, false)? == text,
        };
        measures.texts += 1;
        measures.bytes += text.len() as u64;
        measures.characters += text.chars().count() as u64;
        measures.changed_texts += u64::from(!is_reproduced);
        measures.count_tokens(ids);
        measures.count_lengths(&encoding.spans);
        measures.count_words(words);
        grow(&mut measures.texts_by_tokens, TEXT_LENGTHS);
        measures.texts_by_tokens[(usize::BITS - ids.len().leading_zeros()) as usize] += 1;
        Ok(is_reproduced)
    }
}

/// The characters that a byte of a text may belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    /// A character that is not white space.
    Word,
    /// White space in ASCII.
    Space,
    /// The first byte of a character that may be white space.
    Either,
}

/// The class of each byte.
const CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::Word; 256];
    let spaces = [b'\t', b'\n', 0x0b, 0x0c, b'\r', b' '];
    let firsts: [u8; 4] = [0xc2, 0xe1, 0xe2, 0xe3];
    let mut at = 0;
    while at < spaces.len() {
        classes[spaces[at] as usize] = ByteClass::Space;
        at += 1;
    }
    at = 0;
    while at < firsts.len() {
        classes[firsts[at] as usize] = ByteClass::Either;
        at += 1;
    }
    classes
};

/// The high bit of each of eight bytes.
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
/// Added to eight bytes below 0x80, sets the high bit of those above a space.
const ABOVE_SPACE: u64 = 0x5f5f_5f5f_5f5f_5f5f;

/// Finds the words of a text, those of `split_whitespace`, in eight bytes of ASCII at a time.
fn find_words(text: &str, words: &mut Vec<WordTokens>) {
    words.clear();
    let bytes = text.as_bytes();
    let (mut at, mut start) = (0, 0);
    let mut end_word = |start: usize, end: usize| {
        if start < end {
            words.push(WordTokens { span: Span::new(start, end), tokens: 0, is_unknown: false });
        }
    };
    while at < bytes.len() {
        let block = bytes[at..].first_chunk::<8>().map_or(HIGH_BITS, |block| u64::from_le_bytes(*block));
        if block & HIGH_BITS == 0 {
            let mut low = !(block + ABOVE_SPACE) & HIGH_BITS;
            while low != 0 {
                let place = at + low.trailing_zeros() as usize / 8;
                if CLASSES[bytes[place] as usize] == ByteClass::Space {
                    end_word(start, place);
                    start = place + 1;
                }
                low &= low - 1;
            }
            at += 8;
            continue;
        }
        let end = bytes.len().min(at + 8);
        while at < end {
            let space = match CLASSES[bytes[at] as usize] {
                ByteClass::Word => None,
                ByteClass::Space => Some(1),
                ByteClass::Either => white_space_at(text, at),
            };
            if let Some(length) = space {
                end_word(start, at);
                start = at + length;
            }
            at += space.unwrap_or(1);
        }
    }
    end_word(start, bytes.len());
}

/// Returns the length of the character at a byte if it is white space.
fn white_space_at(text: &str, at: usize) -> Option<usize> {
    let c = text.get(at..)?.chars().next().filter(|c| c.is_whitespace())?;
    Some(c.len_utf8())
}

/// Counts the tokens of each word. Spans that overlap or go back, as after reordering of marks, are counted too.
fn assign_tokens(words: &mut [WordTokens], encoding: &Encoding, unk_id: Option<u32>) {
    let mut at = 0;
    for (&id, span) in encoding.ids.iter().zip(&encoding.spans) {
        if span.start == span.end {
            continue;
        }
        while at > 0 && words[at - 1].span.end > span.start {
            at -= 1;
        }
        while at < words.len() && words[at].span.end <= span.start {
            at += 1;
        }
        for word in words[at..].iter_mut().take_while(|word| word.span.start < span.end) {
            word.tokens += 1;
            word.is_unknown |= unk_id == Some(id);
        }
    }
}

impl Tokenizer {
    /// Writes the ids and spans of a text's tokens, before post-processing, to the columns of an encoding.
    fn spans(&self, text: &str, options: &Options, scratch: &mut Scratch, encoding: &mut Encoding) -> Result<()> {
        self.begin(options, scratch);
        encoding.clear_spans();
        if !self.fast_spans(Input::Text(text), options, scratch, encoding) {
            encoding.clear_spans();
            self.each_token_with_word(Input::Text(text), options, true, scratch, |found, _| {
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
