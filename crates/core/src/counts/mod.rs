//! Word counts, the only input of training besides the settings.
//!
//! A table maps each word to its count and its first occurrence. Tables add up: counts by sum, first occurrences by
//! minimum. Both are associative and commutative, so the result does not depend on how the corpus is divided.
//!
//! A counter with a limit of memory writes its table as a sorted run when it is full; the runs are merged at the end.
//! By the same rule the result does not depend on where that happened.

mod counter;
mod distinct;
mod entries;
mod runs;
mod sorted;
mod text_splitter;
mod token_finder;

use std::sync::OnceLock;

use hashbrown::HashTable;
use sha2::{Digest, Sha256};

use entries::Entries;

pub use counter::{BlockStart, Counter, Lines, strip_line_end};
pub use distinct::DistinctWords;
pub use runs::{MAX_MERGED, Run, RunStorage, RunStore, Spill, reduce};
pub use sorted::{CountedWord, Interruptible, MergedWords, SortedTable, SortedWords};
pub use text_splitter::TextSplitter;

use crate::error::{Error, Message, Result, shorten};
use crate::hash::hash_one;
use crate::memory::{Growable, in_megabytes, make_table_room, with_room};
use crate::pretokenize::words::Words;
use crate::splitter::WordSplitter;
use crate::text::span::check_length;

/// The first occurrence of a word: the document, and the word's index in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FirstOccurrence {
    /// The number of the document: a text of an iterator, or a line of a file.
    pub document: u64,
    /// The word's index in its document.
    pub word: u64,
}

/// A table of words with their counts and first occurrences, and the splitter that produced them.
///
/// ```
/// use piecework_core::counts::WordCounts;
/// use piecework_core::pretokenize::words::Words;
/// use piecework_core::splitter::WordSplitter;
///
/// let mut first = WordCounts::new(Some(WordSplitter::bert()?.into()));
/// first.add_text(0, "low lower", &mut Words::default())?;
/// let mut second = WordCounts::new(Some(WordSplitter::bert()?.into()));
/// second.add_text(1, "Low!", &mut Words::default())?;
/// first.merge(&second)?;
/// assert_eq!(first.by_first_occurrence(), [("low", 2), ("lower", 1), ("!", 1)]);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct WordCounts {
    splitter: Option<TextSplitter>,
    /// All words, one after another.
    text: String,
    entries: Entries,
    /// The indices of the entries, by their words, while words are added or looked up.
    index: OnceLock<HashTable<u32>>,
    total: u64,
}

impl PartialEq for WordCounts {
    fn eq(&self, other: &Self) -> bool {
        self.splitter == other.splitter && self.total == other.total && self.by_word() == other.by_word()
    }
}

impl Eq for WordCounts {}

/// Returns the error for counts whose sum does not fit into 64 bits.
pub(crate) fn overflow(word: &str) -> Error {
    Error::Overflow(
        Message::new(format!("counts add up to more than 2^64 - 1 at the word {:?}", shorten(word)))
            .hint("divide all counts by a common factor"),
    )
}

/// Returns the bucket of a word: its FNV-1a hash of 64 bits modulo their number.
///
/// A word has one bucket, whatever the machine.
pub(crate) fn bucket(word: &str, buckets: usize) -> usize {
    let hash = word
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    // The upper half, whose bits depend on all bytes.
    usize::try_from((hash >> 32) % buckets as u64).expect("less than a usize")
}

/// Returns the error for a table that is full.
fn too_many_words() -> Error {
    Error::Counts(
        Message::new("a table holds at most 2^32 different words, of 2^40 bytes")
            .hint("split texts into shorter words, or drop rare ones"),
    )
}

impl WordCounts {
    /// Returns an empty table for words split by `splitter`, or by unknown means, such as those of a mapping.
    #[must_use]
    pub fn new(splitter: Option<TextSplitter>) -> Self {
        Self { splitter, ..Self::default() }
    }

    /// Returns the table with `splitter` as its origin.
    #[must_use]
    pub fn with_splitter(self, splitter: Option<TextSplitter>) -> Self {
        Self { splitter, ..self }
    }

    /// Returns the splitter that produced the words, if it is known.
    #[must_use]
    pub fn splitter(&self) -> Option<&TextSplitter> {
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
        self.entries.len() == 0
    }

