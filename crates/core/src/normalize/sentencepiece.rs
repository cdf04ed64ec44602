//! The normalization of a `SentencePiece` model, as that library does it and not as `tokenizers` does.
//!
//! **Rules.** The text is taken from left to right. Where a symbol of the user's begins, the longest of them stays as it
//! is; else the *longest* rule that fits is applied; else one character stays. Then spaces are removed where more than
//! one would follow another or where the text begins or ends, one is put before the text (or behind it), and each is
//! written as `▁`. A text that has nothing but spaces to remove becomes empty, without the space before it.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};

use super::locality::{Locality, Metaspaces};
use super::{Normalized, Precompiled};
use crate::error::{Error, Result};
use crate::text::span::Span;

pub(crate) use crate::settings::METASPACE_TEXT as SPACE;

/// The normalization; cheap to clone.
#[derive(Debug, Clone)]
pub struct SentencePiece(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: SentencePieceSettings,
    symbols: Option<AhoCorasick>,
}

/// What a model's file says of its normalization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentencePieceSettings {
    /// The compiled rules; without any, characters stay as they are.
    pub rules: Option<Precompiled>,
    /// A space is put before the text.
    pub add_dummy_prefix: bool,
    /// Of spaces in a row one stays, and none at the ends.
    pub remove_extra_whitespaces: bool,
    /// Spaces are written as `▁`.
    pub escape_whitespaces: bool,
    /// The space goes behind the text.
    pub treat_whitespace_as_suffix: bool,
    /// No rule changes what lies in one of these.
    pub user_defined_symbols: Vec<String>,
}

impl PartialEq for SentencePiece {
    fn eq(&self, other: &Self) -> bool {
        self.0.settings == other.0.settings
    }
}

impl Eq for SentencePiece {}

impl SentencePiece {
    /// The normalization with these settings.
    pub fn new(settings: SentencePieceSettings) -> Result<Self> {
        let symbols = &settings.user_defined_symbols;
        if symbols.iter().any(String::is_empty) {
            return Err(Error::Config("a user-defined symbol is empty".to_owned()));
        }
        let finder = || {
            let mut builder = AhoCorasick::builder();
            builder.match_kind(MatchKind::LeftmostLongest).start_kind(StartKind::Anchored);
            builder.build(symbols).map_err(|error| Error::Config(format!("too many user-defined symbols: {error}")))
        };
        let symbols = if symbols.is_empty() { None } else { Some(finder()?) };
        Ok(Self(Arc::new(Inner { settings, symbols })))
    }

    /// What it was made with.
    #[must_use]
    pub fn settings(&self) -> &SentencePieceSettings {
        &self.0.settings
    }

    /// The form in which an added token is sought: nothing is put before it, and no space is removed.
    ///
    /// A symbol is sought as it stands, so one with a space is found only where spaces are not escaped.
    #[must_use]
    pub fn form_of(&self, token: &str) -> String {
        if self.symbol(token, 0) == Some(token.len()) {
            return token.to_owned();
        }
        self.chunks(token).map(|chunk| chunk.content.replace(' ', self.space())).collect()
    }

    /// Returns the same normalization with a space put before the text, or without.
    pub(super) fn with_prefix(&self, add_dummy_prefix: bool) -> Result<Self> {
        Self::new(SentencePieceSettings { add_dummy_prefix, ..self.settings().clone() })
    }

