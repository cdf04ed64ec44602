//! The characters and pairs of characters that words can contain, to prove that no word contains an entry.

use crate::error::Result;
use crate::normalize::Normalizer;
use crate::pretokenize::PreTokenizer;
use crate::pretokenize::words::Words;
use crate::settings::Metaspace;
use crate::splitter::WordSplitter;
use crate::text::unicode::CharSet;

/// A character of each class that the pre-tokenizers distinguish by which two adjacent characters decide.
const CLASSES: [char; 8] = ['a', '1', '.', '©', '_', '中', '\u{301}', ' '];

/// The characters and pairs of characters that the words of a splitter can contain.
///
/// Each answer that words cannot contain something is certain for every text; that they can may be wrong.
///
/// ```
/// use piecework_core::pipeline::WordCharacters;
/// use piecework_core::splitter::WordSplitter;
///
/// let characters = WordCharacters::new(&WordSplitter::bert()?)?;
/// assert!(!characters.is_possible('A')?, "words are in lower case");
/// assert!(characters.is_separated('a', '.')? && !characters.is_separated('a', 'b')?);
/// assert!(characters.is_alone('中')?);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug)]
pub struct WordCharacters {
    /// The characters of normalized texts; `None` are all.
    normalized: Option<CharSet>,
    /// The characters that normalized texts have only between spaces.
    isolated: CharSet,
    /// The characters that pre-tokenizers put before words.
    inserted: Vec<char>,
    /// The metaspaces of a pre-tokenizer, unless one before it may keep what it would split.
    metaspace: Option<Metaspace>,
    /// The pre-tokenizers, each alone, that see normalized text and by which two adjacent characters decide.
    by_pairs: Vec<WordSplitter>,
}

impl WordCharacters {
    /// Returns what the words of a splitter can contain; the cost is that of normalizing every character a few times.
    pub fn new(splitter: &WordSplitter) -> Result<Self> {
        let normalizer = splitter.normalizer();
        let steps: Vec<_> = splitter.pre_tokenizer().into_iter().flat_map(PreTokenizer::steps).collect();
        let only_split = steps.iter().take_while(|step| step.only_splits()).count();
        let by_pairs = steps[..only_split].iter().filter(|step| step.splits_by_pairs());
        Ok(Self {
            normalized: normalizer.map(Normalizer::written).transpose()?,
            isolated: normalizer.map(Normalizer::isolated).transpose()?.unwrap_or_default(),
            inserted: steps.iter().filter_map(|step| step.inserted()).collect(),
            metaspace: steps.get(only_split).and_then(|step| step.metaspace()).copied(),
            by_pairs: by_pairs.map(|&step| WordSplitter::of_steps(vec![step.clone()])).collect(),
        })
    }

    /// Returns whether a word can contain a character.
    pub fn is_possible(&self, c: char) -> Result<bool> {
        Ok(self.is_written(c) && !self.is_removed(c)?)
    }

    /// Returns whether the normalizer, or a pre-tokenizer after it, can write a character.
    #[must_use]
    pub fn is_written(&self, c: char) -> bool {
        self.inserted.contains(&c) || self.normalized.as_ref().is_none_or(|written| written.contains(c))
    }

    /// Returns whether the pre-tokenizer removes or replaces a character everywhere.
    pub fn is_removed(&self, c: char) -> Result<bool> {
        if self.inserted.contains(&c) {
            return Ok(false);
        }
        Ok(c == ' ' && self.metaspace.is_some() || self.is_dropped(c)?)
    }

    /// Returns whether a pre-tokenizer removes a character, so that words end there.
    fn is_dropped(&self, c: char) -> Result<bool> {
        self.any_split(c.encode_utf8(&mut [0; 4]), |words, _| words.as_slice().is_empty())
    }

    /// Returns whether a word always ends between two adjacent characters.
    pub fn is_separated(&self, left: char, right: char) -> Result<bool> {
        if self.inserted.contains(&left) || self.inserted.contains(&right) {
            return Ok(self.metaspace.is_some_and(|metaspace| metaspace.split && metaspace.replacement == right));
        }
        let pair = String::from_iter([left, right]);
        self.any_split(&pair, |words, pair| words.iter().all(|word| word != pair))
    }

    /// Returns whether no word has a character before this one, or after it.
    pub fn is_alone(&self, c: char) -> Result<bool> {
        if self.isolated.contains(c) && self.inserted.is_empty() && self.is_dropped(' ')? {
            return Ok(true);
        }
        let mut neighbours = self.neighbours(c);
        neighbours.try_fold(true, |is_alone, other| {
            Ok(is_alone && self.is_separated(c, other)? && self.is_separated(other, c)?)
        })
    }

    /// Returns whether no word has a character before this one.
    pub fn is_always_first(&self, c: char) -> Result<bool> {
        // A character that cannot occur still stands for others of its class, which may.
        let is_first =
            self.neighbours(c).try_fold(true, |is_first, other| Ok(is_first && self.is_separated(other, c)?));
        Ok(is_first? || self.is_alone(c)?)
    }

