//! Encodings end to end, put together in the order of the texts while these are worked on.

use std::collections::{BTreeMap, TryReserveError};

use piecework_core::encoding::Direction;
use piecework_core::pad::Padding;

use crate::batch::{Batch, Columns};

/// Encodings, end to end.
#[derive(Default)]
pub(crate) struct Encoded {
    pub(crate) ids: Vec<u32>,
    pub(crate) lengths: Vec<usize>,
    pub(crate) columns: Option<Columns>,
    /// Whether the first row goes on with the last of those before.
    pub(crate) continues: bool,
}

impl Encoded {
    pub(crate) fn new(columns: bool) -> Self {
        Self { columns: columns.then(Columns::default), ..Self::default() }
    }

    /// Moves the other's rows behind these; the other keeps its memory.
    fn append(&mut self, other: &mut Self) {
        self.ids.append(&mut other.ids);
        let mut lengths = other.lengths.drain(..);
        if std::mem::take(&mut other.continues)
            && let (Some(last), Some(more)) = (self.lengths.last_mut(), lengths.as_slice().first())
        {
            *last += more;
            lengths.next();
        }
        self.lengths.extend(lengths);
        if let (Some(columns), Some(others)) = (&mut self.columns, &mut other.columns) {
            columns.append(others);
        }
    }

    /// The same rows, of `target` tokens at least; an error if memory has no room for them.
    pub(crate) fn padded(self, padding: &Padding, target: usize) -> Result<Self, TryReserveError> {
        let Self { ids, mut lengths, columns, continues } = self;
        let room = Room { lengths: &lengths, target, direction: padding.direction };
        let ids = room.filled(&ids, padding.token.id)?;
        let columns = columns.map(|columns| columns.padded(&room, padding.type_id)).transpose()?;
        lengths.iter_mut().for_each(|length| *length = target.max(*length));
        Ok(Self { ids, lengths, columns, continues })
    }

    pub(crate) fn into_batch(self, unpadded: Option<(Vec<u32>, bool)>) -> Batch {
        let row_offsets = row_offsets(&self.lengths);
        Batch::new(self.ids, row_offsets, self.columns, unpadded)
    }
}

/// Takes pieces of work as they are done, and puts them in order.
pub(crate) struct Joined {
    all: Encoded,
    /// The piece that comes next.
    next: usize,
    /// Pieces that were done before their turn.
    early: BTreeMap<usize, Encoded>,
}

impl Joined {
    pub(crate) fn new(columns: bool) -> Self {
        Self { all: Encoded::new(columns), next: 0, early: BTreeMap::new() }
    }

    /// Takes the piece with this number, and leaves an empty one; in its turn it is copied while it is at hand.
    pub(crate) fn take(&mut self, number: usize, piece: &mut Encoded) {
        if number != self.next {
            let empty = Encoded::new(piece.columns.is_some());
            self.early.insert(number, std::mem::replace(piece, empty));
            return;
        }
        self.all.append(piece);
        self.next += 1;
        while let Some(mut early) = self.early.remove(&self.next) {
            self.all.append(&mut early);
            self.next += 1;
        }
    }

    pub(crate) fn finish(self) -> Encoded {
        self.all
    }
}

/// Rows that are to have `target` values at least.
pub(crate) struct Room<'a> {
    lengths: &'a [usize],
    target: usize,
    direction: Direction,
}

impl Room<'_> {
    /// The values of all rows, end to end, with `pad` where a row has none.
    pub(crate) fn filled<T: Copy>(&self, values: &[T], pad: T) -> Result<Vec<T>, TryReserveError> {
        let mut filled = Vec::new();
        filled.try_reserve_exact(self.lengths.iter().map(|&length| length.max(self.target)).sum())?;
        let mut start = 0;
        for &length in self.lengths {
            let row = values[start..start + length].iter().copied();
            let missing = std::iter::repeat_n(pad, self.target.saturating_sub(length));
            match self.direction {
                Direction::Left => filled.extend(missing.chain(row)),
                Direction::Right => filled.extend(row.chain(missing)),
            }
            start += length;
        }
        Ok(filled)
    }
}

#[expect(clippy::cast_possible_wrap, reason = "the number of ids in memory")]
fn row_offsets(lengths: &[usize]) -> Vec<i64> {
    let mut offsets = Vec::with_capacity(lengths.len() + 1);
    let mut end = 0;
    offsets.push(0);
    for &length in lengths {
        end += length as i64;
        offsets.push(end);
    }
    offsets
}
