//! Clean-up: removes spaces before punctuation and in English contractions.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::literal::replace;
use super::search::Needle;
use super::stage::{DecodeStage, DecodedParts};
use crate::error::Result;

/// The replacements, in order.
const CLEANUP: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

static NEEDLES: LazyLock<[Needle; CLEANUP.len()]> = LazyLock::new(|| CLEANUP.map(|(found, _)| Needle::new(found)));

/// The stage of all replacements in each part; most parts need none.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CleanupStage {
    /// The number of bytes that each replacement delays.
    matched: [usize; CLEANUP.len()],
}

impl CleanupStage {
    /// Passes a fragment, and the end of the part if it is the last, through all replacements.
    fn replace(&mut self, fragment: &[u8], is_last: bool, out: &mut DecodedParts) -> Result<()> {
        let mut text = Cow::Borrowed(fragment);
        for ((needle, (_, by)), matched) in NEEDLES.iter().zip(CLEANUP).zip(&mut self.matched) {
            if *matched == 0 && is_last && !needle.is_in(&text) {
                continue;
            }
            let mut replaced = DecodedParts::default();
            needle.receive(matched, &text, |found| replace(&found, by.as_bytes(), &mut replaced))?;
            if is_last {
                needle.end(matched, |found| replace(&found, by.as_bytes(), &mut replaced))?;
            }
            text = Cow::Owned(replaced.bytes);
        }
        out.push(&text)
    }
}

impl DecodeStage for CleanupStage {
    fn receive(&mut self, fragment: &[u8], out: &mut DecodedParts) -> Result<()> {
        self.replace(fragment, false, out)
    }

    fn end(&mut self, out: &mut DecodedParts) -> Result<()> {
        self.replace(&[], true, out)?;
        out.end();
        Ok(())
    }

    #[inline]
    fn part(&mut self, part: &[u8], out: &mut DecodedParts) -> Result<()> {
        if is_clean(part) {
            out.push(part)?;
        } else {
            self.replace(part, true, out)?;
        }
        out.end();
        Ok(())
    }
}

/// Returns whether no replacement applies, by a test of two adjacent bytes.
#[inline]
fn is_clean(text: &[u8]) -> bool {
    let begins = |pair: &[u8]| pair[0] == b' ' && matches!(pair[1], b'.' | b'?' | b'!' | b',' | b'\'' | b'n' | b'd');
    !text.windows(2).any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_apply_in_order() {
        for (text, cleaned) in [("it ' s  . do not", "it's . don't"), ("  ' s", "'s"), ("a b.c", "a b.c")] {
            let mut out = DecodedParts::default();
            CleanupStage::default().part(text.as_bytes(), &mut out).unwrap();
            assert_eq!(out.bytes, cleaned.as_bytes(), "{text:?}");
        }
        assert!(CLEANUP.iter().all(|(found, _)| !is_clean(found.as_bytes())));
        assert!(is_clean(b"a b.c"));
    }
}
