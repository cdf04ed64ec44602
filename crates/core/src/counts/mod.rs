//! Word counts: what training is made from, and all that it sees of a text.
//!
//! A table maps each word to how often it occurs and where it was first seen. Tables add up: counts by sum, first
//! sights by minimum. Both are associative and commutative, so one machine or a hundred make the same table.

mod counter;

use std::hash::BuildHasher;

use hashbrown::HashTable;
use sha2::{Digest, Sha256};

pub use counter::{BlockStart, Counter, Lines, strip_line_end};

use crate::error::{Error, Result, shorten};
use crate::pretokenize::words::Words;
use crate::splitter::WordSplitter;
use crate::text::span::check_length;

/// Where a word was seen first: the document's number, and the word's place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FirstSight {
    /// The document: one text of an iterator, or one line of a file.
    pub document: u64,
    /// The word's number in its document.
    pub word: u64,
}

#[derive(Debug, Clone)]
struct Entry {
    start: usize,
    len: usize,
    count: u64,
    first: FirstSight,
}

/// Words with their counts and first sights, and how the text was split into them.
#[derive(Debug, Clone, Default)]
pub struct WordCounts {
    splitter: Option<WordSplitter>,
    text: String,
    entries: Vec<Entry>,
    index: HashTable<usize>,
    total: u64,
}

impl PartialEq for WordCounts {
    fn eq(&self, other: &Self) -> bool {
        self.splitter == other.splitter && self.total == other.total && self.by_word() == other.by_word()
    }
}

impl Eq for WordCounts {}

/// No result depends on the order of the index, so its hash may be fixed.
fn hash(word: &str) -> u64 {
    foldhash::fast::FixedState::default().hash_one(word)
}

fn overflow(word: &str) -> Error {
    Error::Overflow(format!(
        "counts add up to more than 2^64 - 1 at the word {:?}; divide all counts by a common factor",
        shorten(word)
    ))
}

impl WordCounts {
    /// An empty table for words split by `splitter`, or by means unknown, as those of a mapping are.
    #[must_use]
    pub fn new(splitter: Option<WordSplitter>) -> Self {
        Self { splitter, ..Self::default() }
    }

    /// The same table, said to be made by `splitter`.
    #[must_use]
    pub fn with_splitter(self, splitter: Option<WordSplitter>) -> Self {
        Self { splitter, ..self }
    }

    /// How the words were made, where that is known.
    #[must_use]
    pub fn splitter(&self) -> Option<&WordSplitter> {
        self.splitter.as_ref()
    }

    /// The number of different words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The sum of all counts.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The count and first sight of `word`.
    #[must_use]
    pub fn get(&self, word: &str) -> Option<(u64, FirstSight)> {
        let place = *self.index.find(hash(word), |&place| self.word(place) == word)?;
        Some((self.entries[place].count, self.entries[place].first))
    }

    /// Adds `count` occurrences of `word`; no occurrence and no text add nothing.
    pub fn add(&mut self, word: &str, count: u64, first: FirstSight) -> Result<()> {
        if count == 0 || word.is_empty() {
            return Ok(());
        }
        self.add_at(word, count, first).map(drop)
    }

    /// The same for what is not nothing; gives the word's place.
    fn add_at(&mut self, word: &str, count: u64, first: FirstSight) -> Result<usize> {
        self.total = self.total.checked_add(count).ok_or_else(|| overflow(word))?;
        let Self { text, entries, index, .. } = self;
        let word_at = |place: usize| &text[entries[place].start..][..entries[place].len];
        let slot = index.entry(hash(word), |&place| word_at(place) == word, |&place| hash(word_at(place)));
        match slot {
            hashbrown::hash_table::Entry::Occupied(slot) => {
                let entry = &mut entries[*slot.get()];
                entry.count += count; // no more than the total, which did not overflow
                entry.first = entry.first.min(first);
                Ok(*slot.get())
            }
            hashbrown::hash_table::Entry::Vacant(slot) => {
                let place = entries.len();
                slot.insert(place);
                entries.push(Entry { start: text.len(), len: word.len(), count, first });
                text.push_str(word);
                Ok(place)
            }
        }
    }

    /// Adds `count` occurrences of the word at a place, none of which is the first.
    fn raise(&mut self, place: usize, count: u64) -> Result<()> {
        self.total = self.total.checked_add(count).ok_or_else(|| overflow(self.word(place)))?;
        self.entries[place].count += count;
        Ok(())
    }

    /// Adds the words of one document.
    pub fn add_text(&mut self, document: u64, text: &str, words: &mut Words) -> Result<()> {
        check_length(text)?;
        self.splitter.get_or_insert_default().split(text, false, words)?;
        for (place, word) in (0..).zip(words.iter()) {
            self.add(word, 1, FirstSight { document, word: place })?;
        }
        Ok(())
    }

    /// Adds all of `other`, which must have been split in the same way.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.splitter != other.splitter {
            return Err(Error::Counts(
                "the tables were counted with different normalization or pre-tokenization and do not add up; count \
                 both with the same settings"
                    .to_owned(),
            ));
        }
        for (place, entry) in other.entries.iter().enumerate() {
            self.add(other.word(place), entry.count, entry.first)?;
        }
        Ok(())
    }

    /// The words in order of first sight, with their counts.
    #[must_use]
    pub fn by_first_occurrence(&self) -> Vec<(&str, u64)> {
        let mut places: Vec<usize> = (0..self.entries.len()).collect();
        places.sort_unstable_by_key(|&place| (self.entries[place].first, self.word(place)));
        places.into_iter().map(|place| (self.word(place), self.entries[place].count)).collect()
    }

    /// The words in the order of their bytes, with counts and first sights.
    #[must_use]
    pub fn by_word(&self) -> Vec<(&str, u64, FirstSight)> {
        let mut words: Vec<_> =
            self.entries.iter().enumerate().map(|(at, entry)| (self.word(at), entry.count, entry.first)).collect();
        words.sort_unstable_by_key(|&(word, ..)| word);
        words
    }

    /// The SHA-256 of words and counts, in hexadecimal digits; first sights do not enter.
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

    /// Up to `limit` words that the splitter would not give back as they are.
    pub fn foreign_to(&self, splitter: &WordSplitter, limit: usize) -> Result<Vec<&str>> {
        let mut words = Words::default();
        let mut foreign = Vec::new();
        for place in 0..self.entries.len() {
            let word = self.word(place);
            splitter.split(word, false, &mut words)?;
            if foreign.len() < limit && !words.iter().eq([word]) {
                foreign.push(word);
            }
        }
        Ok(foreign)
    }

    fn word(&self, place: usize) -> &str {
        let entry = &self.entries[place];
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
        let first = FirstSight { document: 0, word: 0 };
        assert!(matches!(counts.add("a", u64::MAX, first), Err(Error::Overflow(_))));
    }
}
