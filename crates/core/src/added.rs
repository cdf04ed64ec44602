//! Added tokens, which are matched before the model sees the text.
//!
//! Some are matched in the original text, others, in their own normalized form, in the normalized text. In both cases
//! the leftmost match is taken, and the longest one at its start (linear time). A rejected match (inside a word, or a
//! special token that is to be text) still consumes its text, as in the reference library.
//!
//! A call that allows only some special tokens has finders of its own; the worker keeps those of its last such call.

use std::collections::{BTreeSet, HashSet};
use std::sync::OnceLock;

use hashbrown::{HashMap, HashTable};

use crate::error::{Error, Message, Result, shorten};
use crate::hash::{FixedHasher, hash_one};
use crate::memory::{Growable, with_room};
use crate::settings::METASPACE;
use crate::stop::Work;
use crate::strings::{Finder, Found, Matches};
use crate::text::span::Span;
use crate::text::unicode::{Class, stands_alone};
use crate::vocab::{AllowedEntries, Vocab};

/// The name of the strings in errors.
const TOKENS: &str = "the added tokens";

/// A token that is matched as a whole, in addition to the model's tokens or among them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AddedToken {
    /// The token's id.
    pub id: u32,
    /// The token's text.
    pub content: String,
    /// Whether it matches only where neither neighbour is a word character.
    pub single_word: bool,
    /// Whether it includes the white space before it.
    pub lstrip: bool,
    /// Whether it includes the white space after it.
    pub rstrip: bool,
    /// Whether it is matched in the normalized text, in its normalized form.
    pub normalized: bool,
    /// Whether it is a special token: decoding can skip it, and calls state whether texts may contain it.
    pub special: bool,
    /// Whether it is a control symbol of `SentencePiece`: a special token that is ordinary text by default.
    pub control: bool,
}

impl AddedToken {
    /// Returns a special token as trainers and vocabularies create them.
    #[must_use]
    pub fn special(id: u32, content: &str) -> Self {
        Self { id, content: content.to_owned(), special: true, ..Self::default() }
    }

    /// Returns a control symbol of `SentencePiece`, which that library never matches in a text.
    #[must_use]
    pub fn control(id: u32, content: &str) -> Self {
        Self { control: true, ..Self::special(id, content) }
    }
}

/// The treatment of special tokens, or of all untrusted tokens, in a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SpecialsPolicy {
    /// The behaviour of the file's library: control symbols are ordinary text, all others are matched.
    #[default]
    AsFormat,
    /// All tokens are matched.
    Match,
    /// These tokens are ordinary text.
    Text(TextTokens),
    /// No special token is matched, but the model may produce those in its vocabulary, as `tokenizers` encodes them.
    Unmatched,
    /// These tokens are errors.
    Error(TextTokens),
    /// The named tokens are matched, the others of these are ordinary text.
    Allowed(TextTokens, Vec<String>),
}

/// The added tokens that a text may be forbidden to spell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextTokens {
    /// The special tokens.
    Special,
    /// The special tokens, and all others but those of white space alone and those that the tokenizer keeps.
    Untrusted,
}

/// Where a segment of a text may spell added tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentTrust<'a> {
    /// As the options of the call say.
    AsOptions,
    /// Everywhere.
    Full,
    /// In these ranges of its bytes; anywhere else, untrusted tokens are ordinary text.
    Within(&'a [Span]),
}

/// A part of a text that is cut at added tokens: text, or a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextPart {
    /// Ordinary text.
    Text(Span),
    /// An added token, by its id.
    Token(u32, Span),
}

/// The added tokens of a tokenizer, with their finders.
///
/// ```
/// use piecework_core::added::{AddedToken, AddedTokens};
///
/// let tokens = AddedTokens::new(vec![AddedToken::special(0, "[MASK]")], |text| Ok(text.to_owned()))?;
/// assert_eq!((tokens.id("[MASK]"), tokens.is_special("[MASK]")), (Some(0), true));
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct AddedTokens {
    /// The tokens in order of their ids.
    tokens: Vec<AddedToken>,
    by_id: Places,
    by_content: ContentTable,
    /// The normalized forms of tokens that change under normalization.
    normalized: HashMap<u32, String, FixedHasher>,
    /// The tokens that the model finds in words, at which texts are not cut.
    in_model: Ids,
    /// The tokens that untrusted text may spell, besides those of white space alone.
    kept: HashSet<String>,
    /// The tokens that it must not spell.
    untrusted: Ids,
    /// Whether normalized text has metaspaces for spaces, so that tokens take those beside them for spaces.
    escapes_spaces: bool,
    finders: Finders,
    /// The finders without control symbols; `None` if there are no control symbols.
    without_controls: Option<Finders>,
    /// The finders of the tokens that untrusted text may spell.
    trusted_finders: OnceLock<Finders>,
    /// The finders of all tokens, those in `in_model` too, at which a search for errors fails.
    refused_finders: OnceLock<Finders>,
}

/// Ids of tokens.
type Ids = hashbrown::HashSet<u32, FixedHasher>;
/// The places of tokens in a list, by their ids.
type Places = HashMap<u32, usize, FixedHasher>;

/// The places of tokens in a list, by their contents.
#[derive(Debug, Default)]
struct ContentTable(HashTable<usize>);

impl ContentTable {
    /// Returns the place of the token with this content.
    fn get(&self, tokens: &[AddedToken], content: &str) -> Option<usize> {
        self.0.find(hash_one(content), |&place| tokens[place].content == content).copied()
    }

