//! Segments Chinese words as jieba 0.42.1 does, with equal floating-point arithmetic.
//!
//! The dictionary gives all segmentations of a block of Han characters, Latin letters and digits, of which the most
//! probable is taken. With `hmm`, a hidden Markov model then joins the characters that are left single. Every other
//! character is a word by itself.
//!
//! The likeliest segmentation of a sentence can depend on the last bit of a logarithm. So the tables are jieba's own
//! (the crate `jieba-rs` has others), and logarithms are rounded correctly. The tables are compiled in, are unpacked on
//! first use, and never change.

mod lexicon;
mod logarithm;
mod model;
mod tables;

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::pretokenize::UserWord;
use crate::text::span::Span;
use lexicon::Lexicon;
use tables::is_han;

/// A segmenter with its user's words.
#[derive(Debug, Clone)]
pub struct Jieba {
    hmm: bool,
    user_words: Vec<UserWord>,
    lexicon: Lexicon,
    /// Words that the user removed; the model does not join them either.
    forced_apart: BTreeSet<Vec<char>>,
}

/// The largest number of characters of a user's word, all of which a look-up may read at each character of a text.
const LONGEST_WORD: usize = 256;

/// The buffers of one call.
#[derive(Default)]
struct Scratch {
    block: Vec<char>,
    scores: Vec<f64>,
    lengths: Vec<usize>,
    marks: Vec<u8>,
}

impl Jieba {
    /// Returns no error: the core is built with the feature `jieba`.
    pub fn require() -> Result<()> {
        Ok(())
    }

    /// Returns the segmenter with these words; a later one replaces an earlier one.
    pub fn new(hmm: bool, user_words: Vec<UserWord>) -> Result<Self> {
        let lexicon = Lexicon::new();
        let mut jieba = Self { hmm, user_words: Vec::new(), lexicon, forced_apart: BTreeSet::new() };
        for (place, user_word) in user_words.iter().enumerate() {
            jieba.add(user_word, place)?;
        }
        Ok(Self { user_words, ..jieba })
    }

    /// Returns whether the hidden Markov model joins single characters.
    #[must_use]
    pub fn hmm(&self) -> bool {
        self.hmm
    }

    /// Returns the user's words in the order given.
    #[must_use]
    pub fn user_words(&self) -> &[UserWord] {
        &self.user_words
    }

    /// Calls `each` with the words of `text` from left to right; they cover the text, white space included.
    pub fn split(&self, text: &str, each: impl FnMut(Span)) {
        self.cut(text, self.hmm, each);
    }

    fn add(&mut self, user_word: &UserWord, place: usize) -> Result<()> {
        let word = &user_word.word;
        if word.is_empty() {
            return Err(Error::Config(format!("user_words[{place}] is empty").into()));
        }
        let length = word.chars().count();
        if length > LONGEST_WORD {
            let message = format!("user_words[{place}] has {length} characters; the limit is {LONGEST_WORD}");
            return Err(Error::Config(message.into()));
        }
        let frequency = user_word.frequency.unwrap_or_else(|| self.frequency_to_stay_whole(word));
        if frequency == 0 {
            self.forced_apart.insert(word.chars().collect());
        }
        self.lexicon.add(word, frequency)
    }

    /// Returns a frequency that makes the word more probable than its parts.
    #[expect(clippy::cast_precision_loss, reason = "jieba reckons so")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the total, rounded down")]
    fn frequency_to_stay_whole(&self, word: &str) -> u64 {
        let frequency = |text: &str| self.lexicon.frequency(&text.chars().collect::<Vec<char>>()).unwrap_or(1);
        let total = self.lexicon.total() as f64;
        let mut share = 1.0;
        self.cut(word, false, |part| share *= frequency(&word[part.range()]) as f64 / total);
        frequency(word).max((share * total) as u64 + 1)
    }

    fn cut(&self, text: &str, hmm: bool, mut each: impl FnMut(Span)) {
        let mut scratch = Scratch::default();
        let mut start = 0;
        // Consecutive words become spans.
        let mut word = |characters: &[char]| {
            let length: usize = characters.iter().map(|c| c.len_utf8()).sum();
            if length > 0 {
                each(Span::new(start, start + length));
            }
            start += length;
        };
        let mut characters = text.chars().peekable();
        while let Some(c) = characters.next() {
            if is_of_block(c) {
                scratch.block.push(c);
                continue;
            }
            self.cut_block(hmm, &mut scratch, &mut word);
            if c == '\r' && characters.next_if_eq(&'\n').is_some() {
                word(&['\r', '\n']);
            } else {
                word(&[c]);
            }
        }
        self.cut_block(hmm, &mut scratch, &mut word);
    }

