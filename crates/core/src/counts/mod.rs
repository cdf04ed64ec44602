//! Word counts, the only input of training besides the settings.
//!
//! A table maps each word to its count and its first occurrence. Tables add up: counts by sum, first occurrences by
//! minimum. Both are associative and commutative, so the result does not depend on how the corpus is divided.

mod counter;

use hashbrown::HashTable;
use sha2::{Digest, Sha256};

pub use counter::{BlockStart, Counter, Lines, strip_line_end};

use crate::error::{Error, Message, Result, shorten};
use crate::hash::hash_one;
use crate::pretokenize::words::Words;
use crate::splitter::WordSplitter;
use crate::text::span::check_length;

/// The first occurrence of a word: the document, and the word's index in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FirstOccurrence {
    /// The number of the document: a text of an iterator, or a line of a file.
    pub document: u64,
    /// The word's index in its document.
    pub word: u64,
}

/// A word as a range of the text, with its count and first occurrence.
#[derive(Debug, Clone)]
struct WordEntry {
    start: usize,
    len: usize,
    count: u64,
    first: FirstOccurrence,
}

/// A table of words with their counts and first occurrences, and the splitter that produced them.
///
/// ```
/// use piecework_core::counts::WordCounts;
/// use piecework_core::pretokenize::words::Words;
/// use piecework_core::splitter::WordSplitter;
///
/// let mut first = WordCounts::new(Some(WordSplitter::bert()?));
/// first.add_text(0, "low lower", &mut Words::default())?;
/// let mut second = WordCounts::new(Some(WordSplitter::bert()?));
/// second.add_text(1, "Low!", &mut Words::default())?;
/// first.merge(&second)?;
/// assert_eq!(first.by_first_occurrence(), [("low", 2), ("lower", 1), ("!", 1)]);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct WordCounts {
    splitter: Option<WordSplitter>,
    text: String,
    entries: Vec<WordEntry>,
    index: HashTable<usize>,
    total: u64,
}

impl PartialEq for WordCounts {
    fn eq(&self, other: &Self) -> bool {
        self.splitter == other.splitter && self.total == other.total && self.by_word() == other.by_word()
    }
}

impl Eq for WordCounts {}

/// Returns the error for counts whose sum does not fit into 64 bits.
fn overflow(word: &str) -> Error {
    Error::Overflow(
        Message::new(format!("counts add up to more than 2^64 - 1 at the word {:?}", shorten(word)))
            .hint("divide all counts by a common factor"),
    )
}

impl WordCounts {
    /// Returns an empty table for words split by `splitter`, or by unknown means, such as those of a mapping.
    #[must_use]
    pub fn new(splitter: Option<WordSplitter>) -> Self {
        Self { splitter, ..Self::default() }
    }

    /// Returns the table with `splitter` as its origin.
    #[must_use]
    pub fn with_splitter(self, splitter: Option<WordSplitter>) -> Self {
        Self { splitter, ..self }
    }

    /// Returns the splitter that produced the words, if it is known.
    #[must_use]
    pub fn splitter(&self) -> Option<&WordSplitter> {
        self.splitter.as_ref()
    }

    /// Returns the number of distinct words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the sum of all counts.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the count and the first occurrence of `word`.
    #[must_use]
    pub fn get(&self, word: &str) -> Option<(u64, FirstOccurrence)> {
        let index = *self.index.find(hash_one(word), |&index| self.word(index) == word)?;
        Some((self.entries[index].count, self.entries[index].first))
    }

    /// Adds `count` occurrences of `word`; has no effect if the count is 0 or the word is empty.
    pub fn add(&mut self, word: &str, count: u64, first: FirstOccurrence) -> Result<()> {
        if count == 0 || word.is_empty() {
            return Ok(());
        }
        self.add_nonempty(word, count, first).map(drop)
    }

    /// Adds `count` > 0 occurrences of the non-empty `word`; returns its index.
    fn add_nonempty(&mut self, word: &str, count: u64, first: FirstOccurrence) -> Result<usize> {
        self.total = self.total.checked_add(count).ok_or_else(|| overflow(word))?;
        let Self { text, entries, index, .. } = self;
        let word_at = |index: usize| &text[entries[index].start..][..entries[index].len];
        let slot = index.entry(hash_one(word), |&index| word_at(index) == word, |&index| hash_one(word_at(index)));
        match slot {
            hashbrown::hash_table::Entry::Occupied(slot) => {
                let entry = &mut entries[*slot.get()];
                entry.count += count; // no more than the total, which did not overflow
                entry.first = entry.first.min(first);
                Ok(*slot.get())
            }
            hashbrown::hash_table::Entry::Vacant(slot) => {
                let index = entries.len();
                slot.insert(index);
                entries.push(WordEntry { start: text.len(), len: word.len(), count, first });
                text.push_str(word);
                Ok(index)
            }
        }
    }

