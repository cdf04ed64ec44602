//! The parts that the decoder receives for added tokens, so that a byte-level decoder returns their own text (P69).
//!
//! An added token is text, but its characters may also be among those that represent bytes (`é`). It is written as the
//! characters of the bytes of its UTF-8 then, once for each byte-level decoder, so that every stage treats it as a token
//! of the model with that text. Entries that the model itself makes of bytes stay as they are.

use std::collections::{HashMap, HashSet};

use super::Tokenizer;
use crate::added::AddedToken;
use crate::decode::Decoder;
use crate::normalize::Normalizer;
use crate::text::bytes::{byte_to_char, char_to_byte};

/// The parts that replace added tokens before decoding, by id; tokens that are not among them are parts themselves.
pub(super) type DecoderInputs = HashMap<u32, String>;

/// The maximum number of byte-level decoders: each doubles the length of text. Trained decoders have at most two.
const MAX_LEVELS: usize = 4;

impl Tokenizer {
    /// Returns the parts that replace added tokens before decoding.
    pub(super) fn decoder_inputs(&self) -> &DecoderInputs {
        self.decoder_inputs.get_or_init(|| self.make_decoder_inputs())
    }

    fn make_decoder_inputs(&self) -> DecoderInputs {
        let levels = self.decoder().map_or(0, Decoder::byte_levels);
        if !(1..=MAX_LEVELS).contains(&levels) {
            return DecoderInputs::new();
        }
        let normalizer = self.splitter().normalizer();
        let normalized = normalizer.map_or(0, Normalizer::byte_levels);
        let input = |token: &AddedToken| {
            let text = self.added().token(token.id)?;
            // The normalized form of a token is written as bytes already if the normalizer does that.
            let levels = levels.saturating_sub(if token.normalized { normalized } else { 0 });
            let part = (0..levels).fold(text.to_owned(), |text, _| text.bytes().map(byte_to_char).collect());
            (part != text).then_some((token.id, part))
        };
        let mut inputs: DecoderInputs = self.added().tokens().iter().filter_map(input).collect();
        let made = self.added_entries_of_model(&inputs);
        inputs.retain(|id, _| !made.contains(id));
        inputs
    }

    /// Returns those of some added tokens that are also entries which the model makes of bytes.
    fn added_entries_of_model(&self, inputs: &DecoderInputs) -> HashSet<u32> {
        let vocab = self.model().vocab();
        let is_entry = |token: &&AddedToken| {
            let is_bytes = || token.content.chars().all(|c| char_to_byte(c).is_some());
            inputs.contains_key(&token.id) && vocab.token(token.id) == Some(&token.content) && is_bytes()
        };
        let entries: Vec<&AddedToken> = self.added().tokens().iter().filter(is_entry).collect();
        self.model().made(&entries.iter().map(|token| token.id).collect::<Vec<_>>()).unwrap_or_else(|| {
            // Trainers put special tokens into the vocabulary, too, where they remain texts.
            let is_piece = |token: &&AddedToken| !token.special && is_in_text(&token.content);
            let made = entries.into_iter().filter(|token| is_single(&token.content) || is_piece(token));
            made.map(|token| token.id).collect()
        })
    }
}

fn is_single(token: &str) -> bool {
    token.chars().nth(1).is_none()
}

/// Returns whether the bytes that the characters of an entry represent are part of some UTF-8 text.
fn is_in_text(entry: &str) -> bool {
    let bytes: Vec<u8> = entry.chars().filter_map(char_to_byte).collect();
    // Up to three bytes may end a character that began before.
    let start = bytes.iter().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count();
    match std::str::from_utf8(&bytes[start..]) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_in_text() {
        for (entry, wanted) in
            [("Ġthe", true), ("among", true), ("Ã", true), ("©Ġ", true), ("<é>", false), ("©©©©", false)]
        {
            assert_eq!(is_in_text(entry), wanted, "{entry}");
        }
    }
}