    /// Returns the sum of all counts.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the count and the first occurrence of `word`; the first call makes the index of the words.
    #[must_use]
    pub fn get(&self, word: &str) -> Option<(u64, FirstOccurrence)> {
        let &index = self.index().find(hash_one(word), |&index| self.word(index) == word)?;
        let CountedWord { count, first, .. } = self.counted(index);
        Some((count, first))
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
        self.index();
        let Self { text, entries, index, .. } = self;
        let index = index.get_mut().expect("made above");
        let word_at = |index: u32| &text[entries.range(index as usize)];
        make_table_room(index, 1, |&index| hash_one(word_at(index)));
        let slot = index.entry(hash_one(word), |&index| word_at(index) == word, |&index| hash_one(word_at(index)));
        match slot {
            hashbrown::hash_table::Entry::Occupied(slot) => {
                let index = *slot.get() as usize;
                entries.add(index, count, first); // no more than the total, which did not overflow
                Ok(index)
            }
            hashbrown::hash_table::Entry::Vacant(slot) => {
                let index = entries.len();
                let place = u32::try_from(index).map_err(|_| too_many_words())?;
                push(text, entries, CountedWord { word, count, first })?;
                slot.insert(place);
                Ok(index)
            }
        }
    }

    /// Returns the index of the words, which it makes if there is none.
    fn index(&self) -> &HashTable<u32> {
        self.index.get_or_init(|| {
            let mut index = HashTable::new();
            make_table_room(&mut index, self.len(), |&index| hash_one(self.word(index)));
            for place in (0..).take(self.len()) {
                index.insert_unique(hash_one(self.word(place)), place, |&index| hash_one(self.word(index)));
            }
            index
        })
    }

    /// Returns the table without the index of its words, which takes memory until words are added or looked up.
    #[must_use]
    pub fn without_index(self) -> Self {
        Self { index: OnceLock::new(), ..self }
    }

    /// Adds an occurrence of an added token of the splitter.
    fn add_token(&mut self, id: u32, first: FirstOccurrence) -> Result<()> {
        let splitter = self.splitter.take().unwrap_or_default();
        let added = self.add(splitter.content(id), 1, first);
        self.splitter = Some(splitter);
        added
    }

    /// Adds `count` later occurrences of the word at an index.
    fn increase(&mut self, index: usize, count: u64) -> Result<()> {
        let total = self.total.checked_add(count);
        self.total = total.ok_or_else(|| overflow(&self.text[self.entries.range(index)]))?;
        self.entries.increase(index, count);
        Ok(())
    }

    /// Adds the words of one document.
    pub fn add_text(&mut self, document: u64, text: &str, words: &mut Words) -> Result<()> {
        check_length(text)?;
        let splitter = self.splitter.take().unwrap_or_default();
        let added = splitter.split(text, words).and_then(|()| {
            (0..).zip(words.as_slice()).try_for_each(|(index, word)| {
                self.add(splitter.text_of(words, word), 1, FirstOccurrence { document, word: index })
            })
        });
        self.splitter = Some(splitter);
        added
    }

