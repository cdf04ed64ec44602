//! White space divides, nothing else does.

use super::{Role, split};
use crate::span::Span;
use crate::unicode;

pub(super) fn pre_tokenize(text: &str, words: &mut Vec<Span>) {
    split(text, words, |c| if unicode::class(c).is_whitespace() { Role::Removed } else { Role::Inside });
}