    /// Splits the block in `scratch`, and clears it.
    fn cut_block(&self, hmm: bool, scratch: &mut Scratch, word: &mut impl FnMut(&[char])) {
        let Scratch { block, scores, lengths, marks } = scratch;
        self.lexicon.route(block, scores, lengths);
        let mut start = 0;
        let mut at = 0;
        while at < block.len() {
            let length = lengths[at];
            if length > 1 || !(hmm || block[at].is_ascii_alphanumeric()) {
                self.cut_run(hmm, &block[start..at], marks, word);
                word(&block[at..at + length]);
                start = at + length;
            }
            at += length;
        }
        self.cut_run(hmm, &block[start..], marks, word);
        block.clear();
    }

    /// Splits a run of single characters; without the model they are letters and digits, and one word.
    fn cut_run(&self, hmm: bool, run: &[char], marks: &mut Vec<u8>, word: &mut impl FnMut(&[char])) {
        if run.len() < 2 || !hmm {
            word(run);
        } else if self.lexicon.frequency(run).is_some_and(|frequency| frequency > 0) {
            run.chunks(1).for_each(word);
        } else {
            model::split(self.lexicon.tables(), run, marks, |found, joined| {
                if joined && self.forced_apart.contains(found) {
                    found.chunks(1).for_each(&mut *word);
                } else {
                    word(found);
                }
            });
        }
    }
}

/// The dictionary follows from these two fields.
impl PartialEq for Jieba {
    fn eq(&self, other: &Self) -> bool {
        self.hmm == other.hmm && self.user_words == other.user_words
    }
}

impl Eq for Jieba {}

/// Returns whether a character is part of a block that is looked up in the dictionary.
fn is_of_block(c: char) -> bool {
    is_han(c) || c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '&' | '.' | '_' | '%' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut<'a>(hmm: bool, words: &[(&str, Option<u64>)], text: &'a str) -> Vec<&'a str> {
        let user_word = |&(word, frequency): &(&str, _)| UserWord { word: word.to_owned(), frequency, tag: None };
        let jieba = Jieba::new(hmm, words.iter().map(user_word).collect()).unwrap();
        let mut pieces = Vec::new();
        jieba.split(text, |span| pieces.push(&text[span.range()]));
        assert_eq!(pieces.concat(), text);
        pieces
    }

    #[test]
    fn the_likeliest_words() {
        assert_eq!(cut(false, &[], "我来到北京清华大学"), ["我", "来到", "北京", "清华大学"]);
        assert_eq!(cut(true, &[], "小明硕士毕业于中国科学院"), ["小明", "硕士", "毕业", "于", "中国科学院"]);
    }

    #[test]
    fn the_model_joins_what_the_dictionary_lacks() {
        let text = "他来到了网易杭研大厦";
        assert_eq!(cut(false, &[], text), ["他", "来到", "了", "网易", "杭", "研", "大厦"]);
        assert_eq!(cut(true, &[], text), ["他", "来到", "了", "网易", "杭研", "大厦"]);
    }

    /// Both segmentations have the same three frequencies, added in another order.
    #[test]
    fn the_last_bit_of_a_logarithm_decides() {
        assert_eq!(cut(false, &[], "入套入弹词"), ["入", "套入", "弹词"]);
    }

    #[test]
    fn letters_digits_and_the_rest() {
        assert_eq!(cut(true, &[], "T恤3.5%,AT&T \r\n\ré"), ["T恤", "3.5%", ",", "AT&T", " ", "\r\n", "\r", "é"]);
        assert_eq!(cut(false, &[], "v1.5a+b"), ["v1", ".", "5a", "+", "b"]);
        assert!(cut(true, &[], "").is_empty());
    }

    #[test]
    fn words_of_the_user() {
        let text = "李小福是创新办主任";
        assert_eq!(cut(true, &[], text), ["李小福", "是", "创新", "办", "主任"]);
        assert_eq!(cut(true, &[("创新办", None)], text), ["李小福", "是", "创新办", "主任"]);
        assert_eq!(cut(false, &[("创新办", None)], text), ["李", "小", "福", "是", "创新办", "主任"]);
        assert_eq!(cut(true, &[("李小福", Some(0))], text), ["李", "小", "福", "是", "创新", "办", "主任"]);
    }

    #[test]
    fn words_that_cannot_be() {
        let word = |word: &str, frequency| UserWord { word: word.to_owned(), frequency, tag: None };
        let error = Jieba::new(true, vec![word("a", None), word("", None)]).unwrap_err();
        assert_eq!(error.to_string(), "user_words[1] is empty");
        assert!(matches!(Jieba::new(true, vec![word("a", Some(u64::MAX))]), Err(Error::Overflow(_))));
    }
}