    /// Adds the token at a place, whose content is new.
    fn insert(&mut self, tokens: &[AddedToken], place: usize) {
        let hash = |&place: &usize| hash_one(tokens[place].content.as_str());
        self.0.insert_unique(hash(&place), place, hash);
    }
}

/// The finders for the original text and for the normalized text.
#[derive(Debug, Default)]
struct Finders {
    raw: Option<TokenFinder>,
    normalized: Option<TokenFinder>,
    /// For the normalized text: a part of each token that is in the original text too where only spaces change.
    parts: OnceLock<Option<Finder>>,
    /// For the normalized text: what the original text has one of for each token.
    sources: OnceLock<Option<Finder>>,
}

/// A finder with the tokens that it finds.
#[derive(Debug)]
struct TokenFinder {
    finder: Finder,
    /// The indices of its strings in the list of tokens.
    places: Vec<usize>,
    /// Whether a pattern contains white space or a metaspace.
    has_spaces: bool,
    /// Whether a token takes the white space beside it.
    takes_spaces: bool,
}

/// A worker's cache: the finders for the special tokens that were allowed last.
#[derive(Debug, Default)]
pub struct AllowedFinders {
    tokens: Option<TextTokens>,
    names: Vec<String>,
    finders: Option<Finders>,
}

/// The settings of the search for added tokens in one text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AddedTokenSearch<'a> {
    tokens: &'a AddedTokens,
    finders: &'a Finders,
    specials: &'a SpecialsPolicy,
    /// Where untrusted tokens are matched; `None` for the whole text.
    trusted: Option<TrustedRanges<'a>>,
    /// The whole text, for the positions of errors.
    text: &'a str,
}

/// The ranges of the original text in which untrusted tokens are matched, and the finders of all other tokens.
#[derive(Debug, Clone, Copy)]
struct TrustedRanges<'a> {
    ranges: &'a [Span],
    others: &'a Finders,
}

/// The matches in a text: those of `all` tokens in some ranges of it, and those of `others` anywhere.
///
/// Of two matches the leftmost is taken, and of two that start at one byte the longest.
struct MatchesInRanges<'a> {
    text: &'a str,
    ranges: std::slice::Iter<'a, Span>,
    all: Option<&'a TokenFinder>,
    /// The matches of `all` in the range before `ranges`.
    in_range: Option<Matches<'a>>,
    others: Option<(&'a TokenFinder, Matches<'a>)>,
    /// The next match of `all`, and of `others`; `None` once there is no other.
    next: [Option<TokenMatch<'a>>; 2],
}

/// A match, and the finder that found it.
type TokenMatch<'a> = (&'a TokenFinder, Found);

impl AddedTokens {
    /// Returns the tokens, whose ids are final; `normalize` returns the normalized form of a text.
    pub fn new(tokens: Vec<AddedToken>, normalize: impl Fn(&str) -> Result<String>) -> Result<Self> {
        Self::default().of(tokens, normalize)
    }

    /// Returns these tokens, with the settings of `self`, which has none.
    fn of(self, mut tokens: Vec<AddedToken>, normalize: impl Fn(&str) -> Result<String>) -> Result<Self> {
        tokens.sort_by_key(|token| token.id);
        let mut added = self;
        added.by_id.reserve(tokens.len());
        added.by_content = ContentTable(HashTable::with_capacity(tokens.len()));
        added.untrusted.reserve(tokens.len());
        let mut work = Work::default();
        for (place, token) in tokens.iter().enumerate() {
            work.add(1 + token.content.len());
            if token.content.is_empty() {
                return Err(Error::Vocabulary(format!("the added token with the id {} is empty", token.id).into()));
            }
            if added.by_id.insert(token.id, place).is_some() {
                return Err(Error::Vocabulary(format!("two added tokens have the id {}", token.id).into()));
            }
            if added.by_content.get(&tokens, &token.content).is_some() {
                return Err(Error::Vocabulary(format!("{:?} is added twice", shorten(&token.content)).into()));
            }
            added.by_content.insert(&tokens, place);
            if token.normalized {
                let normalized = normalize(&token.content)?;
                if normalized != token.content {
                    added.normalized.insert(token.id, normalized);
                }
            }
        }
        let is_untrusted = |token: &&AddedToken| !added.kept.contains(&token.content) && !is_blank(&token.content);
        let untrusted = tokens.iter().filter(is_untrusted).map(|token| token.id);
        added.untrusted.extend(untrusted);
        added.tokens = tokens;
        added.finders = added.build_finders(|_| true)?;
        if added.controls().next().is_some() {
            added.without_controls = Some(added.build_finders(|token| !token.control)?);
        }
        Ok(added)
    }

    /// Returns the tokens, of which the model finds those with the ids `in_model` unless they are special.
    ///
    /// Untrusted text may spell those in `kept`. With `escapes_spaces`, normalized text has metaspaces for spaces.
    pub(crate) fn for_model(
        tokens: Vec<AddedToken>,
        kept: HashSet<String>,
        normalize: impl Fn(&str) -> Result<String>,
        in_model: impl Fn(u32) -> bool,
        escapes_spaces: bool,
    ) -> Result<Self> {
        let found = tokens.iter().filter(|token| !token.special && in_model(token.id)).map(|token| token.id);
        let in_model = found.collect();
        Self { in_model, kept, escapes_spaces, ..Self::default() }.of(tokens, normalize)
    }

