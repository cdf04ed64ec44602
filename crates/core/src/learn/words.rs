//! The words to learn from, with their counts, in the order of their first occurrence.

use std::borrow::Cow;
use std::fmt;

use crate::memory::with_room;

/// A table of words.
pub trait WordTable: Sync {
    /// Returns the word at an index, with its count.
    fn word(&self, index: u32) -> (&str, u64);

    /// Returns the number of words.
    fn number(&self) -> usize;
}

/// Words with their counts, in order: a list, or the words of a table, of which only the indices are listed.
#[derive(Clone)]
pub struct CountedWords<'w>(Source<'w>);

#[derive(Clone)]
enum Source<'w> {
    Slice(&'w [(&'w str, u64)]),
    List(Vec<(&'w str, u64)>),
    /// The words at these indices; without indices all of them.
    Table(&'w (dyn WordTable + 'w), Option<Cow<'w, [u32]>>),
}

impl<'w> CountedWords<'w> {
    /// Returns the words of a table in its order.
    pub fn all_of(table: &'w (dyn WordTable + 'w)) -> Self {
        Self(Source::Table(table, None))
    }

    /// Returns the words of a table at these indices.
    pub fn of_table(table: &'w (dyn WordTable + 'w), order: impl Into<Cow<'w, [u32]>>) -> Self {
        Self(Source::Table(table, Some(order.into())))
    }

    /// Returns the same words without a copy.
    pub(crate) fn borrowed(&self) -> CountedWords<'_> {
        CountedWords(match &self.0 {
            Source::Slice(words) => Source::Slice(words),
            Source::List(words) => Source::Slice(words),
            Source::Table(table, order) => Source::Table(*table, order.as_deref().map(Cow::Borrowed)),
        })
    }

    /// Returns the number of words.
    pub(crate) fn len(&self) -> usize {
        match &self.0 {
            Source::Slice(words) => words.len(),
            Source::List(words) => words.len(),
            Source::Table(table, order) => order.as_ref().map_or_else(|| table.number(), |order| order.len()),
        }
    }

    /// Whether there is no word.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the word at a place of the order, with its count.
    pub(crate) fn get(&self, place: usize) -> (&str, u64) {
        match &self.0 {
            Source::Slice(words) => words[place],
            Source::List(words) => words[place],
            Source::Table(table, Some(order)) => table.word(order[place]),
            Source::Table(table, None) => table.word(u32::try_from(place).expect("a table has fewer than 2^32 words")),
        }
    }

    /// Iterates over the words with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        (0..self.len()).map(|place| self.get(place))
    }

    /// Keeps the words for which `keep` is true.
    pub(crate) fn retain(&mut self, keep: impl Fn(&str, u64) -> bool) {
        if self.iter().all(|(word, count)| keep(word, count)) {
            return;
        }
        let length = self.len();
        match &mut self.0 {
            Source::Slice(words) => {
                self.0 = Source::List(kept(length, words.iter().copied(), |&(word, count)| keep(word, count)));
            }
            Source::List(words) => words.retain(|&(word, count)| keep(word, count)),
            Source::Table(table, order) => {
                let keeps = |&index: &u32| {
                    let (word, count) = table.word(index);
                    keep(word, count)
                };
                *order = Some(Cow::Owned(match order {
                    Some(order) => kept(length, order.iter().copied(), keeps),
                    None => kept(length, (0..).take(length), keeps),
                }));
            }
        }
    }
}

/// Returns those of at most `most` items that are kept.
fn kept<T>(most: usize, items: impl Iterator<Item = T>, keep: impl Fn(&T) -> bool) -> Vec<T> {
    let mut kept = with_room(most);
    kept.extend(items.filter(keep));
    kept
}

impl fmt::Debug for CountedWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'w> From<&'w CountedWords<'w>> for CountedWords<'w> {
    fn from(words: &'w CountedWords<'w>) -> Self {
        words.borrowed()
    }
}

impl<'w> From<&'w [(&'w str, u64)]> for CountedWords<'w> {
    fn from(words: &'w [(&'w str, u64)]) -> Self {
        Self(Source::Slice(words))
    }
}

impl<'w, const N: usize> From<&'w [(&'w str, u64); N]> for CountedWords<'w> {
    fn from(words: &'w [(&'w str, u64); N]) -> Self {
        words.as_slice().into()
    }
}

impl<'w> From<&'w Vec<(&'w str, u64)>> for CountedWords<'w> {
    fn from(words: &'w Vec<(&'w str, u64)>) -> Self {
        words.as_slice().into()
    }
}

impl<'w> From<Vec<(&'w str, u64)>> for CountedWords<'w> {
    fn from(words: Vec<(&'w str, u64)>) -> Self {
        Self(Source::List(words))
    }
}
