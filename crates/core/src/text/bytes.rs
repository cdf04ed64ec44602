//! The alphabet of byte-level models, which represents each byte by a printable character.
//!
//! Printable bytes of Latin-1 represent themselves, all others the characters from U+0100 on, in order.

/// Returns the character that represents a byte.
#[must_use]
pub(crate) fn byte_to_char(byte: u8) -> char {
    let code = u32::from(byte);
    let code = match byte {
        0..=0x20 => 0x100 + code,
        0x7F..=0xA0 => 0x121 + (code - 0x7F),
        0xAD => 0x143,
        _ => code,
    };
    char::from_u32(code).unwrap_or_default()
}

/// Returns the byte that a character represents.
#[must_use]
pub(crate) fn char_to_byte(c: char) -> Option<u8> {
    let byte = match u32::from(c) {
        code @ (0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF) => code,
        code @ 0x100..=0x120 => code - 0x100,
        code @ 0x121..=0x142 => code - 0x121 + 0x7F,
        0x143 => 0xAD,
        _ => return None,
    };
    u8::try_from(byte).ok()
}

/// Returns the byte-fallback token of a byte, such as `<0x61>`.
#[must_use]
pub(crate) fn byte_entry(byte: u8) -> String {
    format!("<0x{byte:02X}>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bijection() {
        for byte in 0..=255 {
            assert_eq!(char_to_byte(byte_to_char(byte)), Some(byte));
        }
        assert_eq!((byte_to_char(b' '), byte_to_char(b'\n'), byte_to_char(0xAD)), ('Ġ', 'Ċ', 'Ń'));
        assert_eq!((char_to_byte(' '), char_to_byte('\u{144}')), (None, None));
    }
}