    /// Assigns ids to `new` tokens as the reference library does.
    ///
    /// A token of the vocabulary gets its id, any other the next free one. A token that exists already gets the new
    /// flags.
    #[must_use]
    pub fn numbered(&self, new: Vec<AddedToken>, vocab: &Vocab) -> Vec<AddedToken> {
        let mut tokens = with_room(self.tokens.len() + new.len());
        tokens.extend_from_slice(&self.tokens);
        let (mut places, mut new_ids) = (self.by_id.clone(), HashMap::<String, u32, FixedHasher>::default());
        places.make_room(new.len());
        new_ids.make_room(new.len());
        let size = u32::try_from(vocab.len()).unwrap_or(u32::MAX);
        let last = tokens.iter().map(|token| token.id).max();
        let mut next = last.filter(|&last| last >= size || size == 0).map_or(size, |last| last + 1);
        let mut work = Work::default();
        for mut token in new {
            work.add(1 + token.content.len());
            let known = self.id(&token.content).or_else(|| vocab.id(&token.content));
            let known = known.or_else(|| new_ids.get(&token.content).copied());
            token.id = known.unwrap_or_else(|| {
                next += 1;
                next - 1
            });
            new_ids.insert(token.content.clone(), token.id);
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

    /// Returns the tokens in order of their ids.
    #[must_use]
    pub fn tokens(&self) -> &[AddedToken] {
        &self.tokens
    }

    /// Returns the tokens at which texts are cut: all but those that the model finds in words.
    pub(crate) fn cutting(&self) -> impl Iterator<Item = &AddedToken> {
        self.tokens.iter().filter(|token| !self.in_model.contains(&token.id))
    }

    /// Whether a token takes metaspaces beside it for spaces, if it takes spaces.
    pub(crate) fn takes_metaspaces(&self, token: &AddedToken) -> bool {
        self.escapes_spaces && token.normalized
    }

    /// Returns the special tokens in order of their ids.
    pub fn specials(&self) -> impl Iterator<Item = &AddedToken> {
        self.tokens.iter().filter(|token| token.special)
    }

    /// Returns the control symbols in order of their ids.
    pub fn controls(&self) -> impl Iterator<Item = &AddedToken> {
        self.tokens.iter().filter(|token| token.control)
    }

    /// Returns the tokens with exactly those in `names` as control symbols; each must be a special token.
    pub fn with_controls(&self, names: &[String]) -> Result<Vec<AddedToken>> {
        self.expect_special(names, "control_symbols")?;
        let controls: HashSet<&String> = names.iter().collect();
        let token = |token: &AddedToken| AddedToken { control: controls.contains(&token.content), ..token.clone() };
        Ok(self.tokens.iter().map(token).collect())
    }

    /// Returns the tokens that untrusted text must not spell, in order of their ids.
    pub(crate) fn untrusted(&self) -> impl Iterator<Item = &AddedToken> {
        self.tokens.iter().filter(|token| self.untrusted.contains(&token.id))
    }

    /// Returns whether a token is among those that a text may be forbidden to spell.
    fn includes(&self, tokens: TextTokens, token: &AddedToken) -> bool {
        match tokens {
            TextTokens::Special => token.special,
            TextTokens::Untrusted => self.untrusted.contains(&token.id),
        }
    }

    /// Returns an error if a name is not an added token.
    pub(crate) fn expect_added(&self, names: &[String], what: &str) -> Result<()> {
        let Some(name) = names.iter().find(|name| self.id(name).is_none()) else { return Ok(()) };
        let message = Message::new(format!("{:?} is not among the added tokens", shorten(name)));
        Err(Error::Config(message.hint("tok.added_tokens lists them").setting(what)))
    }

    /// Returns an error if a name is not a special token; `what` describes the list of names.
    fn expect_special(&self, names: &[String], what: &str) -> Result<()> {
        let Some(name) = names.iter().find(|name| !self.is_special(name)) else { return Ok(()) };
        let known: Vec<&str> = self.specials().map(|token| token.content.as_str()).collect();
        Err(Error::Config(Message::new(format!("{name:?} is not among the special tokens, {known:?}")).setting(what)))
    }

    /// Returns the id of the token with this content.
    #[must_use]
    pub fn id(&self, content: &str) -> Option<u32> {
        self.by_content.get(&self.tokens, content).map(|place| self.tokens[place].id)
    }

    /// Returns the decoded form of the token with `id`, which is the form that is matched.
    #[must_use]
    pub fn token(&self, id: u32) -> Option<&str> {
        let place = *self.by_id.get(&id)?;
        Some(self.normalized.get(&id).unwrap_or(&self.tokens[place].content))
    }

    /// Whether this text is that of a special token.
    #[must_use]
    pub fn is_special(&self, token: &str) -> bool {
        self.by_content.get(&self.tokens, token).is_some_and(|place| self.tokens[place].special)
    }

    /// Returns the largest id.
    #[must_use]
    pub fn last_id(&self) -> Option<u32> {
        self.tokens.last().map(|token| token.id)
    }

    /// Returns the entries that the model may produce from text: no special ones if only some are allowed.
    pub(crate) fn entries(&self, specials: &SpecialsPolicy) -> AllowedEntries {
        match specials {
            SpecialsPolicy::Match | SpecialsPolicy::Unmatched => AllowedEntries::All,
            SpecialsPolicy::AsFormat if self.without_controls.is_none() => AllowedEntries::All,
            SpecialsPolicy::AsFormat => AllowedEntries::Ordinary,
            SpecialsPolicy::Text(tokens) | SpecialsPolicy::Error(tokens) | SpecialsPolicy::Allowed(tokens, _) => {
                self.entries_without(*tokens)
            }
        }
    }

    /// Returns whether the model finds tokens in words that untrusted text must not spell.
    pub(crate) fn has_untrusted_in_model(&self) -> bool {
        !self.in_model.is_disjoint(&self.untrusted)
    }

    /// Returns the token with `id`, if the model finds it in words, and untrusted text must not spell it.
    pub(crate) fn untrusted_in_model(&self, id: u32) -> Option<&AddedToken> {
        let is_found = self.in_model.contains(&id) && self.untrusted.contains(&id);
        self.by_id.get(&id).filter(|_| is_found).map(|&place| &self.tokens[place])
    }

    /// Returns the entries without these tokens.
    fn entries_without(&self, tokens: TextTokens) -> AllowedEntries {
        let are_special =
            || self.untrusted.len() == self.specials().count() && self.untrusted().all(|token| token.special);
        if tokens == TextTokens::Special || are_special() {
            AllowedEntries::Ordinary
        } else {
            AllowedEntries::Untrusted
        }
    }

    /// Returns the search for `text`; `allowed` is a cache for the next call.
    pub(crate) fn matching<'a>(
        &'a self,
        text: &'a str,
        specials: &'a SpecialsPolicy,
        allowed: &'a mut AllowedFinders,
    ) -> Result<AddedTokenSearch<'a>> {
        let finders = match specials {
            SpecialsPolicy::Allowed(tokens, names) => self.allow(*tokens, names, allowed)?,
            SpecialsPolicy::AsFormat => self.without_controls.as_ref().unwrap_or(&self.finders),
            SpecialsPolicy::Text(TextTokens::Untrusted) => self.trusted_finders(),
            SpecialsPolicy::Error(TextTokens::Untrusted) => self.refused_finders(),
            SpecialsPolicy::Match
            | SpecialsPolicy::Text(TextTokens::Special)
            | SpecialsPolicy::Unmatched
            | SpecialsPolicy::Error(TextTokens::Special) => &self.finders,
        };
        Ok(AddedTokenSearch { tokens: self, finders, specials, trusted: None, text })
    }

