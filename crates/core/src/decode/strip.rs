//! A decoder that removes a character from the ends of tokens.

use std::borrow::Cow;

use super::Parts;

/// A decoder that removes a character from the ends of each token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StripDecoder {
    /// The character.
    pub content: char,
    /// The maximum number of removals at the start.
    pub start: usize,
    /// The maximum number of removals at the end, after those at the start.
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

    /// Strips a token. A token of this character alone becomes empty at worst; the reference library fails there.
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
    fn strips_at_most_the_whole_token() {
        let strip = |start, stop, token| StripDecoder { content: 'é', start, stop }.strip(token);
        assert_eq!(strip(1, 1, "ééé"), "é");
        assert_eq!(strip(2, 2, "ééé"), "");
        assert_eq!(strip(usize::MAX, 1, "ééaé"), "a");
        assert_eq!(strip(0, usize::MAX, ""), "");
        assert_eq!(strip(0, 3, "aé"), "a");
    }
}
