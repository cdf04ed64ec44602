//! The byte-level normalizer, which represents bytes by printable characters.

use super::{Normalized, Rewriter};
use crate::text::bytes::byte_to_char;

pub(super) fn normalize(text: &mut Normalized, spare: &mut Normalized) {
    text.rewrite(spare, write_bytes);
}

/// Writes the character of each byte of the text.
pub(crate) fn write_bytes(to: &mut Rewriter<'_>) {
    for c in to.source().chars() {
        let mut buffer = [0; 4];
        for (place, byte) in c.encode_utf8(&mut buffer).bytes().enumerate() {
            let c = byte_to_char(byte);
            if place == 0 { to.replace(c) } else { to.insert(c) }
        }
    }
}