    /// Returns the finders of the allowed tokens alone, so that forbidden tokens do not hide allowed ones inside them.
    fn allow<'a>(&self, tokens: TextTokens, names: &[String], allowed: &'a mut AllowedFinders) -> Result<&'a Finders> {
        if allowed.names != names || allowed.tokens != Some(tokens) {
            allowed.finders = None;
        }
        let finders = match allowed.finders.take() {
            Some(finders) => finders,
            None => {
                match tokens {
                    TextTokens::Special => self.expect_special(names, "specials")?,
                    TextTokens::Untrusted => self.expect_added(names, "specials")?,
                }
                let names: HashSet<&String> = names.iter().collect();
                let is_other = |token: &AddedToken| !self.includes(tokens, token) && !self.in_model.contains(&token.id);
                self.build_all_finders(|token| is_other(token) || names.contains(&token.content))?
            }
        };
        allowed.tokens = Some(tokens);
        allowed.names = names.to_vec();
        Ok(allowed.finders.insert(finders))
    }

    /// Returns the finders of the tokens that untrusted text may spell.
    fn trusted_finders(&self) -> &Finders {
        self.trusted_finders.get_or_init(|| {
            // There is a matcher of all tokens, so there is one of some.
            self.build_finders(|token| !self.untrusted.contains(&token.id)).unwrap_or_default()
        })
    }

    /// Returns the finders that find a token of untrusted text wherever the model would find it, too.
    fn refused_finders(&self) -> &Finders {
        if !self.has_untrusted_in_model() {
            return &self.finders;
        }
        let is_found = |token: &AddedToken| !self.in_model.contains(&token.id) || self.untrusted.contains(&token.id);
        // As above; a few more tokens do not make it too large.
        self.refused_finders.get_or_init(|| self.build_all_finders(is_found).unwrap_or_default())
    }

    /// Builds the finders of the tokens for which `wanted` is true, without those that the model finds.
    fn build_finders(&self, wanted: impl Fn(&AddedToken) -> bool) -> Result<Finders> {
        self.build_all_finders(|token| wanted(token) && !self.in_model.contains(&token.id))
    }

    /// Builds the finders of the tokens for which `wanted` is true.
    fn build_all_finders(&self, wanted: impl Fn(&AddedToken) -> bool) -> Result<Finders> {
        let places = |normalized: bool| {
            let tokens = self.tokens.iter().enumerate();
            tokens
                .filter(|(_, token)| token.normalized == normalized && wanted(token))
                .map(|(place, _)| place)
                .collect()
        };
        let (raw, normalized) = (self.finder(places(false))?, self.finder(places(true))?);
        Ok(Finders { raw, normalized, ..Finders::default() })
    }

    /// Builds the finder of the longest part of each token without spaces and metaspaces, if each has one.
    fn parts_without_spaces(&self, TokenFinder { places, .. }: &TokenFinder) -> Option<Finder> {
        let part = |&place: &usize| {
            let text = self.token(self.tokens[place].id)?;
            text.split([' ', METASPACE]).max_by_key(|part| part.len()).filter(|part| !part.is_empty())
        };
        Finder::new(&places.iter().map(part).collect::<Option<Vec<_>>>()?, TOKENS).ok()
    }

    /// Builds the finder of the tokens at these indices, or none if all are empty.
    fn finder(&self, places: Vec<usize>) -> Result<Option<TokenFinder>> {
        let text = |place: usize| self.token(self.tokens[place].id).unwrap_or_default();
        // A token whose normalized form is empty never matches.
        let places: Vec<usize> = places.into_iter().filter(|&place| !text(place).is_empty()).collect();
        if places.is_empty() {
            return Ok(None);
        }
        let texts: Vec<&str> = places.iter().map(|&place| text(place)).collect();
        let finder = Finder::new(&texts, TOKENS)?;
        let is_space = |c: char| is_space(c) || c == METASPACE;
        let has_spaces = texts.iter().any(|text| text.contains(is_space));
        let takes_spaces = places.iter().any(|&place| self.tokens[place].lstrip || self.tokens[place].rstrip);
        Ok(Some(TokenFinder { finder, places, has_spaces, takes_spaces }))
    }
}

