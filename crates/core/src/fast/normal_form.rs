//! Finds added tokens that are matched in normalized text, without normalizing most texts.

use super::{Fallback, Result, Unchanged};
use crate::added::{AddedTokenSearch, TextPart};
use crate::normalize::Normalized;
use crate::normalize::locality::CharacterChanges;
use crate::splitter::WordSplitter;
use crate::text::span::Span;

/// The buffers of normal forms.
#[derive(Debug, Default)]
pub(crate) struct FormBuffers {
    ascii: String,
    normalized: (Normalized, Normalized),
}

impl FormBuffers {
    /// Returns the largest capacity of a buffer.
    pub(crate) fn capacity(&self) -> usize {
        self.ascii.capacity().max(self.normalized.0.capacity()).max(self.normalized.1.capacity())
    }
}

/// The texts whose added tokens are found without normalizing them, by the normalizer of a tokenizer.
#[derive(Debug)]
pub(crate) struct KnownForms {
    /// The characters that it does not change, if these are known.
    unchanged: Option<Unchanged>,
    /// Its changes, if it maps each character by itself.
    characters: Option<CharacterChanges>,
    /// Whether it only writes metaspaces.
    writes_metaspaces: bool,
}

impl KnownForms {
    /// Returns what is known of the normal forms of a splitter.
    pub(crate) fn of(splitter: &WordSplitter) -> Self {
        let locality = splitter.locality();
        Self {
            unchanged: Unchanged::of(splitter),
            characters: locality.and_then(|locality| locality.characters),
            writes_metaspaces: locality
                .and_then(|locality| locality.metaspaces)
                .is_some_and(|spaces| spaces.keeps_characters()),
        }
    }

    /// Returns whether no line of a text has a token, if that is known without normalizing the text; otherwise false.
    pub(crate) fn excludes(&self, search: AddedTokenSearch<'_>, lines: &str, buffers: &mut FormBuffers) -> bool {
        let finds_none = |text: &str| search.normalized(text, |at| at, refuse_tokens).is_ok();
        if self.unchanged.as_ref().is_some_and(|unchanged| unchanged.contains(lines)) {
            return finds_none(lines);
        }
        if self.writes_metaspaces {
            return !search.may_be_in(lines);
        }
        self.characters.is_some_and(|changes| fill_ascii(lines, changes, &mut buffers.ascii))
            && finds_none(&buffers.ascii)
    }

    /// Calls `each` with the parts of a text without tokens of the original text: its tokens, and the text between them.
    ///
    /// With each part comes the text whose bytes it counts: the original, or a normal form in which every character has the
    /// place that it has in the original. `base` is the first byte of the text in the input. If neither is known to have the
    /// tokens at the right places, and there are any, the text needs the generic path.
    pub(crate) fn parts(
        &self,
        search: AddedTokenSearch<'_>,
        splitter: &WordSplitter,
        text: &str,
        base: usize,
        buffers: &mut FormBuffers,
        mut each: impl FnMut(&str, TextPart) -> Result<()>,
    ) -> Result<()> {
        let origin = |at| base + at;
        if self.unchanged.as_ref().is_some_and(|unchanged| unchanged.contains(text)) {
            return search.normalized(text, origin, |part| each(text, part));
        }
        let whole = TextPart::Text(Span::new(0, text.len()));
        if self.writes_metaspaces && !search.may_be_in(text) {
            return each(text, whole);
        }
        if let Some(changes) = self.characters
            && fill_ascii(text, changes, &mut buffers.ascii)
        {
            let form = &buffers.ascii;
            return search.normalized(form, origin, |part| each(form, part));
        }
        let (form, spare) = &mut buffers.normalized;
        splitter.normalize_into(text, form, spare)?;
        // The place of an error does not matter: the generic path returns it.
        search.normalized(form.text(), |_| base, refuse_tokens)?;
        each(text, whole)
    }
}

/// Returns an error for a part that is a token.
pub(crate) fn refuse_tokens(part: TextPart) -> Result<()> {
    match part {
        TextPart::Text(_) => Ok(()),
        TextPart::Token(..) => Err(Fallback::AddedToken),
    }
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
