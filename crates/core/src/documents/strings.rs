//! The bytes of JSON strings: where they end, and what their escapes mean.

use memchr::memchr;

/// The number of bytes that are tested at a time.
const BLOCK: usize = 32;

/// Returns the index of the next quotation mark, backslash or control character from `from` on.
pub(super) fn find_special(bytes: &[u8], from: usize) -> Option<usize> {
    let is_special = |byte: u8| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    let rest = bytes.get(from..)?;
    // Without early exit, so that the compiler compares a block at once.
    let has_special = |block: &&[u8]| block.iter().fold(false, |any, &byte| any | is_special(byte));
    let plain = rest.chunks_exact(BLOCK).take_while(|block| !has_special(block)).count() * BLOCK;
    let special = rest[plain..].iter().position(|&byte| is_special(byte))?;
    Some(from + plain + special)
}

/// Returns the number of bytes of the escape at the start of `bytes`, or the reason why it is none.
pub(super) fn escape_length(bytes: &[u8]) -> Result<usize, &'static str> {
    match bytes.get(1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(2),
        Some(b'u') if code_unit(bytes).is_some() => Ok(6),
        Some(b'u') => Err("expected four hexadecimal digits after `\\u`"),
        Some(_) => Err("unknown escape; JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX"),
        None => Err("the line ends within a string"),
    }
}

/// Returns the number in an escape of the form `\uXXXX` at the start of `bytes`.
fn code_unit(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.get(2..6).filter(|_| bytes.starts_with(b"\\u"))?;
    digits.iter().try_fold(0, |number, &digit| Some(number * 16 + char::from(digit).to_digit(16)?))
}

/// Appends the text of a string, whose escapes are valid, to `text`.
///
/// A lone surrogate, which UTF-8 cannot represent, is an error: the byte of its escape in `raw`.
pub(super) fn unescape(raw: &[u8], text: &mut Vec<u8>) -> Result<(), usize> {
    let mut at = 0;
    while let Some(plain) = memchr(b'\\', &raw[at..]) {
        text.extend_from_slice(&raw[at..at + plain]);
        at += plain;
        let (character, length) = escaped(&raw[at..]).ok_or(at)?;
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        at += length;
    }
    text.extend_from_slice(&raw[at..]);
    Ok(())
}

/// Returns the character of the escape at the start of `bytes`, and the escape's length; `None` for a lone surrogate.
fn escaped(bytes: &[u8]) -> Option<(char, usize)> {
    let short = match bytes.get(1)? {
        b'u' => return unicode_escape(bytes),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        &other => char::from(other),
    };
    Some((short, 2))
}

/// Returns the character of one escape `\uXXXX`, or of a pair of surrogates.
fn unicode_escape(bytes: &[u8]) -> Option<(char, usize)> {
    let first = code_unit(bytes)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, 6));
    }
    let second = code_unit(bytes.get(6..)?)?;
    let is_pair = (0xD800..0xDC00).contains(&first) && (0xDC00..0xE000).contains(&second);
    let number = 0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF);
    char::from_u32(number).filter(|_| is_pair).map(|character| (character, 12))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_next_special_byte_in_any_position() {
        for length in 0..100 {
            let plain = vec![b'a'; length];
            assert_eq!(find_special(&plain, 0), None);
            for special in [b'"', b'\\', 0, 0x1F] {
                let text = [&plain[..], &[special, b'"']].concat();
                for from in 0..=length {
                    assert_eq!(find_special(&text, from), Some(length));
                }
            }
        }
        assert_eq!(find_special(b"a", 2), None);
    }

    fn text_of(raw: &str) -> Result<String, usize> {
        let mut text = Vec::new();
        unescape(raw.as_bytes(), &mut text).map(|()| String::from_utf8(text).unwrap())
    }

    #[test]
    fn escapes_become_characters() {
        assert_eq!(text_of(r#"a\"\\\/\b\f\n\r\tz"#).unwrap(), "a\"\\/\u{8}\u{c}\n\r\tz");
        assert_eq!(text_of(r"\u00e9\uD83D\uDE00\u0000é").unwrap(), "é😀\0é");
    }

    #[test]
    fn lone_surrogates_are_errors() {
        for (raw, byte) in [(r"ab\ud800", 2), (r"\udc00", 0), (r"\ud800\ud800", 0), (r"\ud800\n", 0), (r"\ud800x", 0)] {
            assert_eq!(text_of(raw), Err(byte), "{raw}");
        }
    }

    #[test]
    fn escapes_have_a_length_or_a_reason() {
        assert_eq!(escape_length(br"\u12aF"), Ok(6));
        assert_eq!(escape_length(br"\nx"), Ok(2));
        for invalid in [&br"\u12"[..], br"\u12x4", br"\x41", b"\\"] {
            assert!(escape_length(invalid).is_err());
        }
    }
}