impl<'a> AddedTokenSearch<'a> {
    /// Returns the finder of what a text contains if its normalized form has a token; `None` if that is not known.
    ///
    /// `of` returns the texts of which one of some ASCII characters may be made; it may normalize every character.
    pub(crate) fn sources(self, of: impl FnOnce(&BTreeSet<char>) -> Option<Vec<String>>) -> Option<&'a Finder> {
        let Finders { normalized, sources, .. } = self.finders;
        let find = || {
            let mut characters = BTreeSet::new();
            for &place in &normalized.as_ref()?.places {
                let form = self.tokens.token(self.tokens.tokens[place].id)?;
                // Letters are in most texts, other characters in few.
                let rare = |c: &char| c.is_ascii_graphic() && !c.is_ascii_alphanumeric();
                let c = form.chars().find(rare).or_else(|| form.chars().find(char::is_ascii_graphic))?;
                characters.insert(c);
            }
            let patterns = of(&characters)?;
            if patterns.iter().any(String::is_empty) { None } else { Finder::new(&patterns, TOKENS).ok() }
        };
        sources.get_or_init(find).as_ref()
    }

    /// Returns the search for a segment of the text.
    pub(crate) fn of_segment(self, trust: SegmentTrust<'a>) -> Self {
        let finders = &self.tokens.finders;
        match trust {
            SegmentTrust::AsOptions => self,
            SegmentTrust::Full => Self { specials: &SpecialsPolicy::Match, finders, ..self },
            SegmentTrust::Within(ranges) => {
                let trusted = Some(TrustedRanges { ranges, others: self.tokens.trusted_finders() });
                Self { specials: &SpecialsPolicy::Match, finders, trusted, ..self }
            }
        }
    }

    /// Whether tokens are matched in parts of the text only.
    pub(crate) fn has_ranges(self) -> bool {
        self.trusted.is_some()
    }

    /// Whether any token is matched in the normalized text.
    pub(crate) fn searches_normalized(self) -> bool {
        self.finders.normalized.is_some()
    }

    /// Whether a token may be in the text whose spaces are written as metaspaces; if not, it is in none.
    pub(crate) fn may_be_in(self, text: &str) -> bool {
        let Finders { normalized, parts, .. } = self.finders;
        let parts = parts.get_or_init(|| self.tokens.parts_without_spaces(normalized.as_ref()?));
        parts.as_ref().is_none_or(|parts| parts.is_in(text.as_bytes()))
    }

    /// Whether no token of normalized text contains white space or a metaspace.
    pub(crate) fn has_no_spaces(self) -> bool {
        self.finders.normalized.as_ref().is_none_or(|finder| !finder.has_spaces)
    }

    /// Whether a token of normalized text takes the white space beside it.
    pub(crate) fn takes_spaces(self) -> bool {
        self.finders.normalized.as_ref().is_some_and(|finder| finder.takes_spaces)
    }

    /// Whether an error may need the original position of normalized text.
    pub(crate) fn needs_origin(self) -> bool {
        (matches!(self.specials, SpecialsPolicy::Error(_)) || self.has_ranges()) && self.searches_normalized()
    }

    /// Returns the entries that the model may produce from text.
    pub(crate) fn entries(self) -> AllowedEntries {
        match self.trusted {
            // What the model itself finds in a trusted range is right; elsewhere it is an error.
            Some(_) if self.tokens.has_untrusted_in_model() => AllowedEntries::Ordinary,
            Some(_) => self.tokens.entries_without(TextTokens::Untrusted),
            None => self.tokens.entries(self.specials),
        }
    }

    /// Calls `each` with the parts of a segment of the original text, which begins at byte `base`.
    pub(crate) fn raw<E: From<Error>>(
        self,
        part: &str,
        base: u32,
        each: impl FnMut(TextPart) -> Result<(), E>,
    ) -> Result<(), E> {
        let origin = |at| base as usize + at;
        let all = self.finders.raw.as_ref();
        let Some(TrustedRanges { ranges, others }) = self.trusted else {
            return self.split(find_all(all, part), part, is_space, origin, each);
        };
        let matches = MatchesInRanges::new(part, ranges, all, others.raw.as_ref());
        self.split(matches, part, is_space, origin, each)
    }

    /// Calls `each` with the parts of a normalized text; `origin` maps its bytes to positions in the original.
    pub(crate) fn normalized<E: From<Error>>(
        self,
        text: &str,
        origin: impl Fn(usize) -> usize,
        each: impl FnMut(TextPart) -> Result<(), E>,
    ) -> Result<(), E> {
        let escapes_spaces = self.tokens.escapes_spaces;
        let is_space = |c| is_space(c) || escapes_spaces && c == METASPACE;
        let all = self.finders.normalized.as_ref();
        let Some(TrustedRanges { ranges, others }) = self.trusted else {
            return self.split(find_all(all, text), text, is_space, origin, each);
        };
        let ranges = ranges_of(text, ranges, &origin);
        let matches = MatchesInRanges::new(text, &ranges, all, others.normalized.as_ref());
        self.split(matches, text, is_space, origin, each)
    }

    /// Calls `each` with the parts of `text`: matches, and the text between them.
    fn split<'b, E: From<Error>>(
        self,
        matches: impl Iterator<Item = TokenMatch<'b>>,
        text: &str,
        is_space: impl Fn(char) -> bool,
        origin: impl Fn(usize) -> usize,
        mut each: impl FnMut(TextPart) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut done, mut work) = (0, Work::default());
        for (finder, found) in matches {
            work.add(1 + found.end - found.start);
            let token = &self.tokens.tokens[finder.places[found.string]];
            let Found { mut start, mut end, .. } = found;
            if token.single_word && !stands_alone(text, start..end) {
                continue;
            }
            if !self.takes(token, || origin(start))? {
                continue;
            }
            // Only white space that the token before includes can be before `done`: it is consumed, and not tested
            // again.
            if token.rstrip {
                end = text.len() - text[end.max(done)..].trim_start_matches(&is_space).len();
            }
            if token.lstrip {
                let from = done.min(start);
                start = (from + text[from..start].trim_end_matches(&is_space).len()).max(done).min(end);
            }
            if done < start {
                each(TextPart::Text(Span::new(done, start)))?;
            }
            each(TextPart::Token(token.id, Span::new(start, end)))?;
            done = end;
        }
        if done < text.len() {
            each(TextPart::Text(Span::new(done, text.len())))?;
        }
        Ok(())
    }

    /// Returns whether a token is matched, or an error if it is forbidden.
    fn takes(self, token: &AddedToken, at: impl Fn() -> usize) -> Result<bool> {
        match self.specials {
            SpecialsPolicy::AsFormat | SpecialsPolicy::Match | SpecialsPolicy::Allowed(..) => Ok(true),
            SpecialsPolicy::Text(tokens) => Ok(!self.tokens.includes(*tokens, token)),
            SpecialsPolicy::Unmatched => Ok(!token.special),
            SpecialsPolicy::Error(tokens) if !self.tokens.includes(*tokens, token) => Ok(true),
            SpecialsPolicy::Error(_) => {
                let character = self.text[..at()].chars().count();
                Err(Error::SpecialToken { token: token.content.clone(), is_special: token.special, character })
            }
        }
    }
}