    /// Adds all words of `other`, which must have an equal splitter.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.splitter != other.splitter {
            return Err(Error::Counts(
                Message::new(
                    "the tables were counted with different normalization, pre-tokenization or added tokens and do not \
                     add up",
                )
                .hint("count both with the same settings"),
            ));
        }
        for CountedWord { word, count, first } in other.words() {
            self.add(word, count, first)?;
        }
        Ok(())
    }

    /// Appends `count` > 0 occurrences of a word that the table does not have, which has no index.
    fn push(&mut self, word: &str, count: u64, first: FirstOccurrence) -> Result<()> {
        self.total = self.total.checked_add(count).ok_or_else(|| overflow(word))?;
        u32::try_from(self.len()).map_err(|_| too_many_words())?;
        push(&mut self.text, &mut self.entries, CountedWord { word, count, first })
    }

    /// Returns the table of the words of a source.
    pub fn from_sorted(splitter: Option<TextSplitter>, source: impl SortedWords) -> Result<Self> {
        Self::from_sorted_within(usize::MAX, splitter, source)
    }

    /// Returns the table of the words of a source, or an error with its size if that is more than `most` bytes.
    pub fn from_sorted_within(
        most: usize,
        splitter: Option<TextSplitter>,
        mut source: impl SortedWords,
    ) -> Result<Self> {
        let mut counts = Self::new(splitter);
        let (mut words, mut size) = (0_u64, 0);
        while source.advance()? {
            let CountedWord { word, count, first } = source.current();
            if count == 0 || word.is_empty() {
                continue;
            }
            words += 1;
            size += word.len() + Entries::BYTES;
            if size <= most {
                counts.push(word, count, first)?;
            } else if !counts.is_empty() {
                counts = Self::default();
            }
        }
        if size <= most { Ok(counts) } else { Err(too_many_bytes(words, size)) }
    }

    /// Returns the memory of the words in bytes, without an index.
    #[must_use]
    pub fn size(&self) -> usize {
        self.text.len() + self.entries.len() * Entries::BYTES
    }

    /// Returns the words in ascending order of their bytes, one at a time.
    #[must_use]
    pub fn sorted(&self) -> SortedTable<'_> {
        SortedTable::new(self)
    }

    /// Iterates over the words in order of insertion.
    fn words(&self) -> impl Iterator<Item = CountedWord<&str>> {
        (0..).take(self.len()).map(|index| self.counted(index))
    }

    /// Returns the words with their counts, in order of first occurrence.
    #[must_use]
    pub fn by_first_occurrence(&self) -> Vec<(&str, u64)> {
        let counted = |index| {
            let CountedWord { word, count, .. } = self.counted(index);
            (word, count)
        };
        match self.order_by_first_occurrence() {
            Some(order) => order.into_iter().map(counted).collect(),
            None => (0..).take(self.len()).map(counted).collect(),
        }
    }

    /// Returns the indices of the words, in order of first occurrence; `None` if that is the order of the table.
    pub(crate) fn order_by_first_occurrence(&self) -> Option<Vec<u32>> {
        let indices = (0_u32..).take(self.len());
        let first = |index: u32| self.entries.first(index as usize);
        if indices.clone().is_sorted_by(|&one, &other| first(one) < first(other)) {
            return None;
        }
        // Sorted with the occurrences beside them, which are at random places of the table.
        let mut sorted: Vec<(FirstOccurrence, u32)> = with_room(self.len());
        sorted.extend(indices.map(|index| (first(index), index)));
        sorted.sort_unstable_by(|(one, left), (other, right)| {
            one.cmp(other).then_with(|| self.word(*left).cmp(self.word(*right)))
        });
        let mut order = with_room(self.len());
        order.extend(sorted.into_iter().map(|(_, index)| index));
        Some(order)
    }

    /// Returns the words with counts and first occurrences, ordered by bytes.
    #[must_use]
    pub fn by_word(&self) -> Vec<(&str, u64, FirstOccurrence)> {
        let words = self.order().into_iter().map(|index| self.counted(index));
        words.map(|CountedWord { word, count, first }| (word, count, first)).collect()
    }

    /// Returns the indices of the words, ordered by the bytes of the words.
    fn order(&self) -> Vec<u32> {
        let mut sorted: Vec<(Prefix, u32)> = with_room(self.len());
        sorted.extend(self.words().map(|each| prefix(each.word.as_bytes())).zip(0..));
        self.sort(&mut sorted, 0);
        let mut order = with_room(self.len());
        order.extend(sorted.into_iter().map(|(_, index)| index));
        order
    }

    /// Sorts words that share the bytes before `depth` by the others, of which each has the first ones at hand.
    ///
    /// A step of a multikey quicksort (Bentley and Sedgewick 1997), eight bytes at a time: most comparisons need no
    /// access to the text.
    fn sort(&self, words: &mut [(Prefix, u32)], depth: usize) {
        words.sort_unstable();
        let depth = depth + size_of::<Prefix>();
        for group in words.chunk_by_mut(|(one, _), (other, _)| one == other).filter(|group| group.len() > 1) {
            if group.len() < MIN_GROUP || depth >= MAX_DEPTH {
                group.sort_unstable_by_key(|&(_, index)| self.word(index));
                continue;
            }
            for (first, index) in &mut *group {
                *first = prefix(self.word(*index).as_bytes().get(depth..).unwrap_or_default());
            }
            self.sort(group, depth);
        }
    }

    /// Returns the memory of the table in bytes, with that for sorting it, or for growing it when it is nearly full.
    ///
    /// Texts and entries count by their length: a large allocation that grows is moved by the system's page tables, and
    /// pages that were never written take no memory.
    fn memory(&self) -> usize {
        let index = self.index.get().map_or(0, |index| {
            let is_nearly_full = index.len() > index.capacity() / 4 * 3;
            index.allocation_size() * if is_nearly_full { 3 } else { 1 }
        });
        let entries = self.entries.len() * (Entries::BYTES + size_of::<(Prefix, u32)>());
        self.text.len() + entries + index
    }

    /// Removes all words and keeps the allocated memory.
    fn clear(&mut self) {
        self.text.clear();
        self.entries.clear();
        self.index.get_mut().into_iter().for_each(HashTable::clear);
        self.total = 0;
    }

    /// Returns the SHA-256 of words and counts in hexadecimal digits; first occurrences are not included.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut sha = Sha256::default();
        for index in self.order() {
            hash_word(&mut sha, self.counted(index));
        }
        hexadecimal(sha)
    }

    /// Returns up to `limit` words that the splitter changes or splits.
    pub fn foreign_to(&self, splitter: &WordSplitter, limit: usize) -> Result<Vec<&str>> {
        let mut words = Words::default();
        let mut changed = Vec::new();
        for CountedWord { word, .. } in self.words() {
            splitter.split(word, false, &mut words)?;
            if changed.len() < limit && !words.iter().eq([word]) {
                changed.push(word);
            }
        }
        Ok(changed)
    }

    /// Returns the word at an index.
    fn word(&self, index: u32) -> &str {
        &self.text[self.entries.range(index as usize)]
    }

    /// Returns the word at an index, with its count and first occurrence.
    pub(crate) fn counted(&self, index: u32) -> CountedWord<&str> {
        let (count, first) = self.entries.get(index as usize);
        CountedWord { word: self.word(index), count, first }
    }
}

