//! Which characters are kept, and the symbols that training starts from.

use std::cmp::Reverse;

use super::plan::{Customs, Form, Plan};
use super::table::Table;
use super::{Stage, Watch, tell};
use crate::error::{Error, Result};
use crate::merge::Ties;
use crate::merge::segments::{NONE, Segments};
use crate::merge::symbols::Symbols;

/// How many words are read between two calls of the watch.
const CHUNK: usize = 1 << 14;

#[derive(Clone, Copy, Default)]
struct Seen {
    weight: u64,
    /// Which forms of the character were seen, by [`kind`].
    forms: [bool; 4],
}

/// What a reading of the words to learn from found.
struct Census {
    seen: Vec<Seen>,
    /// In order of first sight.
    forms: Vec<Form>,
    /// Characters, suffixes and words in all, however often the words occur.
    slots: usize,
}

/// The words as symbols, and the alphabet as written, in its order.
pub(crate) struct Prepared {
    pub(crate) segments: Segments,
    pub(crate) symbols: Symbols,
    pub(crate) names: Vec<String>,
}

/// The ids of the forms to begin with.
struct Ids {
    letters: Vec<[u32; 4]>,
    suffix: u32,
}

/// Finds the alphabet and cuts all words into it.
pub(crate) fn prepare(table: &Table<'_>, plan: &Plan<'_>, watch: Watch<'_>) -> Result<Prepared> {
    let census = census(table, plan, watch)?;
    let mut symbols = Symbols::new(plan.spelling.prefix, plan.spelling.suffix);
    if plan.customs == Customs::Tokenizers {
        // Special tokens have the first ids, by which ties are broken, also where merges make them.
        for token in plan.special_tokens {
            symbols.add(token, 1);
        }
    }
    let mut ids = Ids { letters: vec![[NONE; 4]; census.seen.len()], suffix: NONE };
    let mut names = Vec::new();
    let mut used = hashbrown::HashSet::with_hasher(crate::merge::Hash::default());
    for form in ordered(kept(&census, plan), plan) {
        let name = plan.spelling.written(form);
        let id = symbols.find(&name).unwrap_or_else(|| symbols.add(&name, u32::from(form != Form::Suffix)));
        if !used.insert(id) {
            return Err(Error::Config(format!(
                "the alphabet has two symbols that are written {name:?}; choose another prefix or suffix"
            )));
        }
        ids.set(form, id);
        names.push(name);
    }
    let segments = cut(&table.words, &census, &ids, &mut symbols, plan, watch)?;
    Ok(Prepared { segments, symbols, names })
}

impl Ids {
    fn set(&mut self, form: Form, id: u32) {
        match form {
            Form::Suffix => self.suffix = id,
            Form::Letter { letter, .. } => {
                if let Some(ids) = self.letters.get_mut(letter as usize) {
                    ids[kind(form)] = id;
                }
            }
        }
    }
}

/// A number for what a form is, its character apart.
fn kind(form: Form) -> usize {
    match form {
        Form::Suffix => 0,
        Form::Letter { first, last, .. } => usize::from(first) + 2 * usize::from(last),
    }
}

fn census(table: &Table<'_>, plan: &Plan<'_>, watch: Watch<'_>) -> Result<Census> {
    let mut census = Census { seen: Vec::new(), forms: Vec::new(), slots: 1 };
    let mut total = characters(&table.whole)?;
    for (done, chunk) in table.words.chunks(CHUNK).enumerate() {
        tell(watch, Stage::Reading, done * CHUNK, table.words.len())?;
        for &(word, count) in chunk {
            let symbols = census.add(word, count, plan);
            total = sum(total, count, symbols)?;
        }
    }
    if census.slots > Segments::LIMIT {
        let slots = census.slots;
        return Err(Error::Counts(format!(
            "the distinct words hold {slots} characters (and one for each word), more than {}; raise min_word_frequency",
            Segments::LIMIT
        )));
    }
    Ok(census)
}

/// The characters of words that nothing is learned from.
fn characters(words: &[(&str, u64)]) -> Result<u64> {
    words.iter().try_fold(0, |total, &(word, count)| sum(total, count, word.chars().count() as u64))
}

fn sum(total: u64, count: u64, symbols: u64) -> Result<u64> {
    count.checked_mul(symbols).and_then(|more| total.checked_add(more)).ok_or_else(overflow)
}

fn overflow() -> Error {
    Error::Overflow(
        "the characters of all words are more than 64 bits can count (2^64 - 1); scale the counts down".to_owned(),
    )
}

