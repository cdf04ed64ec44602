//! Tokens that stand for a byte, such as `<0x61>`, back to characters.

use std::borrow::Cow;
use std::iter::repeat_n;

use super::Parts;

/// A run of such tokens becomes one part if it is UTF-8, else U+FFFD for each of them.
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

fn end_run(run: &mut Vec<u8>, decoded: &mut Parts<'_>) {
    if run.is_empty() {
        return;
    }
    match String::from_utf8(std::mem::take(run)) {
        Ok(text) => decoded.push(Cow::Owned(text)),
        Err(error) => decoded.extend(repeat_n(Cow::Borrowed("\u{fffd}"), error.as_bytes().len())),
    }
}

/// The byte that a token stands for; as in the reference, a plus sign counts as a leading zero.
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
