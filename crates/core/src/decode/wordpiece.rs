//! The `WordPiece` decoder, which joins words with spaces and continuing tokens without.

use std::borrow::Cow;

use super::Parts;
use super::cleanup::{cleaned, is_clean};

/// A decoder that joins tokens to text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPieceDecoder {
    /// The prefix of a continuing token.
    pub prefix: String,
    /// Whether to remove spaces before punctuation and in English contractions, in each token separately.
    pub cleanup: bool,
}

impl Default for WordPieceDecoder {
    fn default() -> Self {
        Self { prefix: "##".to_owned(), cleanup: true }
    }
}

impl WordPieceDecoder {
    /// Returns the text of `tokens` without an intermediate list of parts.
    #[must_use]
    pub fn decode<'a>(&self, tokens: impl IntoIterator<Item = &'a str>) -> String {
        let mut text = String::new();
        for (place, token) in tokens.into_iter().enumerate() {
            let start = text.len();
            let (space, rest) = self.part(place, token);
            text.push_str(space);
            text.push_str(rest);
            if self.cleanup && !is_clean(&text[start..]) {
                let part = text.split_off(start);
                text.push_str(&cleaned(Cow::Owned(part)));
            }
        }
        text
    }

    pub(super) fn decode_chain<'a>(&self, parts: Parts<'a>) -> Parts<'a> {
        let decode = |(place, token): (usize, Cow<'a, str>)| {
            let (space, rest) = self.part(place, &token);
            let part = if space.len() + rest.len() == token.len() { token } else { Cow::Owned([space, rest].concat()) };
            if self.cleanup { cleaned(part) } else { part }
        };
        parts.into_iter().enumerate().map(decode).collect()
    }

    /// Returns the separator before a token (a space or nothing) and the token without its prefix.
    fn part<'a>(&self, place: usize, token: &'a str) -> (&'static str, &'a str) {
        match token.strip_prefix(&self.prefix) {
            _ if place == 0 => ("", token),
            Some(rest) => ("", rest),
            None => (" ", token),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_and_cleans_up() {
        let decoder = WordPieceDecoder::default();
        assert_eq!(decoder.decode(["un", "##able", ",", "it", "'s", "##"]), "unable, it's");
        let plain = WordPieceDecoder { cleanup: false, ..decoder };
        assert_eq!(plain.decode(["##a", ",", "##b"]), "##a ,b");
    }

    #[test]
    fn concatenated_parts_equal_the_text() {
        let tokens = ["##a", "b", "##.", ".", "##", "", "do not", " do not", "'s", "a .b"];
        for cleanup in [true, false] {
            for prefix in ["##", "", "b"] {
                let decoder = WordPieceDecoder { prefix: prefix.to_owned(), cleanup };
                let parts = decoder.decode_chain(tokens.map(Cow::Borrowed).into());
                assert_eq!(parts.concat(), decoder.decode(tokens));
            }
        }
    }
}
