//! A decoder that replaces the matches of a pattern.

use std::borrow::Cow;

use super::Parts;
use crate::error::Result;
use crate::text::pattern::Pattern;
use crate::text::span::check_bytes;

/// The expression for a space at the very end, in the syntax that Oniguruma and Python's `re` share.
pub(crate) const LAST_SPACE: &str = r" (?![\s\S])";

/// A decoder that replaces the matches of a pattern in each token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaceDecoder {
    /// The pattern.
    pub pattern: Pattern,
    /// The literal replacement; group references are not expanded.
    pub content: String,
}

impl ReplaceDecoder {
    pub(super) fn decode_chain<'a>(&self, parts: Parts<'a>) -> Result<Parts<'a>> {
        parts.into_iter().map(|part| self.replace(part)).collect()
    }

    /// Whether one space at the end is removed, for which nobody has to search, nor a stream to wait for the whole part.
    pub(super) fn removes_last_space(&self) -> bool {
        self.content.is_empty() && self.pattern.is_regex() && self.pattern.source() == LAST_SPACE
    }

    /// Replaces the matches in one part; returns an error if the result would be too long.
    pub(super) fn replace<'a>(&self, part: Cow<'a, str>) -> Result<Cow<'a, str>> {
        if self.removes_last_space() {
            return Ok(without_last_space(part));
        }
        let mut found = Vec::new();
        self.pattern.find_matches(&part, |range| found.push(range))?;
        if found.is_empty() {
            return Ok(part);
        }
        let kept = part.len() - found.iter().map(ExactSizeIterator::len).sum::<usize>();
        let length = kept.saturating_add(found.len().saturating_mul(self.content.len()));
        check_bytes(length)?;
        let mut text = String::with_capacity(length);
        let mut end = 0;
        for range in found {
            text.push_str(&part[end..range.start]);
            text.push_str(&self.content);
            end = range.end;
        }
        text.push_str(&part[end..]);
        Ok(Cow::Owned(text))
    }
}

fn without_last_space(part: Cow<'_, str>) -> Cow<'_, str> {
    match part {
        Cow::Borrowed(text) => text.strip_suffix(' ').unwrap_or(text).into(),
        Cow::Owned(mut text) => {
            text.truncate(text.strip_suffix(' ').unwrap_or(&text).len());
            text.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_space_is_what_the_expression_finds() {
        let by_hand = ReplaceDecoder { pattern: Pattern::regex(LAST_SPACE).unwrap(), content: String::new() };
        // Another way to write the same, which is searched for.
        let searched = ReplaceDecoder { pattern: Pattern::regex(r" \z").unwrap(), content: String::new() };
        assert!(by_hand.removes_last_space() && !searched.removes_last_space());
        for text in ["", " ", "  ", "a", "a ", "a  ", " a", "a \n", "a\n ", "a b ", "中 ", "a\u{a0}", "a \u{300}"] {
            let found = searched.replace(text.into()).unwrap();
            assert_eq!(by_hand.replace(text.into()).unwrap(), found);
            assert_eq!(by_hand.replace(Cow::Owned(text.to_owned())).unwrap(), found);
        }
    }
}
