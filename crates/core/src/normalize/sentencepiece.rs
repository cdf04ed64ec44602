//! The normalization of a `SentencePiece` model, equal to that of the library, not of `tokenizers`.
//!
//! **Rules.** The text is processed from left to right. Where a user-defined symbol begins, the longest one is kept
//! unchanged; otherwise the *longest* matching rule is applied; otherwise one character is kept. Then repeated spaces
//! and those at the ends are removed, a space is added before (or after) the text, and each space is written as `▁`. A
//! text that only consists of removed spaces becomes empty, without an added space.

use std::sync::Arc;

use super::{Normalized, Normalizer, Precompiled};
use crate::error::{Error, Result};
use crate::settings::METASPACE;
use crate::stop::Work;
use crate::strings::{Finder, Found, Matches};
use crate::text::pattern::Pattern;
use crate::text::span::Span;
use crate::text::unicode::CharSet;

pub(crate) use crate::settings::METASPACE_TEXT as SPACE;

/// The normalizer.
#[derive(Debug)]
pub struct SentencePiece {
    settings: SentencePieceSettings,
    symbols: Option<Finder>,
}

/// The normalization settings of a model's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentencePieceSettings {
    /// The compiled rules; `None` leaves characters unchanged.
    pub precompiled_charsmap: Option<Arc<Precompiled>>,
    /// Whether a space is added before the text.
    pub add_dummy_prefix: bool,
    /// Whether repeated spaces become one, and those at the ends are removed.
    pub remove_extra_whitespaces: bool,
    /// Whether spaces are written as `▁`.
    pub escape_whitespaces: bool,
    /// Whether the space is added after the text instead.
    pub treat_whitespace_as_suffix: bool,
    /// The symbols that no rule changes.
    pub user_defined_symbols: Vec<String>,
}

impl SentencePieceSettings {
    /// Returns the normalizers without rules that components of `tokenizers` equal, and their settings.
    fn components() -> [(Option<Normalizer>, Self); 3] {
        let plain = |add_dummy_prefix, escape_whitespaces| Self {
            precompiled_charsmap: None,
            add_dummy_prefix,
            remove_extra_whitespaces: false,
            escape_whitespaces,
            treat_whitespace_as_suffix: false,
            user_defined_symbols: Vec::new(),
        };
        let escape = Normalizer::Replace { pattern: Pattern::literal(" "), content: SPACE.to_owned() };
        let prefix_and_escape = Normalizer::Sequence(vec![Normalizer::Prepend(SPACE.to_owned()), escape.clone()]);
        [(None, plain(false, false)), (Some(escape), plain(false, true)), (Some(prefix_and_escape), plain(true, true))]
    }

    /// Returns the settings that normalize as `normalizer` does: one of these, or the components of a plain model.
    #[must_use]
    pub fn of(normalizer: Option<&Normalizer>) -> Option<Self> {
        if let Some(Normalizer::SentencePiece(own)) = normalizer {
            return Some(own.settings().clone());
        }
        Self::components().into_iter().find_map(|(own, settings)| (own.as_ref() == normalizer).then_some(settings))
    }

    /// Returns the normalizer: components of `tokenizers` if they normalize alike, `None` if nothing changes.
    pub fn into_normalizer(self) -> Result<Option<Normalizer>> {
        match Self::components().into_iter().find(|(_, settings)| *settings == self) {
            Some((normalizer, _)) => Ok(normalizer),
            None => Ok(Some(Normalizer::SentencePiece(SentencePiece::new(self)?.into()))),
        }
    }
}

impl PartialEq for SentencePiece {
    fn eq(&self, other: &Self) -> bool {
        self.settings == other.settings
    }
}

impl Eq for SentencePiece {}

impl SentencePiece {
    /// Returns the normalizer with these settings.
    pub fn new(settings: SentencePieceSettings) -> Result<Self> {
        let symbols = &settings.user_defined_symbols;
        if symbols.iter().any(String::is_empty) {
            return Err(Error::Config("a user-defined symbol is empty".into()));
        }
        let finder = || Finder::new(symbols, "the user-defined symbols");
        let symbols = if symbols.is_empty() { None } else { Some(finder()?) };
        Ok(Self { settings, symbols })
    }

    /// Returns the settings.
    #[must_use]
    pub fn settings(&self) -> &SentencePieceSettings {
        &self.settings
    }

