//! Added tokens: found as they stand, before the model sees the text.
//!
//! Some are sought in the text as it came, the others in the normalized text, by their own normalized form. In either
//! the leftmost match wins, and the longest of those that start there. A match that is turned down (in the middle of
//! a word, or a special token that is to be text) still uses up its text, as in the reference.

use std::collections::{HashMap, HashSet};

use aho_corasick::{AhoCorasick, MatchKind};

use crate::error::{Error, Result, shorten};
use crate::text::span::Span;
use crate::text::unicode::{class, stands_alone};
use crate::vocab::Vocab;

/// A token with a text of its own, beside the model's or among them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AddedToken {
    /// The token's id.
    pub id: u32,
    /// Its text.
    pub content: String,
    /// Only where neither neighbour is a word character.
    pub single_word: bool,
    /// The white space before it belongs to it.
    pub lstrip: bool,
    /// The white space behind it belongs to it.
    pub rstrip: bool,
    /// It is sought in the normalized text, in its normalized form.
    pub normalized: bool,
    /// It stands for no text of its own: decoding can leave it out, and calls say whether text may hold it.
    pub special: bool,
    /// It is a special token that by default is ordinary text where a text spells it: a control symbol of `SentencePiece`.
    pub control: bool,
}

impl AddedToken {
    /// A special token as trainers and vocabularies make them.
    #[must_use]
    pub fn special(id: u32, content: &str) -> Self {
        Self { id, content: content.to_owned(), special: true, ..Self::default() }
    }

    /// A control symbol of `SentencePiece`, which that library never matches in a text.
    #[must_use]
    pub fn control(id: u32, content: &str) -> Self {
        Self { control: true, ..Self::special(id, content) }
    }
}

/// What special tokens in a text are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Specials {
    /// As the library does that wrote the tokenizer's file: control symbols are ordinary text, all others are matched.
    #[default]
    AsFormat,
    /// The special tokens they look like.
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
pub(crate) enum Part {
    /// Ordinary text.
    Text(Span),
    /// An added token, by its id.
    Token(u32, Span),
}

/// The added tokens of a tokenizer and the automata that find them.
#[derive(Debug, Default)]
pub struct AddedTokens {
    /// In order of their ids.
    tokens: Vec<AddedToken>,
    by_id: HashMap<u32, usize>,
    by_content: HashMap<String, u32>,
    /// The normalized form of those that have another.
    normalized: HashMap<u32, String>,
    special: HashSet<String>,
    finders: Finders,
    /// What finds all but the control symbols; `None` where there are none of these.
    without_controls: Option<Finders>,
}

/// What finds added tokens: in the text as it came, and in the normalized text.
#[derive(Debug, Default)]
struct Finders {
    raw: Option<Finder>,
    normalized: Option<Finder>,
}

#[derive(Debug)]
struct Finder {
    automaton: AhoCorasick,
    /// The places of the patterns among the tokens.
    places: Vec<usize>,
}

/// What a worker keeps between texts: the automata for the special tokens it was last told to allow.
#[derive(Debug, Default)]
pub struct Allowed {
    names: Vec<String>,
    finders: Option<Finders>,
}

/// How added tokens are sought in one text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matching<'a> {
    tokens: &'a AddedTokens,
    finders: &'a Finders,
    specials: &'a Specials,
    /// All of the text, to say where in it an error is.
    text: &'a str,
}

impl AddedTokens {
    /// The `tokens`, whose ids are settled; `normalize` gives the normalized form of a text.
    pub fn new(mut tokens: Vec<AddedToken>, normalize: impl Fn(&str) -> Result<String>) -> Result<Self> {
        tokens.sort_by_key(|token| token.id);
        let mut added = Self::default();
        for (place, token) in tokens.iter().enumerate() {
            if token.content.is_empty() {
                return Err(Error::Vocabulary(format!("the added token with the id {} is empty", token.id)));
            }
            if added.by_id.insert(token.id, place).is_some() {
                return Err(Error::Vocabulary(format!("two added tokens have the id {}", token.id)));
            }
            if added.by_content.insert(token.content.clone(), token.id).is_some() {
                return Err(Error::Vocabulary(format!("{:?} is added twice", shorten(&token.content))));
            }
            if token.special {
                added.special.insert(token.content.clone());
            }
            if token.normalized {
                let normalized = normalize(&token.content)?;
                if normalized != token.content {
                    added.normalized.insert(token.id, normalized);
                }
            }
        }
        added.tokens = tokens;
        added.finders = added.finders_of(|_| true)?;
        if added.controls().next().is_some() {
            added.without_controls = Some(added.finders_of(|token| !token.control)?);
        }
        Ok(added)
    }

