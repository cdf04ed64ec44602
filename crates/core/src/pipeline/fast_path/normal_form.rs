//! Finds added tokens that are matched in normalized text, without normalizing most texts.

use super::Result;
use crate::added::{AddedTokenSearch, TextPart};
use crate::fast::Fallback;
use crate::normalize::Normalized;
use crate::normalize::locality::CharacterChanges;
use crate::splitter::WordSplitter;
use crate::text::span::Span;
use crate::text::unicode::{Class, class};

/// The buffers of normal forms.
#[derive(Debug, Default)]
pub(super) struct FormBuffers {
    ascii: String,
    normalized: (Normalized, Normalized),
}

impl FormBuffers {
    /// Returns the largest capacity of a buffer.
    pub(super) fn capacity(&self) -> usize {
        self.ascii.capacity().max(self.normalized.0.capacity()).max(self.normalized.1.capacity())
    }
}

/// Calls `each` with the parts of a text that contains no tokens of the original text: its tokens, and the text between.
///
/// With each part comes the text whose bytes it counts: the original, or a normal form in which every character has the
/// place that it has in the original. `base` is the first byte of the text in the input. If neither is known to have the
/// tokens at the right places, and there are any, the text needs the generic path.
pub(super) fn parts(
    search: AddedTokenSearch<'_>,
    splitter: &WordSplitter,
    text: &str,
    base: usize,
    buffers: &mut FormBuffers,
    mut each: impl FnMut(&str, TextPart) -> Result<()>,
) -> Result<()> {
    let origin = |at| base + at;
    let locality = splitter.locality();
    if locality.is_none_or(|locality| locality.active.is_some_and(|active| is_inert(text, active))) {
        return search.normalized(text, origin, |part| each(text, part));
    }
    let writes_metaspaces =
        locality.and_then(|locality| locality.metaspaces).is_some_and(|spaces| spaces.keeps_characters());
    if writes_metaspaces && !search.may_be_in(text) {
        return each(text, TextPart::Text(Span::new(0, text.len())));
    }
    if let Some(changes) = locality.and_then(|locality| locality.characters)
        && fill_ascii(text, changes, &mut buffers.ascii)
    {
        let form = &buffers.ascii;
        return search.normalized(form, origin, |part| each(form, part));
    }
    let (form, spare) = &mut buffers.normalized;
    splitter.normalize_into(text, form, spare)?;
    // The place of an error does not matter: the generic path returns it.
    search.normalized(
        form.text(),
        |_| base,
        |part| match part {
            TextPart::Text(_) => Ok(()),
            TextPart::Token(..) => Err(Fallback::AddedToken),
        },
    )?;
    each(text, TextPart::Text(Span::new(0, text.len())))
}

/// Returns whether a normalizer that changes only characters with these properties does not change a text.
fn is_inert(text: &str, active: Class) -> bool {
    text.chars().all(|c| c.is_ascii() || !class(c).intersects(active))
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
