//! The decoder that concatenates all parts.

use super::stage::{DecodeStage, DecodedParts};
use crate::error::Result;

/// The stage that concatenates all parts; the result ends with the input.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FuseStage;

impl DecodeStage for FuseStage {
    fn receive(&mut self, fragment: &[u8], out: &mut DecodedParts) -> Result<()> {
        out.push(fragment)
    }

    fn end(&mut self, _out: &mut DecodedParts) -> Result<()> {
        Ok(())
    }

    fn pass_on(&mut self, parts: &mut DecodedParts) -> bool {
        parts.join();
        true
    }

    fn finish(&mut self, out: &mut DecodedParts) -> Result<()> {
        out.end();
        Ok(())
    }
}