    /// Returns the form in which an added token is matched: without an added space, and without removal of spaces.
    ///
    /// A symbol is matched literally, so one with a space is found only if spaces are not escaped.
    #[must_use]
    pub fn form_of(&self, token: &str) -> String {
        if self.symbols_in(token).at(0) == Some(token.len()) {
            return token.to_owned();
        }
        self.chunks(token, false).map(|(_, content)| content.replace(' ', self.space())).collect()
    }

    /// Returns the same normalization with a space put before the text, or without.
    pub(super) fn with_prefix(&self, add_dummy_prefix: bool) -> Result<Self> {
        Self::new(SentencePieceSettings { add_dummy_prefix, ..self.settings().clone() })
    }

    /// Returns the characters that it writes for texts of these characters.
    pub(super) fn written_of(&self, from: &CharSet) -> CharSet {
        let settings = self.settings();
        let written = settings.precompiled_charsmap.as_ref().map(|rules| rules.written_of(from));
        let symbols = settings.user_defined_symbols.iter().flat_map(|symbol| symbol.chars());
        let prefix = settings.add_dummy_prefix.then_some(' ');
        let all = written.as_ref().unwrap_or(from).iter().chain(symbols).chain(prefix);
        all.map(|c| if c == ' ' && settings.escape_whitespaces { METASPACE } else { c }).collect()
    }

    pub(super) fn normalize(&self, text: &mut Normalized, spare: &mut Normalized) -> Result<()> {
        spare.restart(text);
        self.write(text, spare)?;
        std::mem::swap(text, spare);
        Ok(())
    }

    fn write(&self, from: &Normalized, to: &mut Normalized) -> Result<()> {
        let settings = self.settings();
        let mut rest = self.chunks(from.text(), !from.is_aligned()).peekable();
        if settings.remove_extra_whitespaces {
            while rest.next_if(|(_, content)| *content == " ").is_some() {}
        }
        let Some(&(first, _)) = rest.peek() else { return Ok(()) };
        if settings.add_dummy_prefix && !settings.treat_whitespace_as_suffix {
            to.push_str(self.space(), from.origin(first));
        }
        let mut after_space = settings.remove_extra_whitespaces;
        let mut last = first;
        for (span, content) in rest {
            let kept = if after_space { content.trim_start_matches(' ') } else { content };
            self.push(to, kept, from.origin(span));
            to.check_growth(to.text().len())?;
            after_space = settings.remove_extra_whitespaces && (kept.ends_with(' ') || after_space && kept.is_empty());
            last = span;
        }
        if settings.remove_extra_whitespaces {
            to.truncate(to.text().trim_end_matches(self.space()).len());
        }
        if settings.add_dummy_prefix && settings.treat_whitespace_as_suffix {
            to.push_str(self.space(), from.origin(last));
        }
        Ok(())
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

    /// Divides the text into symbols, rules and single characters, each with its replacement.
    ///
    /// With `runs` also into runs of unchanged characters, which share one span.
    fn chunks<'a>(&'a self, text: &'a str, runs: bool) -> impl Iterator<Item = (Span, &'a str)> {
        let (mut at, mut symbols, mut work) = (0, self.symbols_in(text), Work::default());
        std::iter::from_fn(move || {
            let rest = &text[at..];
            let run = if runs { self.unchanged(rest) } else { 0 };
            let (length, content) = if run > 0 { (run, None) } else { self.first(rest, symbols.at(at))? };
            let chunk = (Span::new(at, at + length), content.unwrap_or(&rest[..length]));
            at += length;
            work.add(length);
            Some(chunk)
        })
    }

    /// Returns the length in bytes of the characters at the start of a text that do not change and are no spaces.
    fn unchanged(&self, text: &str) -> usize {
        let rules = self.settings().precompiled_charsmap.as_ref();
        let changed = rules.and_then(|rules| rules.changed_characters());
        if self.symbols.is_some() || rules.is_some() && changed.is_none() {
            return 0;
        }
        let mut before = 0;
        for (at, c) in text.char_indices() {
            if changed.is_some_and(|changed| changed.contains(c)) {
                // A rule may begin with the character before.
                return before;
            }
            if c == ' ' {
                return at;
            }
            before = at;
        }
        text.len()
    }

