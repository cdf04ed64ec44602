//! `WordPiece` decoding: words joined by spaces, continuing tokens to what precedes them.

use std::borrow::Cow;

use super::Parts;
use super::cleanup::{cleaned, is_clean};

/// Joins tokens to text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPieceDecoder {
    /// What marks a continuing token.
    pub prefix: String,
    /// Undo the spaces that splitting put before punctuation and English contractions, in each token by itself.
    pub cleanup: bool,
}

impl Default for WordPieceDecoder {
    fn default() -> Self {
        Self { prefix: "##".to_owned(), cleanup: true }
    }
}

impl WordPieceDecoder {
    /// The text of `tokens`, without a list of parts in between.
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

    /// What comes of a token: a space or nothing, and what is left of it.
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
    fn parts_in_a_row_are_the_text() {
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
