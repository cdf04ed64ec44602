//! Lower case of each character by itself, so without final sigma.

use super::Normalized;
use super::locality::{ChangedCharacters, CharacterChanges, Locality, WordChanges};
use crate::text::unicode;

pub(super) fn locality() -> Locality<'static> {
    Locality {
        characters: Some(CharacterChanges { lowercases: true, ..CharacterChanges::default() }),
        ascii: Some(CharacterChanges { lowercases: true, ..CharacterChanges::default() }),
        words: Some(WordChanges { changed: ChangedCharacters::All, ..WordChanges::default() }),
        ..Locality::default()
    }
}

pub(super) fn lowercase(text: &mut Normalized, spare: &mut Normalized) {
    if text.text().bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) && text.is_whole() {
        return;
    }
    text.rewrite(spare, |to| {
        let source = to.source();
        // ASCII keeps its length, so whole runs of it can be copied.
        let copies = to.is_whole();
        for (at, c) in source.char_indices() {
            if copies && c.is_ascii() {
                continue;
            }
            if copies {
                to.lowercase_ascii_to(at);
            }
            let mut first = true;
            unicode::lowercase(c, |c| if std::mem::take(&mut first) { to.replace(c) } else { to.insert(c) });
        }
        if copies {
            to.lowercase_ascii_to(source.len());
        }
    });
}
