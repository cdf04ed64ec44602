//! Decoding of byte tokens such as `<0x61>`.

use std::borrow::Cow;
use std::iter::repeat_n;

use super::Parts;

/// Replaces a run of byte tokens with one part if it is UTF-8, else each of them with U+FFFD.
pub(super) fn decode_chain(parts: Parts<'_>) -> Parts<'_> {
    let mut decoded = Vec::with_capacity(parts.len());
    let mut run = Vec::new();
    for part in parts {
        if let Some(byte) = byte_of(&part) {
            run.push(byte);
        } else {
            end_run(&mut run, &mut decoded);
            decoded.push(part);
        }
    }
    end_run(&mut run, &mut decoded);
    decoded
}

/// Adds the text of a run of byte tokens.
fn end_run(run: &mut Vec<u8>, decoded: &mut Parts<'_>) {
    if run.is_empty() {
        return;
    }
    match String::from_utf8(std::mem::take(run)) {
        Ok(text) => decoded.push(Cow::Owned(text)),
        Err(error) => decoded.extend(repeat_n(Cow::Borrowed("\u{fffd}"), error.as_bytes().len())),
    }
}

/// Returns the byte of a byte token. As in the reference library, a plus sign counts as a leading zero.
pub(super) fn byte_of(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    if digits.len() == 2 { u8::from_str_radix(digits, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_tokens() {
        assert_eq!(byte_of("<0xe4>"), Some(0xe4));
        assert_eq!(byte_of("<0xFf>"), Some(0xff));
        assert_eq!(byte_of("<0x+5>"), Some(5));
        for token in ["<0x5>", "<0x-5>", "<0x055>", "<0xé>", "<0x5 >", "<0X55>", "<0x>", "<0x55", ""] {
            assert_eq!(byte_of(token), None, "{token}");
        }
    }
}
