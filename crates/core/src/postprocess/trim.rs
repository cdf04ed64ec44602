//! Offsets without the spaces that byte-level tokens begin or end with.

use super::{Source, trimmed};
use crate::encoding::Encoding;
use crate::text::bytes::byte_to_char;
use crate::text::unicode::class;

/// Trims the spans of all tokens, those that overflow too.
pub(super) fn trim_all(encodings: &mut [Encoding], add_prefix_space: bool, source: &dyn Source) {
    for encoding in encodings {
        trim(encoding, add_prefix_space, source);
        encoding.overflowing.iter_mut().for_each(|part| trim(part, add_prefix_space, source));
    }
}

fn trim(encoding: &mut Encoding, add_prefix_space: bool, source: &dyn Source) {
    for place in 0..encoding.len() {
        let token = source.token(encoding, place);
        let mut leading = token.chars().take_while(|&c| is_space(c)).count();
        let trailing = token.chars().rev().take_while(|&c| is_space(c)).count();
        if leading == 0 && trailing == 0 {
            continue;
        }
        let span = encoding.spans[place];
        // One space at the beginning is the one that was put there.
        if leading == 1 && add_prefix_space && (place == 0 || span.start == 0) {
            leading = 0;
        }
        encoding.spans[place] = trimmed(source.text(encoding, place), span, leading, trailing);
    }
}

fn is_space(c: char) -> bool {
    c == byte_to_char(b' ') || class(c).is_whitespace()
}