    /// Adds `count` later occurrences of the word at an index.
    fn increase(&mut self, index: usize, count: u64) -> Result<()> {
        self.total = self.total.checked_add(count).ok_or_else(|| overflow(self.word(index)))?;
        self.entries[index].count += count;
        Ok(())
    }

    /// Adds the words of one document.
    pub fn add_text(&mut self, document: u64, text: &str, words: &mut Words) -> Result<()> {
        check_length(text)?;
        self.splitter.get_or_insert_default().split(text, false, words)?;
        for (index, word) in (0..).zip(words.iter()) {
            self.add(word, 1, FirstOccurrence { document, word: index })?;
        }
        Ok(())
    }

    /// Adds all words of `other`, which must have an equal splitter.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.splitter != other.splitter {
            return Err(Error::Counts(
                Message::new(
                    "the tables were counted with different normalization or pre-tokenization and do not add up",
                )
                .hint("count both with the same settings"),
            ));
        }
        for (index, entry) in other.entries.iter().enumerate() {
            self.add(other.word(index), entry.count, entry.first)?;
        }
        Ok(())
    }

    /// Returns the words with their counts, in order of first occurrence.
    #[must_use]
    pub fn by_first_occurrence(&self) -> Vec<(&str, u64)> {
        let mut indices: Vec<usize> = (0..self.entries.len()).collect();
        indices.sort_unstable_by_key(|&index| (self.entries[index].first, self.word(index)));
        indices.into_iter().map(|index| (self.word(index), self.entries[index].count)).collect()
    }

    /// Returns the words with counts and first occurrences, ordered by bytes.
    #[must_use]
    pub fn by_word(&self) -> Vec<(&str, u64, FirstOccurrence)> {
        let mut words: Vec<_> =
            self.entries.iter().enumerate().map(|(at, entry)| (self.word(at), entry.count, entry.first)).collect();
        words.sort_unstable_by_key(|&(word, ..)| word);
        words
    }

    /// Returns the SHA-256 of words and counts in hexadecimal digits; first occurrences are not included.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut sha = Sha256::new();
        for (word, count, _) in self.by_word() {
            sha.update((word.len() as u64).to_le_bytes());
            sha.update(word);
            sha.update(count.to_le_bytes());
        }
        sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns up to `limit` words that the splitter changes or splits.
    pub fn foreign_to(&self, splitter: &WordSplitter, limit: usize) -> Result<Vec<&str>> {
        let mut words = Words::default();
        let mut changed = Vec::new();
        for index in 0..self.entries.len() {
            let word = self.word(index);
            splitter.split(word, false, &mut words)?;
            if changed.len() < limit && !words.iter().eq([word]) {
                changed.push(word);
            }
        }
        Ok(changed)
    }

    /// Returns the word at an index.
    fn word(&self, index: usize) -> &str {
        let entry = &self.entries[index];
        &self.text[entry.start..][..entry.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pretokenize::PreTokenizer;

    fn splitter() -> WordSplitter {
        WordSplitter::new(None, Some(PreTokenizer::WhitespaceSplit)).unwrap()
    }

    fn table(texts: &[(u64, &str)]) -> WordCounts {
        let mut counts = WordCounts::new(Some(splitter()));
        for &(document, text) in texts {
            counts.add_text(document, text, &mut Words::default()).unwrap();
        }
        counts
    }

    #[test]
    fn tables_add_up_in_any_order() {
        let whole = table(&[(0, "a b a"), (1, "c b")]);
        let (first, second) = (table(&[(0, "a b a")]), table(&[(1, "c b")]));
        for (one, other) in [(&first, &second), (&second, &first)] {
            let mut sum = one.clone();
            sum.merge(other).unwrap();
            assert_eq!(sum.by_word(), whole.by_word());
            assert_eq!(sum.by_first_occurrence(), [("a", 2), ("b", 2), ("c", 1)]);
            assert_eq!(sum.fingerprint(), whole.fingerprint());
        }
    }

    #[test]
    fn refuses_other_settings_and_overflow() {
        let mut counts = table(&[(0, "a")]);
        assert!(counts.merge(&WordCounts::new(None)).is_err());
        let first = FirstOccurrence { document: 0, word: 0 };
        assert!(matches!(counts.add("a", u64::MAX, first), Err(Error::Overflow(_))));
    }
}
