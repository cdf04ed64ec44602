//! Padding: encodings of equal length.

use crate::encoding::{Direction, Encoding, NamedToken};
use crate::error::{Error, Result};
use crate::memory::Growable;

/// The maximum row length in tokens; a larger request is assumed to be a mistake.
const MAX_ROW_LENGTH: usize = 1 << 28;

/// The settings of padding.
///
/// ```
/// use piecework_core::encoding::pad::Padding;
/// use piecework_core::encoding::{Direction, NamedToken};
///
/// let token = NamedToken::new("[PAD]", 0);
/// let padding = Padding { length: None, pad_to_multiple_of: Some(8), direction: Direction::Right, token, type_id: 0 };
/// assert_eq!(padding.target(5)?, 8);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Padding {
    /// The length in tokens; `None` means the longest in the batch.
    pub length: Option<usize>,
    /// Lengths are rounded up to a multiple of this; 0 means `None`.
    pub pad_to_multiple_of: Option<usize>,
    /// The side that is padded.
    pub direction: Direction,
    /// The padding token.
    pub token: NamedToken,
    /// Its type id.
    pub type_id: u32,
}

impl Padding {
    /// Returns the length to pad to, if the longest encoding has `longest` tokens.
    pub fn target(&self, longest: usize) -> Result<usize> {
        let length = self.length.unwrap_or(longest);
        let multiple = self.pad_to_multiple_of.unwrap_or(0).max(1);
        let target = length.checked_next_multiple_of(multiple).filter(|&target| check_length(target).is_ok());
        target.ok_or_else(|| {
            let multiple = if multiple > 1 { format!(", to a multiple of {multiple},") } else { String::new() };
            Error::Config(format!("padding to {length} tokens{multiple} makes rows of more than 2^28 tokens").into())
        })
    }

    /// Pads an encoding of a batch to `target` tokens.
    pub fn pad_to(&self, encoding: &mut Encoding, target: usize) {
        encoding.pad(target, &self.token, self.type_id, self.direction);
    }

    /// Pads a single encoding.
    pub(crate) fn pad(&self, encoding: &mut Encoding) -> Result<()> {
        self.pad_to(encoding, self.target(encoding.len())?);
        Ok(())
    }

    /// Returns the ids of a single encoding, padded.
    pub fn padded_ids(&self, ids: &[u32]) -> Result<Vec<u32>> {
        let mut padded = Vec::new();
        append_padded(&mut padded, ids, self.target(ids.len())?, self.direction, self.token.id);
        Ok(padded)
    }
}

/// Returns an error for a row that is assumed to be a mistake.
pub(super) fn check_length(length: usize) -> Result<()> {
    if length <= MAX_ROW_LENGTH {
        return Ok(());
    }
    Err(Error::Config(format!("padding to {length} tokens makes rows of more than 2^28 tokens").into()))
}

/// Appends a row to `out`, padded to at least `target` values.
pub fn append_padded<T: Copy>(out: &mut Vec<T>, row: &[T], target: usize, direction: Direction, pad: T) {
    out.make_room(target.max(row.len()));
    let missing = std::iter::repeat_n(pad, target.saturating_sub(row.len()));
    let row = row.iter().copied();
    match direction {
        Direction::Left => out.extend(missing.chain(row)),
        Direction::Right => out.extend(row.chain(missing)),
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