/// Returns the matches in a whole text.
fn find_all<'a>(finder: Option<&'a TokenFinder>, text: &'a str) -> impl Iterator<Item = TokenMatch<'a>> {
    let found = finder.map(|own| own.finder.matches(text.as_bytes()).map(move |found| (own, found)));
    found.into_iter().flatten()
}

/// Returns the ranges of a normalized text whose characters come from one of some ranges of the original.
fn ranges_of(text: &str, ranges: &[Span], origin: impl Fn(usize) -> usize) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    let mut ranges = ranges.iter().map(|range| range.range()).peekable();
    let mut is_open = false;
    for (at, c) in text.char_indices() {
        let (from, end) = (origin(at), at + c.len_utf8());
        // A range that is done is followed by others, which do not touch it.
        while ranges.next_if(|range| range.end <= from).is_some() {
            is_open = false;
        }
        let is_inside =
            |range: &std::ops::Range<usize>| range.contains(&from) && (end == text.len() || origin(end) <= range.end);
        if !ranges.peek().is_some_and(is_inside) {
            is_open = false;
        } else if let Some(last) = found.last_mut().filter(|_| is_open) {
            *last = Span::new(last.range().start, end);
        } else {
            found.push(Span::new(at, end));
            is_open = true;
        }
    }
    found
}

impl<'a> MatchesInRanges<'a> {
    fn new(text: &'a str, ranges: &'a [Span], all: Option<&'a TokenFinder>, others: Option<&'a TokenFinder>) -> Self {
        let others = others.map(|others| (others, others.finder.matches(text.as_bytes())));
        let mut matches = Self { text, ranges: ranges.iter(), all, in_range: None, others, next: [None, None] };
        matches.next = [matches.first_in_ranges(0), matches.first_anywhere(0)];
        matches
    }

    /// Returns the first match of all tokens in the ranges from a byte on.
    fn first_in_ranges(&mut self, from: usize) -> Option<TokenMatch<'a>> {
        let all = self.all?;
        loop {
            if let Some(found) = self.in_range.as_mut().and_then(|matches| matches.first_from(from)) {
                return Some((all, found));
            }
            let range = self.ranges.next()?.range();
            self.in_range = Some(all.finder.matches_in(self.text.as_bytes(), range));
        }
    }

    /// Returns the first match of the other tokens from a byte on.
    fn first_anywhere(&mut self, from: usize) -> Option<TokenMatch<'a>> {
        let (others, matches) = self.others.as_mut()?;
        matches.first_from(from).map(|found| (*others, found))
    }
}

impl<'a> Iterator for MatchesInRanges<'a> {
    type Item = TokenMatch<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = self.next.iter().flatten().min_by_key(|(_, found)| (found.start, std::cmp::Reverse(found.end)));
        let &(finder, found) = first?;
        let is_passed = |next: &TokenMatch<'_>| next.1.start < found.end;
        if self.next[0].as_ref().is_some_and(is_passed) {
            self.next[0] = self.first_in_ranges(found.end);
        }
        if self.next[1].as_ref().is_some_and(is_passed) {
            self.next[1] = self.first_anywhere(found.end);
        }
        Some((finder, found))
    }
}

fn is_space(c: char) -> bool {
    Class::WHITESPACE.contains(c)
}

