//! Words in ascending order of their bytes: those of a table, of a file, or of several sources merged.
//!
//! A table, a run, a file and a merge are all sources of words in order ([`SortedWords`]), read one word at a time. So
//! a file of counts is written and merged without a table in memory.

use super::{FirstOccurrence, WordCounts, overflow};
use crate::error::{Error, Result};
use crate::heap::sift_down;

/// A word, owned or borrowed, with its count and its first occurrence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CountedWord<W> {
    /// The word.
    pub word: W,
    /// The number of its occurrences.
    pub count: u64,
    /// Its first occurrence.
    pub first: FirstOccurrence,
}

impl CountedWord<String> {
    /// Returns the word as a source shows it.
    pub(crate) fn borrowed(&self) -> CountedWord<&str> {
        CountedWord { word: &self.word, count: self.count, first: self.first }
    }
}

/// A source of different words in ascending order of their bytes, which reads one at a time.
pub trait SortedWords {
    /// Advances to the next word; returns whether there is one.
    fn advance(&mut self) -> Result<bool>;

    /// Returns the word that the last call of [`advance`](Self::advance) reached.
    fn current(&self) -> CountedWord<&str>;
}

impl<S: SortedWords + ?Sized> SortedWords for Box<S> {
    fn advance(&mut self) -> Result<bool> {
        (**self).advance()
    }

    fn current(&self) -> CountedWord<&str> {
        (**self).current()
    }
}

/// The words of a table in order.
#[derive(Debug)]
pub struct SortedTable<'a> {
    counts: &'a WordCounts,
    order: Vec<u32>,
    /// One past the position of the current word in `order`.
    next: usize,
}

impl<'a> SortedTable<'a> {
    pub(super) fn new(counts: &'a WordCounts) -> Self {
        Self { counts, order: counts.order(), next: 0 }
    }
}

impl SortedWords for SortedTable<'_> {
    fn advance(&mut self) -> Result<bool> {
        self.next += 1;
        Ok(self.next <= self.order.len())
    }

    fn current(&self) -> CountedWord<&str> {
        self.counts.counted(self.order[self.next - 1])
    }
}

/// The merge of sources: equal words are one, with the sum of the counts and the earliest first occurrence.
///
/// The sources are a binary heap by their current words, so a word of k sources costs O(log k) comparisons.
///
/// ```
/// use piecework_core::counts::{FirstOccurrence, MergedWords, SortedWords, WordCounts};
///
/// let (mut one, mut other) = (WordCounts::default(), WordCounts::default());
/// one.add("low", 2, FirstOccurrence { document: 4, word: 0 })?;
/// other.add("low", 1, FirstOccurrence { document: 3, word: 5 })?;
/// let mut merge = MergedWords::new(vec![one.sorted(), other.sorted()])?;
/// assert!(merge.advance()?);
/// assert_eq!((merge.current().word, merge.current().count, merge.current().first.document), ("low", 3, 3));
/// assert!(!merge.advance()?);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug)]
pub struct MergedWords<S> {
    heap: Vec<S>,
    current: CountedWord<String>,
}

impl<S: SortedWords> MergedWords<S> {
    /// Creates a merge; reads the first word of each source.
    pub fn new(sources: Vec<S>) -> Result<Self> {
        let mut heap = Vec::with_capacity(sources.len());
        for mut source in sources {
            if source.advance()? {
                heap.push(source);
            }
        }
        let mut merge = Self { heap, current: CountedWord::default() };
        for parent in (0..merge.heap.len() / 2).rev() {
            merge.sift_down(parent);
        }
        Ok(merge)
    }

    /// Moves a source down the heap until no child has a smaller word.
    fn sift_down(&mut self, at: usize) {
        sift_down(&mut self.heap, at, |one, other| one.current().word < other.current().word);
    }

    /// Advances the source with the smallest word.
    fn advance_first(&mut self) -> Result<()> {
        if !self.heap[0].advance()? {
            self.heap.swap_remove(0);
        }
        self.sift_down(0);
        Ok(())
    }
}

impl<S: SortedWords> SortedWords for MergedWords<S> {
    fn advance(&mut self) -> Result<bool> {
        let Some(source) = self.heap.first() else { return Ok(false) };
        let CountedWord { word, count, first } = source.current();
        self.current.word.clear();
        self.current.word.push_str(word);
        (self.current.count, self.current.first) = (count, first);
        self.advance_first()?;
        while let Some(source) = self.heap.first() {
            let CountedWord { word, count, first } = source.current();
            if word != self.current.word {
                break;
            }
            self.current.count = self.current.count.checked_add(count).ok_or_else(|| overflow(word))?;
            self.current.first = self.current.first.min(first);
            self.advance_first()?;
        }
        Ok(true)
    }

    fn current(&self) -> CountedWord<&str> {
        self.current.borrowed()
    }
}

/// A source that ends with an error when the caller asks to stop.
pub struct Interruptible<'a, S> {
    source: S,
    is_stopped: &'a (dyn Fn() -> bool + Sync),
    words: u32,
}

/// The number of words between two questions whether to stop; a power of two.
const STOP_INTERVAL: u32 = 1 << 12;

impl<'a, S: SortedWords> Interruptible<'a, S> {
    /// Returns `source`, which fails with [`Error::Interrupted`] soon after `is_stopped` returns true.
    pub fn new(source: S, is_stopped: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { source, is_stopped, words: 0 }
    }
}

impl<S: SortedWords> SortedWords for Interruptible<'_, S> {
    fn advance(&mut self) -> Result<bool> {
        self.words = self.words.wrapping_add(1);
        if self.words.is_multiple_of(STOP_INTERVAL) && (self.is_stopped)() {
            return Err(Error::Interrupted);
        }
        self.source.advance()
    }

    fn current(&self) -> CountedWord<&str> {
        self.source.current()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(words: &[(&str, u64, u64)]) -> WordCounts {
        let mut counts = WordCounts::default();
        for &(word, count, document) in words {
            counts.add(word, count, FirstOccurrence { document, word: 0 }).unwrap();
        }
        counts
    }

    #[test]
    fn merging_adds_up_and_keeps_the_order() {
        let tables =
            [table(&[("b", 1, 9), ("a", 2, 3), ("b\0", 1, 1)]), table(&[]), table(&[("é", 4, 1), ("b", 5, 2)])];
        let mut sum = WordCounts::default();
        tables.iter().for_each(|table| sum.merge(table).unwrap());
        let merge = MergedWords::new(tables.iter().map(WordCounts::sorted).collect()).unwrap();
        let merged = WordCounts::from_sorted(None, merge).unwrap();
        assert_eq!(merged.by_word(), sum.by_word());
        assert_eq!(merged.by_word().iter().map(|(word, ..)| *word).collect::<Vec<_>>(), ["a", "b", "b\0", "é"]);
    }

    #[test]
    fn merging_refuses_an_overflow() {
        let tables = [table(&[("a", u64::MAX, 0)]), table(&[("a", 1, 0)])];
        let mut merge = MergedWords::new(tables.iter().map(WordCounts::sorted).collect()).unwrap();
        assert!(matches!(merge.advance(), Err(Error::Overflow(_))));
    }

    #[test]
    fn a_merge_can_be_stopped() {
        let words: Vec<String> = (0..2 * STOP_INTERVAL).map(|number| number.to_string()).collect();
        let counts = table(&words.iter().map(|word| (word.as_str(), 1, 0)).collect::<Vec<_>>());
        let stopped = Interruptible::new(counts.sorted(), &|| true);
        assert_eq!(WordCounts::from_sorted(None, stopped).unwrap_err(), Error::Interrupted);
    }
}
