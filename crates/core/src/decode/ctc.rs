//! The decoder of connectionist temporal classification (CTC), whose output has repetitions and padding.

use super::cleanup::CleanupStage;
use super::literal::LiteralStage;
use super::stage::{AnyStage, DecodeStage, DecodedParts, Stages};
use crate::error::Result;

/// A decoder that removes repetitions and padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CtcDecoder {
    /// The token that separates repeated tokens; it is removed anywhere in a token.
    pub pad_token: String,
    /// The token that becomes a space if `cleanup` is true.
    pub word_delimiter_token: String,
    /// Whether to clean up as [`super::WordPieceDecoder`] does, and to replace `word_delimiter_token` with a space.
    pub cleanup: bool,
}

impl Default for CtcDecoder {
    fn default() -> Self {
        Self { pad_token: "<pad>".to_owned(), word_delimiter_token: "|".to_owned(), cleanup: true }
    }
}

impl CtcDecoder {
    /// Adds the stages that remove repeated tokens and padding, then empty parts.
    pub(super) fn add_stages(&self, stages: &mut Stages) {
        stages.push(AnyStage::Repetitions(RepetitionsStage::default()));
        stages.push(AnyStage::Literal(LiteralStage::new(&self.pad_token, "")));
        if self.cleanup {
            stages.push(AnyStage::Cleanup(CleanupStage::default()));
            stages.push(AnyStage::Literal(LiteralStage::new(&self.word_delimiter_token, " ")));
        }
        stages.push(AnyStage::NonEmpty(NonEmptyStage::default()));
    }
}

/// The stage that removes repeated parts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RepetitionsStage {
    /// The part before, followed by the differing bytes of this one.
    last: Option<Vec<u8>>,
    /// The number of bytes of the part before that this one repeats; `None` after the first difference.
    repeated: Option<usize>,
}

impl RepetitionsStage {
    /// Emits the delayed bytes of a part that differs.
    fn differ(&mut self, out: &mut DecodedParts) -> Result<()> {
        let last = self.last.get_or_insert_default();
        if let Some(repeated) = self.repeated.take() {
            last.truncate(repeated);
            out.push(last)?;
        }
        Ok(())
    }
}

impl DecodeStage for RepetitionsStage {
    fn receive(&mut self, fragment: &[u8], out: &mut DecodedParts) -> Result<()> {
        if let (Some(last), Some(repeated)) = (&self.last, &mut self.repeated)
            && last[*repeated..].starts_with(fragment)
        {
            *repeated += fragment.len();
            return Ok(());
        }
        self.differ(out)?;
        if let Some(last) = &mut self.last {
            last.extend_from_slice(fragment);
        }
        out.push(fragment)
    }

    fn end(&mut self, out: &mut DecodedParts) -> Result<()> {
        let is_repetition = self.repeated.is_some() && self.repeated == self.last.as_ref().map(Vec::len);
        if !is_repetition {
            self.differ(out)?;
            out.end();
        }
        self.repeated = Some(0);
        Ok(())
    }
}

/// The stage that removes empty parts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct NonEmptyStage {
    has_text: bool,
}

impl DecodeStage for NonEmptyStage {
    fn receive(&mut self, fragment: &[u8], out: &mut DecodedParts) -> Result<()> {
        self.has_text = true;
        out.push(fragment)
    }

    fn end(&mut self, out: &mut DecodedParts) -> Result<()> {
        if std::mem::take(&mut self.has_text) {
            out.end();
        }
        Ok(())
    }
}
