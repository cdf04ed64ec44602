//! `WordPiece` decoding: words joined by spaces, continuing tokens to what precedes them.

/// Joins tokens to text as `tokenizers` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPieceDecoder {
    /// What marks a continuing token.
    pub prefix: String,
    /// Undo the spaces that splitting put before punctuation and English contractions.
    pub cleanup: bool,
}

impl Default for WordPieceDecoder {
    fn default() -> Self {
        Self { prefix: "##".to_owned(), cleanup: true }
    }
}

/// What cleaning up replaces in each token with its leading space, in this order.
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

impl WordPieceDecoder {
    /// The text of `tokens`.
    #[must_use]
    pub fn decode<'a>(&self, tokens: impl IntoIterator<Item = &'a str>) -> String {
        let mut text = String::new();
        for (place, token) in tokens.into_iter().enumerate() {
            let token = match token.strip_prefix(&self.prefix) {
                _ if place == 0 => token.to_owned(),
                Some(rest) => rest.to_owned(),
                None => format!(" {token}"),
            };
            text.push_str(&if self.cleanup { cleanup(token) } else { token });
        }
        text
    }
}

fn cleanup(mut token: String) -> String {
    for (found, replacement) in CLEANUP {
        if token.contains(found) {
            token = token.replace(found, replacement);
        }
    }
    token
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
}