/// Returns the error for words that take more memory than is allowed.
fn too_many_bytes(words: u64, size: usize) -> Error {
    let problem = format!("the {words} different words take {}, and training needs more", in_megabytes(size));
    Error::Config(Message::new(problem).setting("max_memory").hint("raise it"))
}

/// Returns the error for words of a part of the texts that already take more memory than is allowed; `size` is in bytes.
#[must_use]
pub fn too_many_bytes_so_far(size: usize) -> Error {
    let problem = format!("the different words so far take at least {}, and training needs more", in_megabytes(size));
    let hint = "raise it, or count the words into a file first, which needs no memory for all of them";
    Error::Config(Message::new(problem).setting("max_memory").hint(hint))
}

/// Appends a word to a table's text and entries.
fn push(text: &mut String, entries: &mut Entries, CountedWord { word, count, first }: CountedWord<&str>) -> Result<()> {
    if text.len() + word.len() > entries::MAX_TEXT {
        return Err(too_many_words());
    }
    text.make_room(word.len());
    text.push_str(word);
    entries.push(text.len(), count, first);
    Ok(())
}

/// The first bytes of a text, followed by zeros if it is shorter; where they differ, they order texts.
type Prefix = [u8; 8];

/// Fewer words than this with a common prefix are compared as wholes.
const MIN_GROUP: usize = 16;
/// From this number of common bytes on, words are compared as wholes; it bounds the depth of the recursion.
const MAX_DEPTH: usize = 64;

fn prefix(text: &[u8]) -> Prefix {
    text.first_chunk().copied().unwrap_or_else(|| {
        let mut prefix = Prefix::default();
        prefix[..text.len()].copy_from_slice(text);
        prefix
    })
}

/// Adds a word and its count to the fingerprint of a table, whose words come in ascending order.
pub(crate) fn hash_word(sha: &mut Sha256, CountedWord { word, count, .. }: CountedWord<&str>) {
    sha.update((word.len() as u64).to_le_bytes());
    sha.update(word);
    sha.update(count.to_le_bytes());
}

/// Returns a SHA-256 in hexadecimal digits.
pub(crate) fn hexadecimal(sha: Sha256) -> String {
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pretokenize::PreTokenizer;

    fn splitter() -> WordSplitter {
        WordSplitter::new(None, Some(PreTokenizer::WhitespaceSplit)).unwrap()
    }

    fn table(texts: &[(u64, &str)]) -> WordCounts {
        let mut counts = WordCounts::new(Some(splitter().into()));
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
    fn words_are_ordered_by_their_bytes() {
        let mut counts = WordCounts::default();
        for number in 0..300_usize {
            for word in ["a\0".repeat(number % 90), "\0".repeat(number), format!("{}{number}", "é".repeat(number / 60))]
            {
                counts.add(&word, 1, FirstOccurrence { document: 0, word: 0 }).unwrap();
            }
        }
        assert!(counts.by_word().iter().map(|(word, ..)| word).is_sorted());
        assert_eq!(counts.by_word().len(), counts.len());
    }

    #[test]
    fn refuses_other_settings_and_overflow() {
        let mut counts = table(&[(0, "a")]);
        assert!(counts.merge(&WordCounts::new(None)).is_err());
        let first = FirstOccurrence { document: 0, word: 0 };
        assert!(matches!(counts.add("a", u64::MAX, first), Err(Error::Overflow(_))));
    }
}
