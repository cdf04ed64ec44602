//! Finds added tokens that are matched in normalized text, without normalizing most texts.
//!
//! A token of normalized text is reported where the generic path finds one. Where that is not known without
//! normalizing, the range alone takes the generic path.

use std::collections::BTreeSet;

use super::{Failed, Result, UnchangedCharacters};
use crate::added::{AddedTokenSearch, TextPart};
use crate::normalize::Normalized;
use crate::normalize::locality::CharacterChanges;
use crate::splitter::WordSplitter;
use crate::text::span::Span;
use crate::text::unicode::Class;

/// The buffers of normal forms.
#[derive(Debug, Default)]
pub(crate) struct NormalizedTokenBuffers {
    ascii: String,
    normalized: (Normalized, Normalized),
}

impl NormalizedTokenBuffers {
    /// Returns the largest capacity of a buffer.
    pub(crate) fn capacity(&self) -> usize {
        self.ascii.capacity().max(self.normalized.0.capacity()).max(self.normalized.1.capacity())
    }
}

/// The texts whose added tokens are found without normalizing them, by the normalizer of a tokenizer.
#[derive(Debug)]
pub(crate) struct NormalizedTokenSearch {
    /// The characters that it does not change, if these are known.
    unchanged: Option<UnchangedCharacters>,
    /// Its changes, if it maps each character by itself.
    characters: Option<CharacterChanges>,
    /// Whether it only writes metaspaces.
    writes_metaspaces: bool,
}

impl NormalizedTokenSearch {
    /// Returns what is known of the normal forms of a splitter.
    pub(crate) fn of(splitter: &WordSplitter) -> Self {
        let locality = splitter.locality();
        Self {
            unchanged: UnchangedCharacters::of(splitter),
            characters: locality.and_then(|locality| locality.characters),
            writes_metaspaces: locality
                .and_then(|locality| locality.metaspaces)
                .is_some_and(|spaces| spaces.keeps_characters()),
        }
    }

    /// Returns whether no line of a text has a token, if that is known without normalizing the text; otherwise false.
    pub(crate) fn excludes(
        &self,
        search: AddedTokenSearch<'_>,
        lines: &str,
        buffers: &mut NormalizedTokenBuffers,
    ) -> bool {
        let finds_none = |text: &str| !finds_any(|each| search.normalized(text, |at| at, each));
        if self.unchanged.as_ref().is_some_and(|unchanged| unchanged.contains(lines)) {
            return finds_none(lines);
        }
        if self.writes_metaspaces {
            return !search.may_be_in(lines);
        }
        self.characters.is_some_and(|changes| fill_ascii(lines, changes, &mut buffers.ascii))
            && finds_none(&buffers.ascii)
    }

    /// Returns the texts of which the normalizer may make one of some ASCII characters; `None` if they are not known.
    fn sources(&self, splitter: &WordSplitter, characters: &BTreeSet<char>) -> Option<Vec<String>> {
        if let Some(rules) = splitter.locality()?.only_rules() {
            let mut sources: Vec<String> = characters.iter().map(char::to_string).collect();
            for (rules, &c) in rules.iter().flat_map(|rules| characters.iter().map(move |c| (rules, c))) {
                sources.extend(rules.sources(c)?);
            }
            return Some(sources);
        }
        self.characters?;
        let mut sources = Vec::new();
        for source in ('\0'..=char::MAX).filter(|&source| source.is_ascii() || Class::MAY_CHANGE_NFKD.contains(source))
        {
            let source = source.to_string();
            if splitter.normalize(&source).ok()?.contains(|c| characters.contains(&c)) {
                sources.push(source);
            }
        }
        Some(sources)
    }
}

/// Splits texts at added tokens.
pub(crate) struct AddedTokenSplitter<'a> {
    /// The search in normalized text, if tokens are matched there.
    pub(crate) known: Option<&'a NormalizedTokenSearch>,
    pub(crate) splitter: &'a WordSplitter,
    pub(crate) buffers: &'a mut NormalizedTokenBuffers,
}

