//! The alphabet of a merging trainer: the characters that are kept, and the initial symbols.

use std::cmp::Reverse;

use super::plan::{Compatibility, Plan, SymbolForm};
use super::table::TrainingWords;
use super::{ProgressCallback, Stage, report};
use crate::error::{Error, Message, Result};
use crate::merge::Ties;
use crate::merge::segments::{NONE, Segments};
use crate::merge::symbols::Symbols;

/// The number of words read between two calls of the progress callback.
const CHUNK: usize = 1 << 14;

/// The weight and the forms of a character in the words.
#[derive(Clone, Copy, Default)]
struct CharacterCount {
    weight: u64,
    /// The occurrence of each form, indexed by [`form_index`].
    forms: [bool; 4],
}

/// The characters of the words to learn from.
struct CharacterCounts {
    seen: Vec<CharacterCount>,
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
    pub(crate) ids: FormIds,
}

/// The symbol ids of the initial forms.
pub(crate) struct FormIds {
    characters: Vec<[u32; 4]>,
    suffix: u32,
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
    let mut ids = FormIds { characters: vec![[NONE; 4]; counts.seen.len()], suffix: NONE };
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
        ids.set(form, id);
        names.push(name);
    }
    let mut prepared = SegmentedWords { segments: Segments::with_capacity(counts.slots), symbols, names, ids };
    prepared.add_words(&table.words, plan, callback)?;
    Ok(prepared)
}

impl SegmentedWords {
    /// Segments words into symbols, and splits them at characters that are not kept, unless these are dropped.
    fn add_words(&mut self, words: &[(&str, u64)], plan: &Plan<'_>, callback: ProgressCallback<'_>) -> Result<()> {
        for (done, chunk) in words.chunks(CHUNK).enumerate() {
            report(callback, Stage::Reading, done * CHUNK, words.len())?;
            for &(word, count) in chunk {
                self.segments.set_weight(count);
                for id in self.ids.symbols_of(word, plan) {
                    self.segments.push(id);
                    if id != NONE && !self.symbols.increase(id, count) {
                        return Err(overflow());
                    }
                }
                self.segments.cut();
            }
        }
        Ok(())
    }
}

impl FormIds {
    /// Sets the symbol id of a form.
    fn set(&mut self, form: SymbolForm, id: u32) {
        match form {
            SymbolForm::Suffix => self.suffix = id,
            SymbolForm::Character { character, .. } => {
                if let Some(ids) = self.characters.get_mut(character as usize) {
                    ids[form_index(form)] = id;
                }
            }
        }
    }

    /// Iterates over the symbols of a word; `NONE` for a character that is not kept, unless these are dropped.
    pub(crate) fn symbols_of(&self, word: &str, plan: &Plan<'_>) -> impl Iterator<Item = u32> {
        let drops_others = plan.compatibility == Compatibility::Tokenizers;
        let spelling = plan.spelling;
        let characters = word.char_indices().map(move |(at, character)| {
            let form = spelling.form(character, at == 0, at + character.len_utf8() == word.len());
            self.characters[character as usize][form_index(form)]
        });
        characters.filter(move |&id| id != NONE || !drops_others).chain(spelling.ends_words().then_some(self.suffix))
    }
}

/// Returns the index of a form among the forms of its character.
fn form_index(form: SymbolForm) -> usize {
    match form {
        SymbolForm::Suffix => 0,
        SymbolForm::Character { first, last, .. } => usize::from(first) + 2 * usize::from(last),
    }
}

/// Reads all words and checks that their sums fit.
fn read_words(table: &TrainingWords<'_>, plan: &Plan<'_>, callback: ProgressCallback<'_>) -> Result<CharacterCounts> {
    let mut counts = CharacterCounts { seen: Vec::new(), forms: Vec::new(), slots: 1 };
    let mut total = count_characters(&table.whole)?;
    for (done, chunk) in table.words.chunks(CHUNK).enumerate() {
        report(callback, Stage::Reading, done * CHUNK, table.words.len())?;
        for &(word, count) in chunk {
            let symbols = counts.add(word, count, plan);
            total = sum(total, count, symbols)?;
        }
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
        for (at, character) in word.char_indices() {
            let form = plan.spelling.form(character, at == 0, at + character.len_utf8() == word.len());
            let code = character as usize;
            if code >= self.seen.len() {
                self.seen.resize(code + 1, CharacterCount::default());
            }
            let seen = &mut self.seen[code];
            seen.weight = seen.weight.wrapping_add(count);
            if !std::mem::replace(&mut seen.forms[form_index(form)], true) {
                self.forms.push(form);
            }
            symbols += 1;
        }
        if plan.spelling.ends_words() {
            symbols += 1;
            if !self.forms.contains(&SymbolForm::Suffix) {
                self.forms.push(SymbolForm::Suffix);
            }
        }
        self.slots += usize::try_from(symbols).unwrap_or(usize::MAX) + 1;
        symbols
    }

    /// Returns the number of occurrences of a character.
    fn weight(&self, character: char) -> u64 {
        self.seen.get(character as usize).map_or(0, |seen| seen.weight)
    }

    /// Returns whether a form occurs.
    fn has(&self, form: SymbolForm) -> bool {
        match form {
            SymbolForm::Suffix => self.forms.contains(&form),
            SymbolForm::Character { character, .. } => {
                self.seen.get(character as usize).is_some_and(|seen| seen.forms[form_index(form)])
            }
        }
    }

    /// Returns the distinct characters, sorted.
    fn characters(&self) -> Vec<char> {
        let mut characters: Vec<char> = self.forms.iter().filter_map(|&form| character_of(form)).collect();
        characters.sort_unstable();
        characters.dedup();
        characters
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
    forms.extend(wanted.into_iter().filter(|&form| !counts.has(form)));
    forms
}

/// Returns the characters of `wanted`, and the most frequent others up to the limit.
fn most_frequent(counts: &CharacterCounts, wanted: &[char], limit: usize) -> Vec<char> {
    let mut characters = wanted.to_vec();
    characters.sort_unstable();
    characters.dedup();
    let mut others = counts.characters();
    others.retain(|character| characters.binary_search(character).is_err());
    others.sort_by_key(|&character| (Reverse(counts.weight(character)), character));
    others.truncate(limit.saturating_sub(characters.len()));
    characters.append(&mut others);
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
    forms.retain(|&form| once.insert((character_of(form), form_index(form))));
    forms
}