    /// The ids that the reference gives to `new` tokens beside these: that of the vocabulary to one in it, to
    /// others the next free one. A token that is there already takes on the new flags.
    #[must_use]
    pub fn numbered(&self, new: Vec<AddedToken>, vocab: &Vocab) -> Vec<AddedToken> {
        let mut tokens = self.tokens.clone();
        let mut ids: HashMap<String, u32> = self.by_content.clone();
        let mut places = self.by_id.clone();
        let size = u32::try_from(vocab.len()).unwrap_or(u32::MAX);
        let last = tokens.iter().map(|token| token.id).max();
        let mut next = last.filter(|&last| last >= size || size == 0).map_or(size, |last| last + 1);
        for mut token in new {
            token.id = match ids.get(&token.content).copied().or_else(|| vocab.id(&token.content)) {
                Some(id) => id,
                None => {
                    next += 1;
                    next - 1
                }
            };
            ids.insert(token.content.clone(), token.id);
            match places.get(&token.id) {
                Some(&place) => tokens[place] = token,
                None => {
                    places.insert(token.id, tokens.len());
                    tokens.push(token);
                }
            }
        }
        tokens
    }

    /// The tokens in order of their ids.
    #[must_use]
    pub fn tokens(&self) -> &[AddedToken] {
        &self.tokens
    }

    /// The special tokens in order of their ids.
    pub fn specials(&self) -> impl Iterator<Item = &AddedToken> {
        self.tokens.iter().filter(|token| token.special)
    }

    /// The control symbols in order of their ids.
    pub fn controls(&self) -> impl Iterator<Item = &AddedToken> {
        self.tokens.iter().filter(|token| token.control)
    }

    /// The tokens, of which just those in `names` are control symbols; each of these must be a special token.
    pub fn with_controls(&self, names: &[String]) -> Result<Vec<AddedToken>> {
        self.expect_special(names, "control_symbols")?;
        let controls: HashSet<&String> = names.iter().collect();
        let token = |token: &AddedToken| AddedToken { control: controls.contains(&token.content), ..token.clone() };
        Ok(self.tokens.iter().map(token).collect())
    }

    /// Refuses a name that is no special token; `what` lists the names.
    fn expect_special(&self, names: &[String], what: &str) -> Result<()> {
        let Some(name) = names.iter().find(|name| !self.special.contains(name.as_str())) else { return Ok(()) };
        let known: Vec<&str> = self.specials().map(|token| token.content.as_str()).collect();
        Err(Error::Config(format!("{what}: {name:?} is not a special token; there are {known:?}")))
    }

    /// The id of the token with this content.
    #[must_use]
    pub fn id(&self, content: &str) -> Option<u32> {
        self.by_content.get(content).copied()
    }

    /// The token with `id` as it is decoded: in the form in which it is sought.
    #[must_use]
    pub fn token(&self, id: u32) -> Option<&str> {
        let place = *self.by_id.get(&id)?;
        Some(self.normalized.get(&id).unwrap_or(&self.tokens[place].content))
    }

    /// Whether this text is that of a special token.
    #[must_use]
    pub fn is_special(&self, token: &str) -> bool {
        self.special.contains(token)
    }

    /// The largest id.
    #[must_use]
    pub fn last_id(&self) -> Option<u32> {
        self.tokens.last().map(|token| token.id)
    }

    /// Whether any token is sought in the normalized text, where it may reach over words.
    pub(crate) fn seeks_normalized(&self) -> bool {
        self.finders.normalized.is_some()
    }

