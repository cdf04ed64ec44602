//! Splits out phrases of a domain that stay whole, found leftmost-longest.

use std::collections::HashSet;

use crate::error::{Error, Result, shorten};
use crate::strings::{Automaton, Finder};
use crate::text::span::Span;
use crate::text::unicode::stands_alone;

/// A set of phrases, each of which is one word wherever it occurs.
///
/// ```
/// use piecework_core::pretokenize::words::Words;
/// use piecework_core::pretokenize::{Dictionary, PreTokenizer};
/// use piecework_core::splitter::WordSplitter;
///
/// let names = PreTokenizer::Dictionary(Dictionary::new(vec!["New York".to_owned()], true)?.into());
/// let (splitter, mut words) = (WordSplitter::new(None, Some(names))?, Words::default());
/// splitter.split("to New York", false, &mut words)?;
/// assert_eq!(words.iter().collect::<Vec<_>>(), ["to ", "New York"]);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Dictionary {
    phrases: Vec<String>,
    search: Search,
}

/// Where phrases are found.
#[derive(Debug, Clone)]
enum Search {
    Anywhere(Finder),
    /// Where no word character is next to them. A shorter phrase may stand alone where a longer one does not.
    Alone(Automaton),
}

impl Dictionary {
    /// Returns the dictionary of these phrases, whose order does not matter.
    ///
    /// With `single_word` a phrase is found only if no word character is next to it: `cat` not in `concatenate`. Text
    /// without spaces between words, such as Chinese, needs `false`.
    pub fn new(phrases: Vec<String>, single_word: bool) -> Result<Self> {
        check(&phrases)?;
        let what = "the phrases";
        let search = if single_word {
            let mut automaton = Automaton::new(&phrases, what)?;
            // What follows a phrase that begins a longer one does not depend on the text, if that has the longer one.
            automaton.keep_prefixes(|longer, phrase| {
                let size = phrases[phrase as usize].len();
                stands_alone(&phrases[longer as usize], 0..size)
            });
            Search::Alone(automaton)
        } else {
            Search::Anywhere(Finder::new(&phrases, what)?)
        };
        Ok(Self { phrases, search })
    }

    /// Returns the phrases in the order given.
    #[must_use]
    pub fn phrases(&self) -> &[String] {
        &self.phrases
    }

    /// Returns whether a phrase is found only if no word character is next to it.
    #[must_use]
    pub fn single_word(&self) -> bool {
        matches!(self.search, Search::Alone(_))
    }

    /// Calls `each` with the parts of `text` from left to right, and whether each is a phrase.
    ///
    /// The parts cover the text.
    pub fn split(&self, text: &str, mut each: impl FnMut(Span, bool)) {
        let mut start = 0;
        let found = match &self.search {
            Search::Anywhere(finder) => finder.matches(text.as_bytes()),
            Search::Alone(phrases) => {
                phrases.accepted(text.as_bytes(), 0..text.len(), |found| stands_alone(text, found.range()))
            }
        };
        for found in found {
            if start < found.start {
                each(Span::new(start, found.start), false);
            }
            each(Span::new(found.start, found.end), true);
            start = found.end;
        }
        if start < text.len() {
            each(Span::new(start, text.len()), false);
        }
    }
}

/// The search follows from the phrases, and from whether they must stand alone.
impl PartialEq for Dictionary {
    fn eq(&self, other: &Self) -> bool {
        self.single_word() == other.single_word() && self.phrases == other.phrases
    }
}

impl Eq for Dictionary {}

fn check(phrases: &[String]) -> Result<()> {
    if phrases.is_empty() {
        return Err(Error::Config("a dictionary needs at least one phrase".into()));
    }
    let mut seen = HashSet::with_capacity(phrases.len());
    for (place, phrase) in phrases.iter().enumerate() {
        if phrase.is_empty() {
            return Err(Error::Config(format!("phrases[{place}] is empty").into()));
        }
        if !seen.insert(phrase) {
            return Err(Error::Config(format!("phrases[{place}]: {:?} stands there twice", shorten(phrase)).into()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dictionary(phrases: &[&str], single_word: bool) -> Result<Dictionary> {
        Dictionary::new(phrases.iter().map(|&phrase| phrase.to_owned()).collect(), single_word)
    }

    /// Returns the parts, with phrases in brackets.
    fn split(phrases: &[&str], single_word: bool, text: &str) -> Vec<String> {
        let mut pieces = Vec::new();
        dictionary(phrases, single_word).unwrap().split(text, |span, phrase| {
            let piece = &text[span.range()];
            pieces.push(if phrase { format!("[{piece}]") } else { piece.to_owned() });
        });
        pieces
    }

    #[test]
    fn phrases_stay_whole() {
        let phrases = ["北京", "上海", "人工智能", "机器学习"];
        assert_eq!(
            split(&phrases, false, "北京和上海的人工智能,机器 学习"),
            ["[北京]", "和", "[上海]", "的", "[人工智能]", ",机器 学习"]
        );
        assert!(split(&phrases, false, "").is_empty());
    }

    #[test]
    fn leftmost_longest_in_any_order() {
        for phrases in [["人工", "人工智能", "智能手机"], ["智能手机", "人工智能", "人工"]] {
            assert_eq!(split(&phrases, false, "人工智能手机"), ["[人工智能]", "手机"]);
        }
        assert_eq!(split(&["a b", "b c"], false, "a b c"), ["[a b]", " c"]);
    }

    #[test]
    fn inside_words_unless_they_must_stand_alone() {
        assert_eq!(split(&["cat"], false, "concatenate cat"), ["con", "[cat]", "enate ", "[cat]"]);
        assert_eq!(split(&["cat"], true, "concatenate cat, cat_ cat"), ["concatenate ", "[cat]", ", cat_ ", "[cat]"]);
        assert_eq!(split(&["数据"], true, "大数据"), ["大数据"]);
    }

    #[test]
    fn what_stands_alone_may_be_the_shorter_or_the_later() {
        let phrases = ["new", "new yorker", "yorkers"];
        assert_eq!(split(&phrases, true, "new yorkers"), ["[new]", " ", "[yorkers]"]);
        assert_eq!(split(&phrases, true, "new yorker"), ["[new yorker]"]);
    }

    #[test]
    fn those_that_stand_alone_in_longer_ones() {
        let phrases = ["a", "a b", "a bc", "a bc d", "a bc de f"];
        assert_eq!(split(&phrases, true, "a bc de fg"), ["[a bc]", " de fg"]);
        assert_eq!(split(&phrases, true, "a bcd"), ["[a]", " bcd"]);
        assert_eq!(split(&phrases, true, "xa bc d"), ["xa bc d"]);
    }

    #[test]
    fn a_dictionary_of_nothing_is_refused() {
        for (phrases, message) in [
            (&[][..], "a dictionary needs at least one phrase"),
            (&["a", ""][..], "phrases[1] is empty"),
            (&["a", "b", "a"][..], "phrases[2]: \"a\" stands there twice"),
        ] {
            assert_eq!(dictionary(phrases, false).unwrap_err().to_string(), message);
        }
    }
}