/// Returns whether a token consists of white space, or of metaspaces, which represent it.
fn is_blank(token: &str) -> bool {
    token.chars().all(|c| is_space(c) || c == METASPACE)
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

    fn split(tokens: &AddedTokens, text: &str, specials: &SpecialsPolicy) -> Result<Vec<String>> {
        let mut found = Vec::new();
        tokens.matching(text, specials, &mut AllowedFinders::default())?.raw(text, 0, |part| {
            found.push(match part {
                TextPart::Text(span) => text[span.range()].to_owned(),
                TextPart::Token(id, span) => format!("<{id}:{}>", &text[span.range()]),
            });
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn leftmost_longest() {
        let found = split(&tokens(|_| {}), "x[A][B]y[B]", &SpecialsPolicy::Match).unwrap();
        assert_eq!(found, ["x", "<1:[A][B]>", "y", "<2:[B]>"]);
    }

    #[test]
    fn flags() {
        let strip = tokens(|token| (token.lstrip, token.rstrip) = (true, true));
        assert_eq!(
            split(&strip, "x  [B] [B] y", &SpecialsPolicy::Match).unwrap(),
            ["x", "<2:  [B] >", "<2:[B] >", "y"]
        );
        let single = tokens(|token| token.single_word = true);
        assert_eq!(split(&single, "x[B] [B]", &SpecialsPolicy::Match).unwrap(), ["x[B] ", "<2:[B]>"]);
        let normalized = tokens(|token| token.normalized = true);
        assert_eq!(split(&normalized, "[B]", &SpecialsPolicy::Match).unwrap(), ["[B]"]);
        assert_eq!(normalized.token(2), Some("[b]"));
    }

    #[test]
    fn specials_as_text_error_or_allowed_list() {
        let tokens = tokens(|_| {});
        assert_eq!(split(&tokens, "x[A]", &SpecialsPolicy::Text(TextTokens::Special)).unwrap(), ["x[A]"]);
        assert_eq!(split(&tokens, "x[A]", &SpecialsPolicy::Unmatched).unwrap(), ["x[A]"]);
        assert!(matches!(
            split(&tokens, "é[A]", &SpecialsPolicy::Error(TextTokens::Special)),
            Err(Error::SpecialToken { character: 1, .. })
        ));
        let only_b = SpecialsPolicy::Allowed(TextTokens::Special, vec!["[B]".to_owned()]);
        assert_eq!(split(&tokens, "[A][B]", &only_b).unwrap(), ["[A]", "<2:[B]>"]);
        assert!(split(&tokens, "", &SpecialsPolicy::Allowed(TextTokens::Special, vec!["[C]".to_owned()])).is_err());
    }

    /// Returns tokens of which `"  "` is blank, `"<k>"` is kept, and `"<tool>"` is not special.
    fn mixed() -> AddedTokens {
        let plain = |id, content: &str| AddedToken { id, content: content.to_owned(), ..AddedToken::default() };
        let tokens = vec![
            AddedToken::special(0, "[A]"),
            plain(1, "<tool>"),
            plain(2, "  "),
            plain(3, "<k>"),
            AddedToken::special(4, "\t"),
            plain(5, "[A]<k>"),
        ];
        let kept = HashSet::from(["<k>".to_owned()]);
        AddedTokens::for_model(tokens, kept, |text| Ok(text.to_owned()), |_| false, false).unwrap()
    }

    #[test]
    fn untrusted_text_spells_blank_and_kept_tokens_alone() {
        let tokens = mixed();
        let text = "[A]<k>  <tool>\t";
        let found = split(&tokens, text, &SpecialsPolicy::Text(TextTokens::Untrusted)).unwrap();
        assert_eq!(found, ["[A]", "<3:<k>>", "<2:  >", "<tool>", "<4:\t>"]);
        let found = split(&tokens, text, &SpecialsPolicy::Text(TextTokens::Special)).unwrap();
        assert_eq!(found, ["<5:[A]<k>>", "<2:  >", "<1:<tool>>", "\t"]);
        let tool = SpecialsPolicy::Allowed(TextTokens::Untrusted, vec!["<tool>".to_owned()]);
        assert_eq!(split(&tokens, text, &tool).unwrap(), ["[A]", "<3:<k>>", "<2:  >", "<1:<tool>>", "<4:\t>"]);
        let unknown = SpecialsPolicy::Allowed(TextTokens::Untrusted, vec!["[B]".to_owned()]);
        assert!(split(&tokens, "", &unknown).is_err());
    }

    #[test]
    fn untrusted_tokens_are_errors() {
        let refused = SpecialsPolicy::Error(TextTokens::Untrusted);
        let tokens = mixed();
        let error = |text| split(&tokens, text, &refused).unwrap_err().to_string();
        assert!(error("  <tool>").starts_with("the text holds the added token \"<tool>\" at character 2; "));
        assert!(error("é[A]").starts_with("the text holds the special token \"[A]\" at character 1; "));
        assert_eq!(split(&tokens, "  <k>", &refused).unwrap(), ["<2:  >", "<3:<k>>"]);
        let single = self::tokens(|token| token.single_word = true);
        assert_eq!(split(&single, "x[B]", &refused).unwrap(), ["x[B]"], "within a word it is no match");
    }

    #[test]
    fn tokens_that_the_model_finds_are_refused_too() {
        let plain = |id, content: &str| AddedToken { id, content: content.to_owned(), ..AddedToken::default() };
        let tokens = vec![plain(0, "<s>"), plain(1, "<t>")];
        let tokens =
            AddedTokens::for_model(tokens, HashSet::new(), |text| Ok(text.to_owned()), |id| id == 0, false).unwrap();
        let untrusted = TextTokens::Untrusted;
        assert_eq!(split(&tokens, "<s><t>", &SpecialsPolicy::Match).unwrap(), ["<s>", "<1:<t>>"]);
        assert_eq!(split(&tokens, "<s><t>", &SpecialsPolicy::Text(untrusted)).unwrap(), ["<s><t>"]);
        assert!(split(&tokens, "<s>", &SpecialsPolicy::Error(untrusted)).is_err());
        let allowed = SpecialsPolicy::Allowed(untrusted, vec!["<s>".to_owned()]);
        assert_eq!(split(&tokens, "<s><t>", &allowed).unwrap(), ["<0:<s>>", "<t>"]);
    }

    /// Returns the parts of a text of which some ranges are trusted, before and after normalization to lower case.
    fn split_within(tokens: &AddedTokens, text: &str, ranges: &[(usize, usize)]) -> [Vec<String>; 2] {
        let ranges: Vec<Span> = ranges.iter().map(|&(start, end)| Span::new(start, end)).collect();
        let (specials, mut allowed) = (SpecialsPolicy::default(), AllowedFinders::default());
        let search = tokens.matching(text, &specials, &mut allowed).unwrap();
        let search = search.of_segment(SegmentTrust::Within(&ranges));
        let shown = |text: &str, part| match part {
            TextPart::Text(span) => text[span.range()].to_owned(),
            TextPart::Token(id, span) => format!("<{id}:{}>", &text[span.range()]),
        };
        let [mut raw, mut normalized] = [Vec::new(), Vec::new()];
        let lower = text.to_ascii_lowercase();
        let push = |parts: &mut Vec<String>, part| {
            parts.push(part);
            Ok::<(), Error>(())
        };
        search.raw(text, 0, |part| push(&mut raw, shown(text, part))).unwrap();
        search.normalized(&lower, |at| at, |part| push(&mut normalized, shown(&lower, part))).unwrap();
        [raw, normalized]
    }

    #[test]
    fn tokens_are_matched_in_trusted_ranges_alone() {
        let tokens = mixed();
        let raw = |text: &str, ranges: &[(usize, usize)]| split_within(&tokens, text, ranges)[0].clone();
        let text = "[A]<tool>[A]";
        assert_eq!(raw(text, &[]), [text]);
        assert_eq!(raw(text, &[(0, 3)]), ["<0:[A]>", "<tool>[A]"]);
        assert_eq!(raw(text, &[(0, 3), (9, 12)]), ["<0:[A]>", "<tool>", "<0:[A]>"]);
        assert_eq!(raw(text, &[(0, 12)]), ["<0:[A]>", "<1:<tool>>", "<0:[A]>"]);
        assert_eq!(raw("[A]", &[(0, 2)]), ["[A]"], "a token across the border is text");
        assert_eq!(raw("[A]", &[(1, 3)]), ["[A]"]);
        assert_eq!(raw("x  y", &[(0, 2)]), ["x", "<2:  >", "y"], "unless untrusted text may spell it");
        assert_eq!(
            raw("[A]<k>", &[(0, 3)]),
            ["<0:[A]>", "<3:<k>>"],
            "a longer one across the border hides no shorter one"
        );
        assert_eq!(raw("[A]<k>", &[(0, 6)]), ["<5:[A]<k>>"]);
        assert_eq!(raw("[A]<k>", &[(3, 6)]), ["[A]", "<3:<k>>"]);
    }

    #[test]
    fn normalized_tokens_are_matched_in_trusted_ranges_alone() {
        let tokens = tokens(|token| token.normalized = true);
        let normalized = |text: &str, ranges: &[(usize, usize)]| split_within(&tokens, text, ranges)[1].clone();
        assert_eq!(normalized("[B]x[B]", &[]), ["[b]x[b]"]);
        assert_eq!(normalized("[B]x[B]", &[(4, 7)]), ["[b]x", "<2:[b]>"]);
        assert_eq!(normalized("[A][B]", &[(0, 3)]), ["<0:[a]>", "[b]"], "nor hides a longer one across the border");
        assert_eq!(normalized("[A][B]", &[(0, 5)]), ["<0:[a]>", "[b]"]);
        assert_eq!(normalized("[A][B]", &[(0, 6)]), ["<1:[a][b]>"]);
        assert_eq!(normalized("[A][B]", &[(0, 3), (3, 6)]), ["<0:[a]>", "<2:[b]>"]);
    }

    #[test]
    fn ranges_of_normalized_texts_have_whole_characters() {
        let ranges = [Span::new(1, 3)];
        // Each byte of the normalized text comes from the byte at half its place.
        let half = |at: usize| at / 2;
        assert_eq!(ranges_of("abcdefgh", &ranges, half), [Span::new(2, 6)]);
        assert_eq!(ranges_of("", &ranges, half), []);
        // A character that comes from more than the range is not in it.
        let origin = |at: usize| [0, 1, 4][at.min(2)];
        assert_eq!(ranges_of("abc", &ranges, origin), []);
    }

    #[test]
    fn control_symbols_are_text_by_default() {
        let control = tokens(|token| token.control = token.content != "[B]");
        assert_eq!(
            split(&control, "[A][B]", &SpecialsPolicy::AsFormat).unwrap(),
            ["[A]", "<2:[B]>"],
            "nor do they hide others"
        );
        assert_eq!(split(&control, "[A][B]", &SpecialsPolicy::Match).unwrap(), ["<1:[A][B]>"]);
        let of = |specials: &SpecialsPolicy, tokens: &AddedTokens| {
            tokens.matching("", specials, &mut AllowedFinders::default()).unwrap().entries()
        };
        assert_eq!(of(&SpecialsPolicy::AsFormat, &control), AllowedEntries::Ordinary);
        assert_eq!(of(&SpecialsPolicy::AsFormat, &tokens(|_| {})), AllowedEntries::All);
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
