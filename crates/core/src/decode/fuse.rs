//! The decoder that concatenates all parts.

use super::stage::{Parts, Stage};
use crate::error::Result;

/// The stage that concatenates all parts; the result ends with the input.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fuse;

impl Stage for Fuse {
    fn receive(&mut self, fragment: &[u8], out: &mut Parts) -> Result<()> {
        out.push(fragment)
    }

    fn end(&mut self, _out: &mut Parts) -> Result<()> {
        Ok(())
    }

    fn pass_on(&mut self, parts: &mut Parts) -> bool {
        parts.join();
        true
    }

    fn finish(&mut self, out: &mut Parts) -> Result<()> {
        out.end();
        Ok(())
    }
}