    pub(super) fn locality(&self) -> Locality<'_> {
        Locality { metaspaces: Metaspaces::of_sentencepiece(self), ..Locality::default() }
    }

    pub(super) fn normalize(&self, text: &mut Normalized, spare: &mut Normalized) {
        spare.restart(text);
        self.write(text, spare);
        std::mem::swap(text, spare);
    }

    fn write(&self, from: &Normalized, to: &mut Normalized) {
        let settings = self.settings();
        let mut rest = self.chunks(from.text()).peekable();
        if settings.remove_extra_whitespaces {
            while rest.next_if(|chunk| chunk.content == " ").is_some() {}
        }
        let Some(first) = rest.peek() else { return };
        if settings.add_dummy_prefix && !settings.treat_whitespace_as_suffix {
            to.push_str(self.space(), from.origin(first.span));
        }
        let mut after_space = settings.remove_extra_whitespaces;
        let mut last = first.span;
        for Chunk { span, content } in rest {
            let kept = if after_space { content.trim_start_matches(' ') } else { content };
            self.push(to, kept, from.origin(span));
            after_space = settings.remove_extra_whitespaces && (kept.ends_with(' ') || after_space && kept.is_empty());
            last = span;
        }
        if settings.remove_extra_whitespaces {
            to.truncate(to.text().trim_end_matches(self.space()).len());
        }
        if settings.add_dummy_prefix && settings.treat_whitespace_as_suffix {
            to.push_str(self.space(), from.origin(last));
        }
    }

    fn push(&self, to: &mut Normalized, content: &str, origin: Span) {
        for (number, part) in content.split(' ').enumerate() {
            if number > 0 {
                to.push_str(self.space(), origin);
            }
            to.push_str(part, origin);
        }
    }

    fn space(&self) -> &'static str {
        if self.settings().escape_whitespaces { SPACE } else { " " }
    }

    /// The text in chunks that symbols, rules or single characters cover.
    fn chunks<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Chunk<'a>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = &text[at..];
            let (length, content) = self.first(text, at)?;
            let chunk = Chunk { span: Span::new(at, at + length), content: content.unwrap_or(&rest[..length]) };
            at += length;
            Some(chunk)
        })
    }

    /// How many bytes the first chunk from `at` on has, and what it becomes if it changes; `None` at the end.
    fn first<'a>(&'a self, text: &'a str, at: usize) -> Option<(usize, Option<&'a str>)> {
        let character = text[at..].chars().next()?.len_utf8();
        if let Some(symbol) = self.symbol(text, at) {
            return Some((symbol, None));
        }
        let rule = self.settings().rules.as_ref().and_then(|rules| rules.longest_rule(&text[at..]));
        Some(rule.map_or((character, None), |(length, content)| (length, Some(content))))
    }

    /// The bytes of the longest symbol that stands at `at`.
    fn symbol(&self, text: &str, at: usize) -> Option<usize> {
        let input = Input::new(text).range(at..).anchored(Anchored::Yes);
        let found = self.0.symbols.as_ref()?.try_find(input).expect("a search from one place was asked for");
        found.map(|found| found.len())
    }
}

/// A stretch of the text, and what becomes of it.
struct Chunk<'a> {
    span: Span,
    content: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(change: impl Fn(&mut SentencePieceSettings), text: &str) -> (String, Vec<(u32, u32)>) {
        let mut settings = SentencePieceSettings {
            rules: None,
            add_dummy_prefix: true,
            remove_extra_whitespaces: true,
            escape_whitespaces: true,
            treat_whitespace_as_suffix: false,
            user_defined_symbols: vec!["<  >".to_owned(), "<".to_owned()],
        };
        change(&mut settings);
        let (mut normalized, mut spare) = <(Normalized, Normalized)>::default();
        normalized.start(text, 0, true);
        SentencePiece::new(settings).unwrap().normalize(&mut normalized, &mut spare);
        let starts = normalized.text().char_indices().map(|(at, c)| Span::new(at, at + c.len_utf8()));
        let origins = starts.map(|span| normalized.original(span)).map(|span| (span.start, span.end)).collect();
        (normalized.text().to_owned(), origins)
    }

    #[test]
    fn spaces_are_removed_and_written() {
        let text = |text| normalized(|_| (), text).0;
        assert_eq!(text("  a  b "), "▁a▁b");
        assert_eq!(text("   "), "");
        assert_eq!(text(""), "");
        assert_eq!(text("a▁▁"), "▁a");
        assert_eq!(text("a <  > b"), "▁a▁<▁▁>▁b");
    }

    #[test]
    fn settings_do_what_they_say() {
        assert_eq!(normalized(|settings| settings.remove_extra_whitespaces = false, " a  ").0, "▁▁a▁▁");
        assert_eq!(normalized(|settings| settings.treat_whitespace_as_suffix = true, " a ").0, "a▁");
        assert_eq!(normalized(|settings| settings.escape_whitespaces = false, "a  b").0, " a b");
        assert_eq!(normalized(|settings| settings.add_dummy_prefix = false, " a").0, "a");
    }

    #[test]
    fn what_is_put_before_comes_from_what_follows() {
        assert_eq!(normalized(|_| (), " a  b").1, [(1, 2), (1, 2), (2, 3), (4, 5)]);
    }

    #[test]
    fn an_empty_symbol_is_refused() {
        let settings = SentencePieceSettings { user_defined_symbols: vec![String::new()], ..normalized_settings() };
        assert!(SentencePiece::new(settings).is_err());
    }

    fn normalized_settings() -> SentencePieceSettings {
        SentencePieceSettings {
            rules: None,
            add_dummy_prefix: false,
            remove_extra_whitespaces: false,
            escape_whitespaces: false,
            treat_whitespace_as_suffix: false,
            user_defined_symbols: Vec::new(),
        }
    }
}
