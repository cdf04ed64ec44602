//! Which characters are kept, and the symbols that training starts from.

use std::cmp::Reverse;

use super::config::{Stage, TrainerConfig, Watch, tell};
use super::table::Table;
use crate::error::{Error, Result};
use crate::merge::Ties;
use crate::merge::segments::{NONE, Segments};
use crate::merge::symbols::Symbols;

/// How many words are read between two calls of the watch.
const CHUNK: usize = 1 << 14;

/// A character where it starts a word, or where it continues one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Form {
    letter: char,
    initial: bool,
}

#[derive(Clone, Copy, Default)]
struct Seen {
    weight: u64,
    initial: bool,
    continuing: bool,
}

/// What a reading of the words to learn from found.
struct Census {
    seen: Vec<Seen>,
    /// In order of first sight.
    forms: Vec<Form>,
    /// Characters and words in all, however often the words occur.
    slots: usize,
}

/// The words as symbols, and the alphabet as written, in its order.
pub(super) struct Prepared {
    pub(super) segments: Segments,
    pub(super) symbols: Symbols,
    pub(super) names: Vec<String>,
}

/// Finds the alphabet and cuts all words into it.
pub(super) fn prepare(table: &Table<'_>, config: &TrainerConfig, watch: Watch<'_>) -> Result<Prepared> {
    let census = census(table, config, watch)?;
    let forms = ordered(kept(&census, config), config);
    let prefix = &config.continuing_subword_prefix;
    let mut symbols = Symbols::new(prefix);
    let mut ids = vec![[NONE; 2]; census.seen.len()];
    let mut names = Vec::with_capacity(forms.len());
    for form in forms {
        let name = written(form, prefix);
        let id = symbols.add(&name, 1);
        if let Some(ids) = ids.get_mut(form.letter as usize) {
            ids[usize::from(form.initial)] = id;
        }
        names.push(name);
    }
    let segments = cut(&table.words, &census, &ids, &mut symbols, config, watch)?;
    Ok(Prepared { segments, symbols, names })
}

fn census(table: &Table<'_>, config: &TrainerConfig, watch: Watch<'_>) -> Result<Census> {
    let mut census = Census { seen: Vec::new(), forms: Vec::new(), slots: 1 };
    let mut total = characters(&table.whole)?;
    for (done, chunk) in table.words.chunks(CHUNK).enumerate() {
        tell(watch, Stage::Reading, done * CHUNK, table.words.len())?;
        for &(word, count) in chunk {
            let letters = census.add(word, count, config.continuing_subword_prefix.is_empty());
            total = sum(total, count, letters)?;
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

fn sum(total: u64, count: u64, letters: u64) -> Result<u64> {
    count.checked_mul(letters).and_then(|more| total.checked_add(more)).ok_or_else(overflow)
}

fn overflow() -> Error {
    Error::Overflow(
        "the characters of all words are more than 64 bits can count (2^64 - 1); scale the counts down".to_owned(),
    )
}

impl Census {
    /// Reads a word; gives its number of characters. A sum that wraps is found by the caller's.
    fn add(&mut self, word: &str, count: u64, all_initial: bool) -> u64 {
        let mut letters = 0;
        for (at, letter) in word.char_indices() {
            let form = Form { letter, initial: at == 0 || all_initial };
            let code = letter as usize;
            if code >= self.seen.len() {
                self.seen.resize(code + 1, Seen::default());
            }
            let seen = &mut self.seen[code];
            seen.weight = seen.weight.wrapping_add(count);
            let before = if form.initial { &mut seen.initial } else { &mut seen.continuing };
            if !std::mem::replace(before, true) {
                self.forms.push(form);
            }
            letters += 1;
        }
        self.slots += usize::try_from(letters).unwrap_or(usize::MAX) + 1;
        letters
    }

    fn weight(&self, letter: char) -> u64 {
        self.seen.get(letter as usize).map_or(0, |seen| seen.weight)
    }
}

/// The forms that the alphabet holds: seen ones in order of first sight, then those asked for.
fn kept(census: &Census, config: &TrainerConfig) -> Vec<Form> {
    let mut forms = census.forms.clone();
    if let Some(limit) = config.limit_alphabet {
        let letters = heaviest(census, &config.initial_alphabet, limit);
        forms.retain(|form| letters.binary_search(&form.letter).is_ok());
    }
    let both: &[bool] = if config.continuing_subword_prefix.is_empty() { &[true] } else { &[true, false] };
    let wanted = config.initial_alphabet.iter();
    for form in wanted.flat_map(|&letter| both.iter().map(move |&initial| Form { letter, initial })) {
        let seen = census.seen.get(form.letter as usize);
        let seen = seen.is_some_and(|seen| if form.initial { seen.initial } else { seen.continuing });
        if !seen {
            forms.push(form);
        }
    }
    forms
}

/// The characters asked for, and the heaviest others up to the limit; sorted.
fn heaviest(census: &Census, wanted: &[char], limit: usize) -> Vec<char> {
    let mut letters = wanted.to_vec();
    letters.sort_unstable();
    letters.dedup();
    let mut others: Vec<char> = census.forms.iter().map(|form| form.letter).collect();
    others.sort_unstable();
    others.dedup();
    others.retain(|letter| letters.binary_search(letter).is_err());
    others.sort_by_key(|&letter| (Reverse(census.weight(letter)), letter));
    others.truncate(limit.saturating_sub(letters.len()));
    letters.append(&mut others);
    letters.sort_unstable();
    letters
}

/// Puts the alphabet into the order of the tie rule.
fn ordered(mut forms: Vec<Form>, config: &TrainerConfig) -> Vec<Form> {
    let prefix = &config.continuing_subword_prefix;
    match config.ties {
        Ties::Lex => forms.sort_by_cached_key(|&form| written(form, prefix)),
        Ties::First => {}
        Ties::Hf => forms.sort_by_key(|form| (!form.initial, form.letter)),
    }
    let mut once = hashbrown::HashSet::with_hasher(crate::merge::Hash::default());
    forms.retain(|form| once.insert((form.letter, form.initial)));
    forms
}

fn written(form: Form, prefix: &str) -> String {
    let prefix = if form.initial { "" } else { prefix };
    format!("{prefix}{}", form.letter)
}

/// Cuts the words into symbols, and at characters that are not kept.
fn cut(
    words: &[(&str, u64)],
    census: &Census,
    ids: &[[u32; 2]],
    symbols: &mut Symbols,
    config: &TrainerConfig,
    watch: Watch<'_>,
) -> Result<Segments> {
    let all_initial = config.continuing_subword_prefix.is_empty();
    let mut segments = Segments::with_capacity(census.slots);
    for (done, chunk) in words.chunks(CHUNK).enumerate() {
        tell(watch, Stage::Reading, done * CHUNK, words.len())?;
        for &(word, count) in chunk {
            segments.set_weight(count);
            for (at, letter) in word.char_indices() {
                let id = ids[letter as usize][usize::from(at == 0 || all_initial)];
                segments.push(id);
                if id != NONE && !symbols.increase(id, count) {
                    return Err(overflow());
                }
            }
            segments.cut();
        }
    }
    Ok(segments)
}
