//! The alphabet of a merging trainer: the characters that are kept, and the initial symbols.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::plan::{Compatibility, Plan, SymbolForm};
use super::table::TrainingWords;
use super::{CountedWords, ProgressCallback, Stage, report};
use crate::error::{Error, Message, Result};
use crate::memory::lengthen;
use crate::merge::Ties;
use crate::merge::segments::{NONE, Segments};
use crate::merge::symbols::Symbols;

/// The number of words read between two calls of the progress callback.
const CHUNK: usize = 1 << 14;

/// The characters of the words to learn from.
struct CharacterCounts {
    /// The number of occurrences of each form, by [`form_index`].
    weights: Vec<u64>,
    /// The forms in order of first occurrence.
    forms: Vec<SymbolForm>,
    /// The number of characters, suffixes and words in the table; a word counts once, whatever its count.
    slots: usize,
}

/// The words as symbols, and the names of the alphabet in its order.
pub(crate) struct SegmentedWords {
    pub(crate) segments: Segments,
    pub(crate) symbols: Symbols,
    pub(crate) names: Vec<String>,
    /// The symbol id of each form in the words, by [`form_index`]; `NONE` if it is not kept.
    pub(crate) ids: Vec<u32>,
}

/// Finds the alphabet and segments all words into its symbols.
pub(crate) fn prepare(
    table: &TrainingWords<'_>,
    plan: &Plan<'_>,
    callback: ProgressCallback<'_>,
) -> Result<SegmentedWords> {
    let counts = read_words(table, plan, callback)?;
    let mut symbols = Symbols::new(plan.spelling.prefix, plan.spelling.suffix);
    if plan.compatibility == Compatibility::Tokenizers {
        // Special tokens have the first ids, which break ties, also where merges make them.
        for token in plan.special_tokens {
            symbols.add(token, 1);
        }
    }
    let mut ids = vec![NONE; counts.weights.len()];
    let mut names = Vec::new();
    let mut used = hashbrown::HashSet::with_hasher(crate::hash::FixedHasher::default());
    for form in sort_forms(alphabet_forms(&counts, plan), plan) {
        let name = plan.spelling.symbol_name(form);
        let id = symbols.find(&name).unwrap_or_else(|| symbols.add(&name, u32::from(form != SymbolForm::Suffix)));
        if !used.insert(id) {
            return Err(Error::Config(
                Message::new(format!("the alphabet has two symbols that are written {name:?}"))
                    .hint("choose another prefix or suffix"),
            ));
        }
        if let Some(place) = ids.get_mut(form_index(form)) {
            *place = id;
        }
        names.push(name);
    }
    let mut prepared = SegmentedWords { segments: Segments::with_capacity(counts.slots), symbols, names, ids };
    prepared.add_words(&table.words, plan, callback)?;
    Ok(prepared)
}

impl SegmentedWords {
    /// Segments words into symbols, and splits them at characters that are not kept, unless these are dropped.
    fn add_words(&mut self, words: &CountedWords<'_>, plan: &Plan<'_>, callback: ProgressCallback<'_>) -> Result<()> {
        for (done, (word, count)) in words.iter().enumerate() {
            if done % CHUNK == 0 {
                report(callback, Stage::Reading, done, words.len())?;
            }
            self.segments.set_weight(count);
            for id in symbols_of(word, &self.ids, plan) {
                self.segments.push(id);
                if id != NONE && !self.symbols.increase(id, count) {
                    return Err(overflow());
                }
            }
            self.segments.cut();
        }
        Ok(())
    }
}

/// Iterates over the symbols of a word, by the ids of the forms; `NONE` for a character that is not kept, unless these
/// are dropped.
pub(crate) fn symbols_of(word: &str, ids: &[u32], plan: &Plan<'_>) -> impl Iterator<Item = u32> {
    let drops_others = plan.compatibility == Compatibility::Tokenizers;
    let symbols = plan.spelling.forms_of(word).map(|form| ids[form_index(form)]);
    symbols.filter(move |&id| id != NONE || !drops_others)
}

/// Returns the index of a form: 0 for the suffix, and four indices for each character.
fn form_index(form: SymbolForm) -> usize {
    match form {
        SymbolForm::Suffix => 0,
        SymbolForm::Character { character, first, last } => {
            1 + 4 * character as usize + usize::from(first) + 2 * usize::from(last)
        }
    }
}

/// Reads all words and checks that their sums fit.
fn read_words(table: &TrainingWords<'_>, plan: &Plan<'_>, callback: ProgressCallback<'_>) -> Result<CharacterCounts> {
    let mut counts = CharacterCounts { weights: Vec::new(), forms: Vec::new(), slots: 1 };
    let mut total = count_characters(&table.whole)?;
    for (done, (word, count)) in table.words.iter().enumerate() {
        if done % CHUNK == 0 {
            report(callback, Stage::Reading, done, table.words.len())?;
        }
        let symbols = counts.add(word, count, plan);
        total = sum(total, count, symbols)?;
    }
    if counts.slots > Segments::LIMIT {
        let slots = counts.slots;
        return Err(Error::Counts(
            Message::new(format!(
                "the distinct words hold {slots} characters (and one for each word), more than {}",
                Segments::LIMIT
            ))
            .hint("raise `min_word_frequency`"),
        ));
    }
    Ok(counts)
}

