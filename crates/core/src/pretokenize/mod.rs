//! Normalized text to words, each a span of it.

mod bert;
#[cfg_attr(not(test), expect(dead_code, reason = "`ByteLevel` is to call it"))]
mod gpt2;
mod whitespace;

use crate::span::Span;

/// How a normalized text is split into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreTokenizer {
    /// White space divides, and every punctuation character is a word of its own.
    Bert,
    /// White space divides.
    WhitespaceSplit,
}

/// Appends the words of `text` to `words`; without a pre-tokenizer the whole text is one word.
pub fn pre_tokenize(pre_tokenizer: Option<PreTokenizer>, text: &str, words: &mut Vec<Span>) {
    match pre_tokenizer {
        None if text.is_empty() => {}
        None => words.push(Span::new(0, text.len())),
        Some(PreTokenizer::Bert) => bert::pre_tokenize(text, words),
        Some(PreTokenizer::WhitespaceSplit) => whitespace::pre_tokenize(text, words),
    }
}

/// What a character does to the word it stands in.
enum Role {
    /// It belongs to the word.
    Inside,
    /// It ends the word and is dropped.
    Removed,
    /// It ends the word and is a word itself.
    Isolated,
}

/// Splits `text` by what `role` says of each character.
fn split(text: &str, words: &mut Vec<Span>, role: impl Fn(char) -> Role) {
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let role = role(c);
        if let Role::Inside = role {
            continue;
        }
        if start < at {
            words.push(Span::new(start, at));
        }
        start = at + c.len_utf8();
        if let Role::Isolated = role {
            words.push(Span::new(at, start));
        }
    }
    if start < text.len() {
        words.push(Span::new(start, text.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(pre_tokenizer: Option<PreTokenizer>, text: &str) -> Vec<&str> {
        let mut spans = Vec::new();
        pre_tokenize(pre_tokenizer, text, &mut spans);
        spans.into_iter().map(|span| &text[span.range()]).collect()
    }

    #[test]
    fn bert_isolates_punctuation() {
        assert_eq!(words(Some(PreTokenizer::Bert), " a.b\u{3000}«c» "), ["a", ".", "b", "«", "c", "»"]);
    }

    #[test]
    fn white_space_alone_divides() {
        assert_eq!(words(Some(PreTokenizer::WhitespaceSplit), " a.b\u{2028}c\n"), ["a.b", "c"]);
    }

    #[test]
    fn no_pre_tokenizer_leaves_one_word() {
        assert_eq!(words(None, " a b"), [" a b"]);
        assert!(words(None, "").is_empty());
    }
}
