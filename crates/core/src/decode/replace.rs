//! The decoder that replaces the matches of a pattern.

use super::literal::LiteralStage;
use super::stage::{AnyStage, DecodeStage, DecodedParts};
use super::strip::{StripDecoder, StripStage};
use crate::error::Result;
use crate::text::pattern::Pattern;

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
    /// Returns the stage that replaces the matches.
    pub(super) fn stage(&self) -> AnyStage {
        if self.removes_last_space() {
            return AnyStage::Strip(StripStage::new(&StripDecoder { content: ' ', start: 0, stop: 1 }));
        }
        if self.pattern.is_regex() {
            return AnyStage::Pattern(PatternStage::new(self));
        }
        AnyStage::Literal(LiteralStage::new(self.pattern.source(), &self.content).without_empty_parts())
    }

    /// Whether one space at the end is removed, for which nobody has to search, nor a stream to wait for the whole part.
    fn removes_last_space(&self) -> bool {
        self.content.is_empty() && self.pattern.is_regex() && self.pattern.source() == LAST_SPACE
    }
}

/// The stage that replaces the matches of a pattern in each part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PatternStage {
    decoder: ReplaceDecoder,
    part: Vec<u8>,
}

impl PatternStage {
    pub(super) fn new(decoder: &ReplaceDecoder) -> Self {
        Self { decoder: decoder.clone(), part: Vec::new() }
    }

    /// Emits a part with its matches replaced; returns an error if the result would be too long.
    fn replace(&self, part: &str, out: &mut DecodedParts) -> Result<()> {
        let ReplaceDecoder { pattern, content } = &self.decoder;
        let mut found = Vec::new();
        pattern.find_matches(part, |range| found.push(range))?;
        // Before memory is used.
        out.check(found.len().saturating_mul(content.len()))?;
        let mut end = 0;
        for range in found {
            out.push(&part.as_bytes()[end..range.start])?;
            out.push(content.as_bytes())?;
            end = range.end;
        }
        out.push(&part.as_bytes()[end..])
    }
}

impl DecodeStage for PatternStage {
    fn receive(&mut self, fragment: &[u8], _out: &mut DecodedParts) -> Result<()> {
        self.part.extend_from_slice(fragment);
        Ok(())
    }

    fn end(&mut self, out: &mut DecodedParts) -> Result<()> {
        let part = std::mem::take(&mut self.part);
        self.part(&part, out)
    }

    fn part(&mut self, part: &[u8], out: &mut DecodedParts) -> Result<()> {
        self.replace(&String::from_utf8_lossy(part), out)?;
        out.end();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Decoder;

    #[test]
    fn the_last_space_is_what_the_expression_finds() {
        let by_hand = ReplaceDecoder { pattern: Pattern::regex(LAST_SPACE).unwrap(), content: String::new() };
        // Another way to write the same, which is searched for.
        let searched = ReplaceDecoder { pattern: Pattern::regex(r" \z").unwrap(), content: String::new() };
        assert!(by_hand.removes_last_space() && !searched.removes_last_space());
        for text in ["", " ", "  ", "a", "a ", "a  ", " a", "a \n", "a\n ", "a b ", "中 ", "a\u{a0}", "a \u{300}"] {
            let [found, wanted] =
                [&by_hand, &searched].map(|decoder| Decoder::Replace(decoder.clone()).decode([text]).unwrap());
            assert_eq!(found, wanted);
        }
    }
}
