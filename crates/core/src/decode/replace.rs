//! What a pattern finds, replaced.

use std::borrow::Cow;

use super::Parts;
use crate::error::Result;
use crate::text::pattern::Pattern;
use crate::text::span::check_bytes;

/// Replaces what a pattern finds in each token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaceDecoder {
    /// What is looked for.
    pub pattern: Pattern,
    /// What it becomes, as it stands: groups are not filled in.
    pub content: String,
}

impl ReplaceDecoder {
    pub(super) fn decode_chain<'a>(&self, parts: Parts<'a>) -> Result<Parts<'a>> {
        parts.into_iter().map(|part| self.replace(part)).collect()
    }

    pub(super) fn replace<'a>(&self, part: Cow<'a, str>) -> Result<Cow<'a, str>> {
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
