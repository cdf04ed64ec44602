//! BERT's pre-tokenization: white space divides, punctuation stands alone.

use super::{Role, split};
use crate::span::Span;
use crate::unicode;

pub(super) fn pre_tokenize(text: &str, words: &mut Vec<Span>) {
    split(text, words, |c| {
        let class = unicode::class(c);
        if class.is_whitespace() {
            Role::Removed
        } else if class.is_punctuation() {
            Role::Isolated
        } else {
            Role::Inside
        }
    });
}
