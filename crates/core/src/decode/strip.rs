//! The decoder that removes a character from the ends of tokens.

use super::search::{Needle, Section};
use super::stage::{DecodeStage, DecodedParts};
use crate::error::Result;

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

/// The stage that removes a character from the ends of each part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StripStage {
    needle: Needle,
    matched: usize,
    ends: StripState,
}

/// The character to strip, and the progress of the current part.
#[derive(Debug, Clone, PartialEq)]
struct StripState {
    content: Vec<u8>,
    start: usize,
    stop: usize,
    /// The number of characters removed at the start, or `None` if no more are.
    dropped: Option<usize>,
    /// The number of such characters that are last so far, if they may be removed at the end.
    delayed: usize,
}

impl StripStage {
    /// Returns whether the stage may remove a character.
    pub(super) fn strips(&self, character: char) -> bool {
        *self.ends.content == *character.encode_utf8(&mut [0; 4]).as_bytes()
    }

    pub(super) fn new(settings: &StripDecoder) -> Self {
        let StripDecoder { content, start, stop } = *settings;
        let content = content.to_string();
        let needle = Needle::new(&content);
        Self {
            needle,
            matched: 0,
            ends: StripState { content: content.into_bytes(), start, stop, dropped: at_start(start), delayed: 0 },
        }
    }
}

/// Returns the state at the start of a part of which at most this many characters are removed.
fn at_start(most: usize) -> Option<usize> {
    (most > 0).then_some(0)
}

impl StripState {
    /// Returns whether nothing is removed from the rest of the part.
    fn strips_nothing_more(&self) -> bool {
        self.dropped.is_none() && self.stop == 0
    }

    fn each(&mut self, found: &Section<'_>, out: &mut DecodedParts) -> Result<()> {
        match found {
            Section::Match => self.content(out),
            Section::Other(other) => self.other(other, out),
        }
    }

    /// Receives an occurrence of the character.
    fn content(&mut self, out: &mut DecodedParts) -> Result<()> {
        if let Some(dropped) = self.dropped {
            self.dropped = Some(dropped + 1).filter(|&dropped| dropped < self.start);
            return Ok(());
        }
        if self.delayed < self.stop {
            self.delayed += 1;
            return Ok(());
        }
        out.push(&self.content)
    }

    /// Receives other text.
    fn other(&mut self, other: &[u8], out: &mut DecodedParts) -> Result<()> {
        if other.is_empty() {
            return Ok(());
        }
        self.dropped = None;
        for _ in 0..std::mem::take(&mut self.delayed) {
            out.push(&self.content)?;
        }
        out.push(other)
    }
}

impl DecodeStage for StripStage {
    fn receive(&mut self, fragment: &[u8], out: &mut DecodedParts) -> Result<()> {
        if self.ends.strips_nothing_more() && self.matched == 0 {
            return out.push(fragment);
        }
        self.needle.receive(&mut self.matched, fragment, |found| self.ends.each(&found, out))
    }

    fn end(&mut self, out: &mut DecodedParts) -> Result<()> {
        self.needle.end(&mut self.matched, |found| self.ends.each(&found, out))?;
        (self.ends.dropped, self.ends.delayed) = (at_start(self.ends.start), 0);
        out.end();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Decoder;

    #[test]
    fn strips_at_most_the_whole_token() {
        let strip =
            |start, stop, token| Decoder::Strip(StripDecoder { content: 'é', start, stop }).decode([token]).unwrap();
        assert_eq!(strip(1, 1, "ééé"), "é");
        assert_eq!(strip(2, 2, "ééé"), "");
        assert_eq!(strip(usize::MAX, 1, "ééaé"), "a");
        assert_eq!(strip(0, usize::MAX, ""), "");
        assert_eq!(strip(0, 3, "aé"), "a");
    }
}