    /// How the tokens are sought in `text`; `allowed` is kept between calls.
    pub(crate) fn matching<'a>(
        &'a self,
        text: &'a str,
        specials: &'a Specials,
        allowed: &'a mut Allowed,
    ) -> Result<Matching<'a>> {
        let finders = match specials {
            Specials::Allowed(names) => self.allow(names, allowed)?,
            Specials::AsFormat => self.without_controls.as_ref().unwrap_or(&self.finders),
            Specials::Match | Specials::Text | Specials::Error => &self.finders,
        };
        Ok(Matching { tokens: self, finders, specials, text })
    }

    /// Forbidden tokens must not hide allowed ones inside them, so the allowed ones are sought alone.
    fn allow<'a>(&self, names: &[String], allowed: &'a mut Allowed) -> Result<&'a Finders> {
        if allowed.names != names {
            allowed.finders = None;
        }
        let finders = match allowed.finders.take() {
            Some(finders) => finders,
            None => {
                self.expect_special(names, "specials")?;
                let names: HashSet<&String> = names.iter().collect();
                self.finders_of(|token| !token.special || names.contains(&token.content))?
            }
        };
        allowed.names = names.to_vec();
        Ok(allowed.finders.insert(finders))
    }

    fn finders_of(&self, wanted: impl Fn(&AddedToken) -> bool) -> Result<Finders> {
        let places = |normalized: bool| {
            let tokens = self.tokens.iter().enumerate();
            tokens
                .filter(|(_, token)| token.normalized == normalized && wanted(token))
                .map(|(place, _)| place)
                .collect()
        };
        Ok(Finders { raw: self.finder(places(false))?, normalized: self.finder(places(true))? })
    }

    fn finder(&self, places: Vec<usize>) -> Result<Option<Finder>> {
        let text = |place: usize| self.token(self.tokens[place].id).unwrap_or_default();
        // A token that normalization leaves nothing of is nowhere to be found.
        let places: Vec<usize> = places.into_iter().filter(|&place| !text(place).is_empty()).collect();
        if places.is_empty() {
            return Ok(None);
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(places.iter().map(|&place| text(place)))
            .map_err(|error| Error::Config(format!("the added tokens make too large a matcher: {error}")))?;
        Ok(Some(Finder { automaton, places }))
    }
}

impl Matching<'_> {
    /// The same for a stretch whose special tokens are to be matched, or to be text.
    pub(crate) fn trusting(self, trusted: bool) -> Self {
        let specials = if trusted { &Specials::Match } else { &Specials::Text };
        Self { specials, finders: &self.tokens.finders, ..self }
    }

    /// Whether any token is sought in the normalized text.
    pub(crate) fn seeks_normalized(self) -> bool {
        self.finders.normalized.is_some()
    }

    /// Whether an error may have to say where in the text a part of the normalized text came from.
    pub(crate) fn asks_for_origin(self) -> bool {
        *self.specials == Specials::Error && self.seeks_normalized()
    }

    /// Whether the model may make special tokens of text; where only some are matched, it makes none.
    pub(crate) fn may_match(self) -> bool {
        match self.specials {
            Specials::Match => true,
            Specials::AsFormat => self.tokens.without_controls.is_none(),
            Specials::Text | Specials::Error | Specials::Allowed(_) => false,
        }
    }

    /// The parts of a stretch of the text as it came, which begins at byte `base`.
    pub(crate) fn raw<E: From<Error>>(
        self,
        part: &str,
        base: u32,
        each: impl FnMut(Part) -> Result<(), E>,
    ) -> Result<(), E> {
        self.split(self.finders.raw.as_ref(), part, |at| base as usize + at, each)
    }

    /// The parts of a normalized text; `origin` tells where in the text a byte of it came from.
    pub(crate) fn normalized(
        self,
        text: &str,
        origin: impl Fn(usize) -> usize,
        each: impl FnMut(Part) -> Result<()>,
    ) -> Result<()> {
        self.split(self.finders.normalized.as_ref(), text, origin, each)
    }

    fn split<E: From<Error>>(
        self,
        finder: Option<&Finder>,
        text: &str,
        origin: impl Fn(usize) -> usize,
        mut each: impl FnMut(Part) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut done = 0;
        let matches = finder.map(|finder| (finder, finder.automaton.find_iter(text)));
        for (finder, found) in matches.into_iter().flat_map(|(finder, found)| found.map(move |found| (finder, found))) {
            let token = &self.tokens.tokens[finder.places[found.pattern().as_usize()]];
            let (mut start, mut end) = (found.start(), found.end());
            if token.special && !self.takes_special(token, || origin(start))? {
                continue;
            }
            if token.single_word && !stands_alone(text, start..end) {
                continue;
            }
            // Before `done` there is only white space that the token before has taken: it is gone, and not looked at
            // again.
            if token.rstrip {
                end = text.len() - text[end.max(done)..].trim_start_matches(is_space).len();
            }
            if token.lstrip {
                let from = done.min(start);
                start = (from + text[from..start].trim_end_matches(is_space).len()).max(done).min(end);
            }
            if done < start {
                each(Part::Text(Span::new(done, start)))?;
            }
            each(Part::Token(token.id, Span::new(start, end)))?;
            done = end;
        }
        if done < text.len() {
            each(Part::Text(Span::new(done, text.len())))?;
        }
        Ok(())
    }

    fn takes_special(self, token: &AddedToken, at: impl Fn() -> usize) -> Result<bool> {
        match self.specials {
            Specials::AsFormat | Specials::Match | Specials::Allowed(_) => Ok(true),
            Specials::Text => Ok(false),
            Specials::Error => {
                Err(Error::SpecialToken { token: token.content.clone(), character: self.text[..at()].chars().count() })
            }
        }
    }
}