impl AddedTokenSplitter<'_> {
    /// Calls `each` with the parts of a text: tokens, and the text between them.
    ///
    /// With each part come the text whose bytes it counts, and its first byte in the input; `base` is that of the text. The text
    /// of a part is the original, or a normal form in which every character has the place that it has in the original.
    /// `is_separate` says whether what is before and after a byte of a text can be encoded separately.
    pub(crate) fn split(
        mut self,
        search: AddedTokenSearch<'_>,
        (text, base): (&str, u32),
        is_separate: impl Fn(&str, usize) -> bool,
        mut each: impl FnMut(&str, u32, NormalizedTokenPart) -> Result<()>,
    ) -> Result<()> {
        let known = self.known.filter(|_| search.searches_normalized());
        search.raw(text, base, |found| match (found, known) {
            (TextPart::Text(span), Some(known)) => {
                let (plain, base) = (&text[span.range()], base + span.start);
                let is_separate = |at| is_separate(plain, at);
                self.parts(known, search, (plain, base), is_separate, |form, found| each(form, base, found))
            }
            (TextPart::Text(span), None) => {
                let whole = TextPart::Text(Span::new(0, span.range().len()));
                each(&text[span.range()], base + span.start, NormalizedTokenPart::Known(whole))
            }
            (token, _) => each(text, base, NormalizedTokenPart::Known(token)),
        })
    }

    /// Calls `each` with the parts of a text without tokens of the original text.
    ///
    /// See [`Self::split`]; `base` is the first byte of the text in the input.
    fn parts(
        &mut self,
        known: &NormalizedTokenSearch,
        search: AddedTokenSearch<'_>,
        (text, base): (&str, u32),
        is_separate: impl Fn(usize) -> bool,
        mut each: impl FnMut(&str, NormalizedTokenPart) -> Result<()>,
    ) -> Result<()> {
        let origin = |at| base as usize + at;
        let whole = Span::new(0, text.len());
        if known.unchanged.as_ref().is_some_and(|unchanged| unchanged.contains(text)) {
            return search.normalized(text, origin, |part| each(text, NormalizedTokenPart::Known(part)));
        }
        if search.has_ranges() {
            // A place in a normal form is not one in the text.
            return Err(Failed);
        }
        if known.writes_metaspaces {
            if !search.may_be_in(text) {
                return each(text, NormalizedTokenPart::Known(TextPart::Text(whole)));
            }
            if search.has_no_spaces() && !search.takes_spaces() {
                return search.normalized(text, origin, |part| match part {
                    // A metaspace may be put before the token.
                    TextPart::Token(_, span) if span.start == 0 => each(text, NormalizedTokenPart::Unknown(span)),
                    part => each(text, NormalizedTokenPart::Known(part)),
                });
            }
            return each(text, NormalizedTokenPart::Unknown(whole));
        }
        if let Some(changes) = known.characters
            && fill_ascii(text, changes, &mut self.buffers.ascii)
        {
            let form = &self.buffers.ascii;
            return search.normalized(form, origin, |part| each(form, NormalizedTokenPart::Known(part)));
        }
        let sources = search.sources(|characters| known.sources(self.splitter, characters));
        let is_cut = known.characters.is_some() && search.has_no_spaces() && !search.takes_spaces();
        if let (Some(sources), true) = (sources, is_cut) {
            let is_end = |at: usize| text.as_bytes()[at].is_ascii_whitespace() && is_separate(at);
            // The ends of what was passed on, and of what was searched.
            let (mut done, mut searched) = (0, 0);
            for found in sources.matches(text.as_bytes()) {
                if found.start < searched {
                    continue;
                }
                let start = (searched + 1..=found.start).rev().find(|&at| is_end(at)).unwrap_or(searched);
                let end = (found.end..text.len()).find(|&at| is_end(at)).unwrap_or(text.len());
                searched = end;
                if self.has_token(search, &text[start..end])? {
                    if done < start {
                        each(text, NormalizedTokenPart::Known(TextPart::Text(Span::new(done, start))))?;
                    }
                    each(text, NormalizedTokenPart::Unknown(Span::new(start, end)))?;
                    done = end;
                }
            }
            let rest = Span::new(done, text.len());
            return if done < text.len() {
                each(text, NormalizedTokenPart::Known(TextPart::Text(rest)))
            } else {
                Ok(())
            };
        }
        let has_token = sources.is_none_or(|sources| sources.is_in(text.as_bytes())) && self.has_token(search, text)?;
        each(
            text,
            if has_token {
                NormalizedTokenPart::Unknown(whole)
            } else {
                NormalizedTokenPart::Known(TextPart::Text(whole))
            },
        )
    }

    /// Returns whether the normal form of a text has a token; a forbidden special token is an error.
    fn has_token(&mut self, search: AddedTokenSearch<'_>, text: &str) -> Result<bool> {
        let (form, spare) = &mut self.buffers.normalized;
        self.splitter.normalize_into(text, false, form, spare)?;
        let mut has_token = false;
        // The place of an error does not matter: the generic path returns it.
        search.normalized(
            form.text(),
            |_| 0,
            |part| {
                has_token |= matches!(part, TextPart::Token(..));
                Ok::<_, Failed>(())
            },
        )?;
        Ok(has_token)
    }
}

/// A part of a text whose added tokens are matched in normalized text.
pub(crate) enum NormalizedTokenPart {
    /// A token, or text without tokens.
    Known(TextPart),
    /// A range with a token at a place that is not known.
    Unknown(Span),
}

/// Returns whether a search for added tokens finds one, or an error.
pub(crate) fn finds_any(search: impl FnOnce(fn(TextPart) -> Result<()>) -> Result<()>) -> bool {
    let refuse = |part| if let TextPart::Token(..) = part { Err(Failed) } else { Ok(()) };
    search(refuse).is_err()
}

/// Fills `form` with the normal form of a text whose characters are mapped one to one; returns false for other texts.
fn fill_ascii(text: &str, changes: CharacterChanges, form: &mut String) -> bool {
    let is_dropped = |byte: u8| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r');
    if !text.is_ascii() || changes.drops_controls && text.bytes().any(is_dropped) {
        return false;
    }
    form.clear();
    form.extend(text.chars().map(|c| match c {
        '\t' | '\n' | '\r' if changes.drops_controls => ' ',
        _ if changes.lowercases => c.to_ascii_lowercase(),
        _ => c,
    }));
    true
}
