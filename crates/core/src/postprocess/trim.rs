//! Offsets without the spaces at the ends of byte-level tokens.

use super::{TokenTexts, trimmed};
use crate::encoding::Encoding;
use crate::text::bytes::byte_to_char;
use crate::text::unicode::Class;

/// Trims the spans of all tokens, including those of overflowing windows.
pub(super) fn trim_all(encodings: &mut [Encoding], add_prefix_space: bool, texts: &dyn TokenTexts) {
    for encoding in encodings {
        trim(encoding, add_prefix_space, texts);
        encoding.overflowing.iter_mut().for_each(|part| trim(part, add_prefix_space, texts));
    }
}

/// Trims the spans of one encoding's tokens.
fn trim(encoding: &mut Encoding, add_prefix_space: bool, texts: &dyn TokenTexts) {
    for place in 0..encoding.len() {
        let token = texts.token(encoding, place);
        let mut leading = token.chars().take_while(|&c| is_space(c)).count();
        let trailing = token.chars().rev().take_while(|&c| is_space(c)).count();
        if leading == 0 && trailing == 0 {
            continue;
        }
        let span = encoding.spans[place];
        // A single space at the beginning was inserted by the pre-tokenizer.
        if leading == 1 && add_prefix_space && (place == 0 || span.start == 0) {
            leading = 0;
        }
        encoding.spans[place] = trimmed(texts.text(encoding, place), span, leading, trailing);
    }
}

fn is_space(c: char) -> bool {
    c == byte_to_char(b' ') || Class::WHITESPACE.contains(c)
}
