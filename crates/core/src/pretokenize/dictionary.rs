//! Splits out phrases of a domain that stay whole, found leftmost-longest (Aho-Corasick).

use std::cmp::Reverse;
use std::collections::HashSet;

use aho_corasick::{AhoCorasick, Match, MatchKind};

use crate::error::{Error, Result, shorten};
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
    single_word: bool,
    finder: AhoCorasick,
}

impl Dictionary {
    /// Returns the dictionary of these phrases, whose order does not matter.
    ///
    /// With `single_word` a phrase is found only if no word character is next to it: `cat` not in `concatenate`. Text
    /// without spaces between words, such as Chinese, needs `false`.
    pub fn new(phrases: Vec<String>, single_word: bool) -> Result<Self> {
        check(&phrases)?;
        // A shorter phrase may match where a longer one is next to a word character, so all occurrences are needed.
        let kind = if single_word { MatchKind::Standard } else { MatchKind::LeftmostLongest };
        let finder = AhoCorasick::builder()
            .match_kind(kind)
            .build(&phrases)
            .map_err(|error| Error::Config(format!("the phrases make too large a matcher: {error}").into()))?;
        Ok(Self { phrases, single_word, finder })
    }

    /// Returns the phrases in the order given.
    #[must_use]
    pub fn phrases(&self) -> &[String] {
        &self.phrases
    }

    /// Returns whether a phrase is found only if no word character is next to it.
    #[must_use]
    pub fn single_word(&self) -> bool {
        self.single_word
    }

    /// Calls `each` with the parts of `text` from left to right, and whether each is a phrase.
    ///
    /// The parts cover the text.
    pub fn split(&self, text: &str, mut each: impl FnMut(Span, bool)) {
        let mut start = 0;
        let mut phrase = |found: Match| {
            if start < found.start() {
                each(Span::new(start, found.start()), false);
            }
            each(Span::new(found.start(), found.end()), true);
            start = found.end();
        };
        if self.single_word {
            self.standing_alone(text).for_each(&mut phrase);
        } else {
            self.finder.find_iter(text).for_each(&mut phrase);
        }
        if start < text.len() {
            each(Span::new(start, text.len()), false);
        }
    }

    /// Returns the phrases without adjacent word characters, leftmost-longest among these.
    fn standing_alone(&self, text: &str) -> impl Iterator<Item = Match> {
        let mut found: Vec<Match> =
            self.finder.find_overlapping_iter(text).filter(|found| stands_alone(text, found.range())).collect();
        found.sort_unstable_by_key(|found| (found.start(), Reverse(found.end())));
        let mut end = 0;
        found.into_iter().filter(move |found| {
            let free = end <= found.start();
            if free {
                end = found.end();
            }
            free
        })
    }
}

/// The automaton follows from the other two fields.
impl PartialEq for Dictionary {
    fn eq(&self, other: &Self) -> bool {
        self.single_word == other.single_word && self.phrases == other.phrases
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
