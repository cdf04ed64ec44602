//! Special tokens in text: found leftmost-longest in the original, before normalization.

use std::collections::HashSet;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::error::{Error, Result};
use crate::span::Span;

/// A token that stands for no text of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecialToken {
    /// The token's id.
    pub id: u32,
    /// Its text.
    pub content: String,
}

/// What special tokens in a text are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Specials {
    /// The special tokens they look like.
    #[default]
    Match,
    /// Ordinary text.
    Text,
    /// An error.
    Error,
    /// These are matched, the others are ordinary text.
    Allowed(Vec<String>),
}

/// A stretch of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    /// Ordinary text.
    Text(Span),
    /// A special token.
    Special(u32, Span),
}

/// The special tokens of a tokenizer and the automaton that finds them.
#[derive(Debug, Default)]
pub struct SpecialTokens {
    tokens: Vec<SpecialToken>,
    ids: HashSet<u32>,
    finder: Option<AhoCorasick>,
}

/// What a worker keeps between texts: the automaton for the tokens it was last told to allow.
#[derive(Debug, Default)]
pub struct Finders {
    allowed: Option<Allowed>,
}

#[derive(Debug)]
struct Allowed {
    names: Vec<String>,
    places: Vec<usize>,
    finder: Option<AhoCorasick>,
}

impl SpecialTokens {
    /// The special tokens in the order given.
    pub fn new(tokens: Vec<SpecialToken>) -> Result<Self> {
        if tokens.iter().any(|token| token.content.is_empty()) {
            return Err(Error::Vocabulary("a special token is empty".to_owned()));
        }
        let finder = if tokens.is_empty() { None } else { Some(finder(&tokens)?) };
        let ids = tokens.iter().map(|token| token.id).collect();
        Ok(Self { tokens, ids, finder })
    }

    /// The special tokens in the order given.
    #[must_use]
    pub fn tokens(&self) -> &[SpecialToken] {
        &self.tokens
    }

    /// Whether `id` is a special token's.
    #[must_use]
    pub fn contains(&self, id: u32) -> bool {
        self.ids.contains(&id)
    }

    /// Whether a text may produce special tokens at all.
    #[must_use]
    pub fn matches_in_text(specials: &Specials) -> bool {
        *specials == Specials::Match
    }

    /// Calls `each` with the segments of `text` from left to right; they tile it.
    pub fn split(
        &self,
        text: &str,
        specials: &Specials,
        finders: &mut Finders,
        mut each: impl FnMut(Segment) -> Result<()>,
    ) -> Result<()> {
        let mut start = 0;
        for (place, span) in self.find(text, specials, finders)? {
            let token = &self.tokens[place];
            if start < span.range().start {
                each(Segment::Text(Span::new(start, span.range().start)))?;
            }
            each(Segment::Special(token.id, span))?;
            start = span.range().end;
        }
        if start < text.len() {
            each(Segment::Text(Span::new(start, text.len())))?;
        }
        Ok(())
    }

    /// The special tokens that are to be matched, by place, with their spans.
    fn find(&self, text: &str, specials: &Specials, finders: &mut Finders) -> Result<Vec<(usize, Span)>> {
        let Some(finder) = &self.finder else { return Ok(Vec::new()) };
        match specials {
            Specials::Match => Ok(matches(finder, text).collect()),
            Specials::Text => Ok(Vec::new()),
            Specials::Error => match finder.find(text) {
                None => Ok(Vec::new()),
                Some(m) => Err(Error::SpecialToken {
                    token: self.tokens[m.pattern().as_usize()].content.clone(),
                    character: text[..m.start()].chars().count(),
                }),
            },
            Specials::Allowed(names) => {
                let allowed = match &mut finders.allowed {
                    Some(allowed) if allowed.names == *names => allowed,
                    other => other.insert(self.allow(names)?),
                };
                let Some(finder) = &allowed.finder else { return Ok(Vec::new()) };
                Ok(matches(finder, text).map(|(nth, span)| (allowed.places[nth], span)).collect())
            }
        }
    }

    /// Forbidden tokens must not hide allowed ones inside them, so the allowed ones are sought alone.
    fn allow(&self, names: &[String]) -> Result<Allowed> {
        let place = |name: &String| {
            self.tokens.iter().position(|token| token.content == *name).ok_or_else(|| {
                let known: Vec<&str> = self.tokens.iter().map(|token| token.content.as_str()).collect();
                Error::Config(format!("specials: {name:?} is not a special token; there are {known:?}"))
            })
        };
        let places: Vec<usize> = names.iter().map(place).collect::<Result<_>>()?;
        let tokens: Vec<SpecialToken> = places.iter().map(|&place| self.tokens[place].clone()).collect();
        let finder = if tokens.is_empty() { None } else { Some(finder(&tokens)?) };
        Ok(Allowed { names: names.to_vec(), places, finder })
    }
}

/// Which pattern is found where, leftmost-longest.
fn matches(finder: &AhoCorasick, text: &str) -> impl Iterator<Item = (usize, Span)> {
    finder.find_iter(text).map(|m| (m.pattern().as_usize(), Span::new(m.start(), m.end())))
}

fn finder(tokens: &[SpecialToken]) -> Result<AhoCorasick> {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(tokens.iter().map(|token| &token.content))
        .map_err(|error| Error::Config(format!("the special tokens make too large a matcher: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, specials: &Specials) -> Result<Vec<String>> {
        let contents = ["[A]", "[A][B]", "[B]"];
        let tokens = (0..).zip(contents).map(|(id, content)| SpecialToken { id, content: content.to_owned() });
        let mut found = Vec::new();
        SpecialTokens::new(tokens.collect())?.split(text, specials, &mut Finders::default(), |segment| {
            found.push(match segment {
                Segment::Text(span) => text[span.range()].to_owned(),
                Segment::Special(id, _) => format!("<{}>", contents[id as usize]),
            });
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn leftmost_longest() {
        assert_eq!(split("x[A][B]y[B]", &Specials::Match).unwrap(), ["x", "<[A][B]>", "y", "<[B]>"]);
    }

    #[test]
    fn text_error_and_a_choice() {
        assert_eq!(split("x[A]", &Specials::Text).unwrap(), ["x[A]"]);
        assert!(matches!(split("é[A]", &Specials::Error), Err(Error::SpecialToken { character: 1, .. })));
        let only_b = Specials::Allowed(vec!["[B]".to_owned()]);
        assert_eq!(split("[A][B]", &only_b).unwrap(), ["[A]", "<[B]>"]);
        assert!(split("", &Specials::Allowed(vec!["[C]".to_owned()])).is_err());
    }
}