fn is_space(c: char) -> bool {
    class(c).is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(flags: impl Fn(&mut AddedToken)) -> AddedTokens {
        let contents = ["[A]", "[A][B]", "[B]"];
        let tokens = (0..).zip(contents).map(|(id, content)| {
            let mut token = AddedToken::special(id, content);
            flags(&mut token);
            token
        });
        AddedTokens::new(tokens.collect(), |text| Ok(text.to_lowercase())).unwrap()
    }

    fn split(tokens: &AddedTokens, text: &str, specials: &Specials) -> Result<Vec<String>> {
        let mut found = Vec::new();
        tokens.matching(text, specials, &mut Allowed::default())?.raw(text, 0, |part| {
            found.push(match part {
                Part::Text(span) => text[span.range()].to_owned(),
                Part::Token(id, span) => format!("<{id}:{}>", &text[span.range()]),
            });
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn leftmost_longest() {
        let found = split(&tokens(|_| {}), "x[A][B]y[B]", &Specials::Match).unwrap();
        assert_eq!(found, ["x", "<1:[A][B]>", "y", "<2:[B]>"]);
    }

    #[test]
    fn flags() {
        let strip = tokens(|token| (token.lstrip, token.rstrip) = (true, true));
        assert_eq!(split(&strip, "x  [B] [B] y", &Specials::Match).unwrap(), ["x", "<2:  [B] >", "<2:[B] >", "y"]);
        let single = tokens(|token| token.single_word = true);
        assert_eq!(split(&single, "x[B] [B]", &Specials::Match).unwrap(), ["x[B] ", "<2:[B]>"]);
        let normalized = tokens(|token| token.normalized = true);
        assert_eq!(split(&normalized, "[B]", &Specials::Match).unwrap(), ["[B]"]);
        assert_eq!(normalized.token(2), Some("[b]"));
    }

    #[test]
    fn text_error_and_a_choice() {
        let tokens = tokens(|_| {});
        assert_eq!(split(&tokens, "x[A]", &Specials::Text).unwrap(), ["x[A]"]);
        assert!(matches!(split(&tokens, "é[A]", &Specials::Error), Err(Error::SpecialToken { character: 1, .. })));
        let only_b = Specials::Allowed(vec!["[B]".to_owned()]);
        assert_eq!(split(&tokens, "[A][B]", &only_b).unwrap(), ["[A]", "<2:[B]>"]);
        assert!(split(&tokens, "", &Specials::Allowed(vec!["[C]".to_owned()])).is_err());
    }

    #[test]
    fn control_symbols_are_text_by_default() {
        let control = tokens(|token| token.control = token.content != "[B]");
        assert_eq!(
            split(&control, "[A][B]", &Specials::AsFormat).unwrap(),
            ["[A]", "<2:[B]>"],
            "nor do they hide others"
        );
        assert_eq!(split(&control, "[A][B]", &Specials::Match).unwrap(), ["<1:[A][B]>"]);
        let of = |specials: &Specials, tokens: &AddedTokens| {
            tokens.matching("", specials, &mut Allowed::default()).unwrap().may_match()
        };
        assert!(!of(&Specials::AsFormat, &control) && of(&Specials::AsFormat, &tokens(|_| {})));
        let none = AddedTokens::new(control.with_controls(&[]).unwrap(), |text| Ok(text.to_owned())).unwrap();
        assert_eq!((none.controls().count(), control.controls().count()), (0, 2));
        assert!(control.with_controls(&["[C]".to_owned()]).is_err());
    }

    #[test]
    fn ids_follow_the_vocabulary() {
        let vocab = Vocab::from_tokens(["a", "[B]"].map(str::to_owned)).unwrap();
        let new = ["x", "[B]", "y", "x"].map(|content| AddedToken::special(0, content));
        let numbered = AddedTokens::default().numbered(new.into(), &vocab);
        let ids: Vec<(u32, &str)> = numbered.iter().map(|token| (token.id, token.content.as_str())).collect();
        assert_eq!(ids, [(2, "x"), (1, "[B]"), (3, "y")]);
    }
}
