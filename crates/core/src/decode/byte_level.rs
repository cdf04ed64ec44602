//! The characters that stand for bytes in byte-level BPE, back to bytes.

use std::borrow::Cow;

use super::Parts;

/// Makes bytes of characters. The settings are those of the pre-tokenizer of the same name; decoding uses none of them,
/// and files keep them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteLevelDecoder {
    /// Only kept.
    pub add_prefix_space: bool,
    /// Only kept.
    pub trim_offsets: bool,
    /// Only kept.
    pub use_regex: bool,
}

impl Default for ByteLevelDecoder {
    fn default() -> Self {
        Self { add_prefix_space: true, trim_offsets: true, use_regex: true }
    }
}

/// One part, with U+FFFD for what is no UTF-8. A token with a character that stands for no byte is taken as it is.
pub(super) fn decode_chain<'a>(parts: &[Cow<'_, str>]) -> Parts<'a> {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        let start = bytes.len();
        for c in part.chars() {
            let Some(byte) = byte_of(c) else {
                bytes.truncate(start);
                bytes.extend_from_slice(part.as_bytes());
                break;
            };
            bytes.push(byte);
        }
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    vec![Cow::Owned(text)]
}

/// The byte that a character stands for. What is printable stands for itself; all other bytes in their order are the
/// characters from U+0100 on.
fn byte_of(c: char) -> Option<u8> {
    let byte = match u32::from(c) {
        code @ (0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff) => code,
        code @ 0x100..=0x120 => code - 0x100,
        code @ 0x121..=0x142 => code - 0x121 + 0x7f,
        0x143 => 0xad,
        _ => return None,
    };
    u8::try_from(byte).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_one_character() {
        let mut bytes: Vec<u8> = ('\0'..='\u{ffff}').filter_map(byte_of).collect();
        assert_eq!(byte_of('Ġ'), Some(b' '));
        bytes.sort_unstable();
        assert_eq!(bytes, (0..=255).collect::<Vec<u8>>());
    }
}