/// Returns the number of characters in words that are not learned from.
fn count_characters(words: &[(&str, u64)]) -> Result<u64> {
    words.iter().try_fold(0, |total, &(word, count)| sum(total, count, word.chars().count() as u64))
}

/// Returns `total` plus the product of `count` and `symbols`.
fn sum(total: u64, count: u64, symbols: u64) -> Result<u64> {
    count.checked_mul(symbols).and_then(|more| total.checked_add(more)).ok_or_else(overflow)
}

/// Returns the error for more characters than 64 bits can count.
pub(super) fn overflow() -> Error {
    Error::Overflow(
        Message::new("the characters of all words are more than 64 bits can count (2^64 - 1)")
            .hint("divide all counts by a common factor"),
    )
}

impl CharacterCounts {
    /// Reads a word and returns its number of symbols. The caller's checked sum detects an overflow here.
    fn add(&mut self, word: &str, count: u64, plan: &Plan<'_>) -> u64 {
        let mut symbols = 0;
        for form in plan.spelling.forms_of(word) {
            let index = form_index(form);
            if index >= self.weights.len() {
                lengthen(&mut self.weights, index + 1, 0);
            }
            if self.weights[index] == 0 {
                self.forms.push(form);
            }
            self.weights[index] = self.weights[index].wrapping_add(count);
            symbols += 1;
        }
        self.slots += usize::try_from(symbols).unwrap_or(usize::MAX) + 1;
        symbols
    }

    /// Returns the number of occurrences of a form.
    fn weight(&self, form: SymbolForm) -> u64 {
        self.weights.get(form_index(form)).copied().unwrap_or_default()
    }
}

/// Returns the character of a form.
fn character_of(form: SymbolForm) -> Option<char> {
    match form {
        SymbolForm::Character { character, .. } => Some(character),
        SymbolForm::Suffix => None,
    }
}

/// Returns the forms of the alphabet: those that occur, in order of first occurrence, then those of `initial_alphabet`.
fn alphabet_forms(counts: &CharacterCounts, plan: &Plan<'_>) -> Vec<SymbolForm> {
    let mut forms = counts.forms.clone();
    if let Some(limit) = plan.limit_alphabet {
        let mut characters = most_frequent(counts, plan.initial_alphabet, limit);
        characters.extend(plan.special_characters());
        characters.sort_unstable();
        forms.retain(|&form| character_of(form).is_none_or(|character| characters.binary_search(&character).is_ok()));
    }
    let wanted: Vec<SymbolForm> = match plan.compatibility {
        Compatibility::Own => {
            plan.initial_alphabet.iter().flat_map(|&character| plan.spelling.forms(character)).collect()
        }
        Compatibility::Tokenizers => {
            let characters =
                forms.iter().filter_map(|&form| character_of(form)).chain(plan.initial_alphabet.iter().copied());
            characters.map(|character| plan.spelling.form(character, true, false)).collect()
        }
    };
    forms.extend(wanted.into_iter().filter(|&form| counts.weight(form) == 0));
    forms
}

/// Returns the characters of `wanted`, and the most frequent others up to the limit.
fn most_frequent(counts: &CharacterCounts, wanted: &[char], limit: usize) -> Vec<char> {
    let mut characters = wanted.to_vec();
    characters.sort_unstable();
    characters.dedup();
    let mut others: BTreeMap<char, u64> = BTreeMap::new();
    for &form in &counts.forms {
        if let Some(other) = character_of(form).filter(|other| characters.binary_search(other).is_err()) {
            *others.entry(other).or_default() += counts.weight(form);
        }
    }
    let mut others: Vec<(char, u64)> = others.into_iter().collect();
    others.sort_by_key(|&(_, weight)| Reverse(weight));
    let most = limit.saturating_sub(characters.len());
    characters.extend(others.into_iter().take(most).map(|(character, _)| character));
    characters
}

/// Returns the alphabet in the order of the tie rule, without duplicates.
fn sort_forms(mut forms: Vec<SymbolForm>, plan: &Plan<'_>) -> Vec<SymbolForm> {
    match plan.ties {
        Ties::Lex | Ties::SentencePiece => forms.sort_by_cached_key(|&form| plan.spelling.symbol_name(form)),
        Ties::First => {}
        Ties::Hf => forms.sort_by_key(|&form| match form {
            SymbolForm::Character { character, first, last } => (!first, last, character),
            SymbolForm::Suffix => (!plan.spelling.prefix.is_empty(), true, char::MIN),
        }),
    }
    let mut once = hashbrown::HashSet::with_hasher(crate::hash::FixedHasher::default());
    forms.retain(|&form| once.insert(form_index(form)));
    forms
}
