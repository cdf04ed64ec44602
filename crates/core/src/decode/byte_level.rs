//! Decoding of byte-level BPE, whose characters represent bytes.

use std::borrow::Cow;

use super::Parts;
use crate::text::bytes::char_to_byte;

/// Returns one part, with U+FFFD for invalid UTF-8. A token with any other character is kept unchanged.
pub(super) fn decode_chain<'a>(parts: &[Cow<'_, str>]) -> Parts<'a> {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        extend_bytes(&mut bytes, part);
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    vec![Cow::Owned(text)]
}

/// Appends the bytes of a token.
pub(super) fn extend_bytes(bytes: &mut Vec<u8>, token: &str) {
    let start = bytes.len();
    for c in token.chars() {
        let Some(byte) = char_to_byte(c) else {
            bytes.truncate(start);
            bytes.extend_from_slice(token.as_bytes());
            return;
        };
        bytes.push(byte);
    }
}
