//! The entries of single characters.

use super::BpeSettings;
use crate::text::bytes::{byte_entry, byte_to_char};
use crate::text::single_character;
use crate::text::unicode::CharMap;
use crate::vocab::Vocab;

/// The value for "no entry".
pub(super) const NONE: u32 = u32::MAX;

/// The entries of single characters by their position in the word, and the entries for byte fallback.
#[derive(Debug)]
pub(super) struct Alphabet {
    characters: Vec<CharMap<u32>>,
    /// The index in `characters` for characters in the middle, at the beginning, at the end, and of one-character words.
    places: [usize; 4],
    /// The entry of a suffix that is a separate symbol.
    suffix: Option<u32>,
    /// The entries `<0x00>` to `<0xFF>`; all [`NONE`] without byte fallback.
    bytes: [u32; 256],
}

/// Returns the entries of single characters with this prefix and suffix.
fn characters(vocab: &Vocab, prefix: &str, suffix: &str, allowed: &impl Fn(u32) -> bool) -> CharMap<u32> {
    let mut ids = CharMap::new(NONE);
    for (token, id) in vocab.iter().filter(|&(_, id)| allowed(id)) {
        if let Some(c) = token.strip_prefix(prefix).and_then(|rest| single_character(rest.strip_suffix(suffix)?)) {
            *ids.get_mut(c) = id;
        }
    }
    ids
}

impl Alphabet {
    pub(super) fn new(vocab: &Vocab, settings: &BpeSettings, allowed: &impl Fn(u32) -> bool) -> Self {
        let (prefix, suffix) = (&settings.continuing_subword_prefix, settings.attached_suffix());
        let mut kinds: Vec<(&str, &str)> = Vec::new();
        let places = [(prefix.as_str(), ""), ("", ""), (prefix.as_str(), suffix), ("", suffix)].map(|kind| {
            kinds.iter().position(|&known| known == kind).unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            })
        });
        let characters = kinds.iter().map(|(prefix, suffix)| characters(vocab, prefix, suffix, allowed)).collect();
        let of_byte = |byte| vocab.id(&byte_entry(byte)).filter(|&id| settings.byte_fallback && allowed(id));
        let bytes = std::array::from_fn(|byte| u8::try_from(byte).ok().and_then(of_byte).unwrap_or(NONE));
        let suffix = settings.separate_suffix().and_then(|suffix| vocab.id(&suffix)).filter(|&id| allowed(id));
        Self { characters, places, suffix, bytes }
    }

    /// Returns the entry of a suffix that is a separate symbol.
    pub(super) fn suffix(&self) -> Option<u32> {
        self.suffix
    }

    /// Returns the entry of a character that begins the word, ends it, both or neither, or [`NONE`].
    #[inline]
    pub(super) fn id(&self, c: char, first: bool, last: bool) -> u32 {
        self.characters[self.places[usize::from(first) + 2 * usize::from(last)]].get(c)
    }

    /// Returns whether all characters that represent bytes have entries.
    pub(super) fn has_all_bytes(&self) -> bool {
        (0..=255).all(|byte| self.id(byte_to_char(byte), false, false) != NONE)
    }

    /// Returns whether every byte has a fallback entry.
    pub(super) fn falls_back(&self) -> bool {
        self.fallbacks().count() == self.bytes.len()
    }

    /// Returns the fallback entries of bytes.
    pub(super) fn fallbacks(&self) -> impl Iterator<Item = u32> + '_ {
        self.bytes.iter().copied().filter(|&id| id != NONE)
    }

    /// Returns the fallback entries of the bytes of a text; `None` unless all exist.
    pub(super) fn fallback<'a>(&'a self, text: &'a str) -> Option<impl Iterator<Item = u32> + 'a> {
        let ids = text.bytes().map(|byte| self.bytes[usize::from(byte)]);
        ids.clone().all(|id| id != NONE).then_some(ids)
    }
}
