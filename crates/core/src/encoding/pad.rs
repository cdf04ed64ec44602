//! Padding: encodings of one length.

use crate::encoding::{Direction, Encoding, NamedToken};
use crate::error::{Error, Result};

/// Longer rows are refused: no model reads them, and a slip of the finger should not take all memory.
const LONGEST: usize = 1 << 28;

/// How encodings are padded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Padding {
    /// The length; `None` is that of the longest in the batch.
    pub length: Option<usize>,
    /// Lengths are rounded up to a multiple of this; 0 is as good as `None`.
    pub pad_to_multiple_of: Option<usize>,
    /// Where the padding goes.
    pub direction: Direction,
    /// What is put there.
    pub token: NamedToken,
    /// Its type id.
    pub type_id: u32,
}

impl Padding {
    /// The length that encodings are padded to, of which the longest has `longest` tokens.
    pub fn target(&self, longest: usize) -> Result<usize> {
        let length = self.length.unwrap_or(longest);
        let multiple = self.pad_to_multiple_of.unwrap_or(0).max(1);
        let target = length.checked_next_multiple_of(multiple).filter(|&target| target <= LONGEST);
        target.ok_or_else(|| {
            let multiple = if multiple > 1 { format!(", to a multiple of {multiple},") } else { String::new() };
            Error::Config(format!("padding to {length} tokens{multiple} makes rows of more than 2^28 tokens"))
        })
    }

    /// Pads one encoding for itself.
    pub(crate) fn pad(&self, encoding: &mut Encoding) -> Result<()> {
        let target = self.target(encoding.len())?;
        encoding.pad(target, &self.token, self.type_id, self.direction);
        Ok(())
    }

    /// Pads the ids of one encoding for themselves.
    pub fn pad_ids(&self, ids: &mut Vec<u32>) -> Result<()> {
        let missing = self.target(ids.len())?.saturating_sub(ids.len());
        let padding = std::iter::repeat_n(self.token.id, missing);
        match self.direction {
            Direction::Left => drop(ids.splice(0..0, padding)),
            Direction::Right => ids.extend(padding),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        let token = NamedToken::new("[PAD]", 0);
        let padding =
            Padding { length: None, pad_to_multiple_of: Some(8), direction: Direction::Right, token, type_id: 0 };
        assert_eq!((padding.target(0), padding.target(8), padding.target(9)), (Ok(0), Ok(8), Ok(16)));
        assert!(Padding { length: Some(usize::MAX), ..padding }.target(1).is_err());
    }
}