    /// Iterates over a character of each class, and all that pre-tokenizers may treat in another way.
    fn neighbours(&self, c: char) -> impl Iterator<Item = char> {
        CLASSES.into_iter().chain(self.inserted.iter().copied()).chain([c])
    }

    /// Returns whether the words of a text have a property by one of the pre-tokenizers by pairs.
    fn any_split(&self, text: &str, is_so: impl Fn(&Words, &str) -> bool) -> Result<bool> {
        let mut words = Words::default();
        for splitter in &self.by_pairs {
            splitter.split(text, false, &mut words)?;
            if is_so(&words, text) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::{BertNormalizer, UnicodeForm};
    use crate::pretokenize::{Behavior, Dictionary};
    use crate::settings::ByteLevel;
    use crate::text::pattern::Pattern;

    /// Returns the characters that words cannot contain, contain alone, and contain first.
    fn answers(normalizer: Option<Normalizer>, steps: Vec<PreTokenizer>) -> [String; 3] {
        let splitter = WordSplitter::new(normalizer, Some(PreTokenizer::Sequence(steps))).unwrap();
        let characters = WordCharacters::new(&splitter).unwrap();
        let of = |is_so: &dyn Fn(char) -> bool| "aB1. _中\u{2581}".chars().filter(|&c| is_so(c)).collect::<String>();
        let is_possible = |c| characters.is_possible(c).unwrap();
        [
            of(&|c| !is_possible(c)),
            of(&|c| is_possible(c) && characters.is_alone(c).unwrap()),
            of(&|c| is_possible(c) && characters.is_always_first(c).unwrap()),
        ]
    }

    #[test]
    fn characters_that_words_cannot_contain() {
        let bert = || Some(Normalizer::Bert(BertNormalizer::default()));
        let composed = Normalizer::Sequence(vec![bert().unwrap(), Normalizer::Form(UnicodeForm::Nfc)]);
        let metaspace = |split| PreTokenizer::Metaspace(Metaspace { split, ..Metaspace::default() });
        let bytes = PreTokenizer::ByteLevel(ByteLevel { add_prefix_space: true, ..ByteLevel::default() });
        let (dictionary, split) = (Dictionary::new(vec!["a.".to_owned()], false).unwrap(), Behavior::Isolated);
        for (normalizer, steps, wanted) in [
            (None, vec![], ["", "", ""]),
            (bert(), vec![PreTokenizer::Bert], ["B ", "._中", "._中"]),
            (Some(composed), vec![PreTokenizer::Bert], ["B ", "._", "._"]),
            (bert(), vec![PreTokenizer::Punctuation(split)], ["B", "._", "._"]),
            (None, vec![PreTokenizer::Digits { individual: true }], ["", "1", "1"]),
            (None, vec![PreTokenizer::Punctuation(Behavior::MergedWithNext)], ["", "", "._"]),
            (None, vec![PreTokenizer::CharDelimiterSplit('a')], ["a", "", ""]),
            (None, vec![metaspace(true)], [" ", "", "\u{2581}"]),
            (None, vec![PreTokenizer::Bert, metaspace(false)], [" ", "", ""]),
            (None, vec![metaspace(true), PreTokenizer::Bert], [" ", "", "\u{2581}"]),
            (None, vec![PreTokenizer::Dictionary(dictionary.into()), PreTokenizer::Bert], ["", "", ""]),
            (None, vec![PreTokenizer::WhitespaceSplit, bytes], ["", "", ""]),
        ] {
            assert_eq!(answers(normalizer.clone(), steps.clone()), wanted, "{normalizer:?} {steps:?}");
        }
    }

    #[test]
    fn a_character_that_cannot_occur_stands_for_its_class() {
        let removed =
            |c: &char| Normalizer::Replace { pattern: Pattern::literal(&c.to_string()), content: String::new() };
        let normalizer = Normalizer::Sequence(CLASSES.iter().map(removed).collect());
        let steps = vec![PreTokenizer::Punctuation(Behavior::MergedWithPrevious)];
        let splitter = WordSplitter::new(Some(normalizer), Some(PreTokenizer::Sequence(steps))).unwrap();
        let characters = WordCharacters::new(&splitter).unwrap();
        assert!(!characters.is_always_first('!').unwrap(), "it is not in the word `b!`");
    }

    #[test]
    fn only_metaspaces_separate_inserted_characters() {
        let splitter = WordSplitter::new(None, Some(PreTokenizer::Metaspace(Metaspace::default()))).unwrap();
        let characters = WordCharacters::new(&splitter).unwrap();
        assert!(characters.is_separated('a', '\u{2581}').unwrap());
        assert!(!characters.is_separated('\u{2581}', 'a').unwrap());
        assert!(!characters.is_removed('\u{2581}').unwrap());
    }
}