    /// Returns the length in bytes of the section at the start of a text, and its replacement if it changes.
    ///
    /// `symbol` is the length of the symbol there; `None` at the end of a text.
    fn first<'a>(&'a self, text: &'a str, symbol: Option<usize>) -> Option<(usize, Option<&'a str>)> {
        let character = text.chars().next()?.len_utf8();
        if let Some(symbol) = symbol {
            return Some((symbol, None));
        }
        let rule = self.settings().precompiled_charsmap.as_ref().and_then(|rules| rules.longest_rule(text));
        Some(rule.map_or((character, None), |(length, content)| (length, Some(content))))
    }

    /// Returns the symbols in a text.
    fn symbols_in<'a>(&'a self, text: &'a str) -> Symbols<'a> {
        let mut matches = self.symbols.as_ref().map(|symbols| symbols.matches(text.as_bytes()));
        Symbols { next: matches.as_mut().and_then(|matches| matches.first_from(0)), matches }
    }
}

/// The symbols of a text that is read from left to right.
struct Symbols<'a> {
    matches: Option<Matches<'a>>,
    /// The first symbol from the last place on.
    next: Option<Found>,
}

impl Symbols<'_> {
    /// Returns the length in bytes of the longest symbol at a place, which never decreases.
    fn at(&mut self, at: usize) -> Option<usize> {
        if self.next.is_some_and(|found| found.start < at) {
            self.next = self.matches.as_mut().and_then(|matches| matches.first_from(at));
        }
        self.next.filter(|found| found.start == at).map(|found| found.end - at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(change: impl Fn(&mut SentencePieceSettings), text: &str) -> (String, Vec<(u32, u32)>) {
        let mut settings = SentencePieceSettings {
            precompiled_charsmap: None,
            add_dummy_prefix: true,
            remove_extra_whitespaces: true,
            escape_whitespaces: true,
            treat_whitespace_as_suffix: false,
            user_defined_symbols: vec!["<  >".to_owned(), "<".to_owned()],
        };
        change(&mut settings);
        let (mut normalized, mut spare) = <(Normalized, Normalized)>::default();
        normalized.start(text, 0, true);
        SentencePiece::new(settings).unwrap().normalize(&mut normalized, &mut spare).unwrap();
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
    fn settings_have_their_effect() {
        assert_eq!(normalized(|settings| settings.remove_extra_whitespaces = false, " a  ").0, "▁▁a▁▁");
        assert_eq!(normalized(|settings| settings.treat_whitespace_as_suffix = true, " a ").0, "a▁");
        assert_eq!(normalized(|settings| settings.escape_whitespaces = false, "a  b").0, " a b");
        assert_eq!(normalized(|settings| settings.add_dummy_prefix = false, " a").0, "a");
    }

    #[test]
    fn runs_of_unchanged_characters_change_nothing() {
        let parts =
            ["a", "b", " ", "  ", "，", "中", "文", "①", "e\u{301}", "\u{301}", "ﬁ", "\n", "ｶ", "ﾞ", "\u{200b}", "▁"];
        let rules = Precompiled::named("nmt_nfkc").unwrap().map(Arc::new);
        for flags in 0..8 {
            let settings = SentencePieceSettings {
                precompiled_charsmap: rules.clone().filter(|_| flags & 1 > 0),
                remove_extra_whitespaces: flags & 2 > 0,
                escape_whitespaces: flags & 4 > 0,
                ..normalized_settings()
            };
            let own = SentencePiece::new(settings).unwrap();
            for number in 0..parts.len().pow(3) {
                let places = (0..3).map(|place| number / parts.len().pow(place) % parts.len());
                let text: String = places.map(|place| parts[place]).collect();
                let forms = [false, true].map(|aligned| {
                    let (mut normalized, mut spare) = <(Normalized, Normalized)>::default();
                    normalized.start(&text, 0, aligned);
                    own.normalize(&mut normalized, &mut spare).unwrap();
                    normalized.text().to_owned()
                });
                assert_eq!(forms[0], forms[1], "{text:?}");
            }
        }
    }

    #[test]
    fn inserted_space_has_the_origin_of_the_next_character() {
        assert_eq!(normalized(|_| (), " a  b").1, [(1, 2), (1, 2), (2, 3), (4, 5)]);
    }

    #[test]
    fn an_empty_symbol_is_an_error() {
        let settings = SentencePieceSettings { user_defined_symbols: vec![String::new()], ..normalized_settings() };
        assert!(SentencePiece::new(settings).is_err());
    }

    fn normalized_settings() -> SentencePieceSettings {
        SentencePieceSettings {
            precompiled_charsmap: None,
            add_dummy_prefix: false,
            remove_extra_whitespaces: false,
            escape_whitespaces: false,
            treat_whitespace_as_suffix: false,
            user_defined_symbols: Vec::new(),
        }
    }
}