impl Census {
    /// Reads a word; gives its number of symbols. A sum that wraps is found by the caller's.
    fn add(&mut self, word: &str, count: u64, plan: &Plan<'_>) -> u64 {
        let mut symbols = 0;
        for (at, letter) in word.char_indices() {
            let form = plan.spelling.form(letter, at == 0, at + letter.len_utf8() == word.len());
            let code = letter as usize;
            if code >= self.seen.len() {
                self.seen.resize(code + 1, Seen::default());
            }
            let seen = &mut self.seen[code];
            seen.weight = seen.weight.wrapping_add(count);
            if !std::mem::replace(&mut seen.forms[kind(form)], true) {
                self.forms.push(form);
            }
            symbols += 1;
        }
        if plan.spelling.ends_words() {
            symbols += 1;
            if !self.forms.contains(&Form::Suffix) {
                self.forms.push(Form::Suffix);
            }
        }
        self.slots += usize::try_from(symbols).unwrap_or(usize::MAX) + 1;
        symbols
    }

    fn weight(&self, letter: char) -> u64 {
        self.seen.get(letter as usize).map_or(0, |seen| seen.weight)
    }

    fn has(&self, form: Form) -> bool {
        match form {
            Form::Suffix => self.forms.contains(&form),
            Form::Letter { letter, .. } => self.seen.get(letter as usize).is_some_and(|seen| seen.forms[kind(form)]),
        }
    }

    /// The characters, each once.
    fn letters(&self) -> Vec<char> {
        let mut letters: Vec<char> = self.forms.iter().filter_map(|&form| letter(form)).collect();
        letters.sort_unstable();
        letters.dedup();
        letters
    }
}

fn letter(form: Form) -> Option<char> {
    match form {
        Form::Letter { letter, .. } => Some(letter),
        Form::Suffix => None,
    }
}

/// The forms that the alphabet holds: seen ones in order of first sight, then those asked for.
fn kept(census: &Census, plan: &Plan<'_>) -> Vec<Form> {
    let mut forms = census.forms.clone();
    if let Some(limit) = plan.limit_alphabet {
        let mut letters = heaviest(census, plan.initial_alphabet, limit);
        letters.extend(plan.letters_among_specials());
        letters.sort_unstable();
        forms.retain(|&form| letter(form).is_none_or(|letter| letters.binary_search(&letter).is_ok()));
    }
    let wanted: Vec<Form> = match plan.customs {
        Customs::Own => plan.initial_alphabet.iter().flat_map(|&letter| plan.spelling.forms(letter)).collect(),
        Customs::Tokenizers => {
            let letters = forms.iter().filter_map(|&form| letter(form)).chain(plan.initial_alphabet.iter().copied());
            letters.map(|letter| plan.spelling.form(letter, true, false)).collect()
        }
    };
    forms.extend(wanted.into_iter().filter(|&form| !census.has(form)));
    forms
}

/// The characters asked for, and the heaviest others up to the limit.
fn heaviest(census: &Census, wanted: &[char], limit: usize) -> Vec<char> {
    let mut letters = wanted.to_vec();
    letters.sort_unstable();
    letters.dedup();
    let mut others = census.letters();
    others.retain(|letter| letters.binary_search(letter).is_err());
    others.sort_by_key(|&letter| (Reverse(census.weight(letter)), letter));
    others.truncate(limit.saturating_sub(letters.len()));
    letters.append(&mut others);
    letters
}

/// Puts the alphabet into the order of the tie rule, each form once.
fn ordered(mut forms: Vec<Form>, plan: &Plan<'_>) -> Vec<Form> {
    match plan.ties {
        Ties::Lex | Ties::SentencePiece => forms.sort_by_cached_key(|&form| plan.spelling.written(form)),
        Ties::First => {}
        Ties::Hf => forms.sort_by_key(|&form| match form {
            Form::Letter { letter, first, last } => (!first, last, letter),
            Form::Suffix => (!plan.spelling.prefix.is_empty(), true, char::MIN),
        }),
    }
    let mut once = hashbrown::HashSet::with_hasher(crate::merge::Hash::default());
    forms.retain(|&form| once.insert((letter(form), kind(form))));
    forms
}

/// Cuts the words into symbols, and at characters that are not kept, unless these vanish.
fn cut(
    words: &[(&str, u64)],
    census: &Census,
    ids: &Ids,
    symbols: &mut Symbols,
    plan: &Plan<'_>,
    watch: Watch<'_>,
) -> Result<Segments> {
    let vanish = plan.customs == Customs::Tokenizers;
    let mut segments = Segments::with_capacity(census.slots);
    let mut push = |segments: &mut Segments, id: u32, count: u64| {
        if id != NONE || !vanish {
            segments.push(id);
        }
        if id == NONE || symbols.increase(id, count) { Ok(()) } else { Err(overflow()) }
    };
    for (done, chunk) in words.chunks(CHUNK).enumerate() {
        tell(watch, Stage::Reading, done * CHUNK, words.len())?;
        for &(word, count) in chunk {
            segments.set_weight(count);
            for (at, letter) in word.char_indices() {
                let form = plan.spelling.form(letter, at == 0, at + letter.len_utf8() == word.len());
                push(&mut segments, ids.letters[letter as usize][kind(form)], count)?;
            }
            if plan.spelling.ends_words() {
                push(&mut segments, ids.suffix, count)?;
            }
            segments.cut();
        }
    }
    Ok(segments)
}
