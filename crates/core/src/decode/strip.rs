//! A character dropped at the ends of tokens.

use std::borrow::Cow;

use super::Parts;

/// Drops a character at the ends of each token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StripDecoder {
    /// The character.
    pub content: char,
    /// How often it is dropped at the start, at most.
    pub start: usize,
    /// How often it is then dropped at the end, at most.
    pub stop: usize,
}

impl StripDecoder {
    pub(super) fn decode_chain<'a>(&self, parts: Parts<'a>) -> Parts<'a> {
        let strip = |part| match part {
            Cow::Borrowed(part) => Cow::Borrowed(self.strip(part)),
            Cow::Owned(part) => Cow::Owned(self.strip(&part).to_owned()),
        };
        parts.into_iter().map(strip).collect()
    }

    /// A token of nothing but the character becomes empty at worst; the reference runs over its end.
    fn strip<'a>(&self, token: &'a str) -> &'a str {
        let at_start = token.chars().take(self.start).take_while(|&c| c == self.content).count();
        let token = &token[at_start * self.content.len_utf8()..];
        let at_end = token.chars().rev().take(self.stop).take_while(|&c| c == self.content).count();
        &token[..token.len() - at_end * self.content.len_utf8()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_no_more_than_there_is() {
        let strip = |start, stop, token| StripDecoder { content: 'é', start, stop }.strip(token);
        assert_eq!(strip(1, 1, "ééé"), "é");
        assert_eq!(strip(2, 2, "ééé"), "");
        assert_eq!(strip(usize::MAX, 1, "ééaé"), "a");
        assert_eq!(strip(0, usize::MAX, ""), "");
        assert_eq!(strip(0, 3, "aé"), "a");
    }
}
