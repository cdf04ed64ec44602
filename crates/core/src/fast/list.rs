//! Lists of the starts and ends of chunks, of some blocks of a text.

use super::masks::BLOCK;
use crate::text::span::offset;

/// The number of blocks whose chunks are listed at a time.
pub(super) const BLOCKS: usize = 8;
/// The largest number of chunks: every byte may begin one, and one may be open.
pub(super) const CAPACITY: usize = BLOCKS * BLOCK + 1;
/// The number of starts that one loop iteration writes; surplus ones are overwritten later.
const TOGETHER: usize = 8;

/// The first bytes and the ends of chunks; the last chunk may be open (without an end).
///
/// Contiguous chunks end where the next one begins, and have no ends here.
#[derive(Debug)]
pub(super) struct ChunkList {
    starts: Box<[u32; CAPACITY + TOGETHER]>,
    ends: Box<[u32; CAPACITY]>,
    started: usize,
    ended: usize,
    /// Whether text that is in no chunk may be between chunks.
    has_gaps: bool,
}

impl Default for ChunkList {
    fn default() -> Self {
        let (starts, ends) = (Box::new([0; CAPACITY + TOGETHER]), Box::new([0; CAPACITY]));
        Self { starts, ends, started: 0, ended: 0, has_gaps: false }
    }
}

impl ChunkList {
    /// Empties the list; contiguous chunks begin at byte `first`.
    pub(super) fn start(&mut self, first: usize, has_gaps: bool) {
        (self.started, self.ended, self.has_gaps) = (0, 0, has_gaps);
        if !has_gaps {
            self.begin(first);
        }
    }

    /// Adds the starts and ends of chunks, one bit per byte, in a block that begins at byte `at`.
    #[inline]
    pub(super) fn add(&mut self, at: usize, mut starts: u64, mut ends: u64) {
        let at = offset(at);
        let (started, ended) = (starts.count_ones() as usize, ends.count_ones() as usize);
        let to = self.starts[self.started..].iter_mut().zip(&mut self.ends[self.ended..]);
        for (start, end) in to.take(started.max(ended)) {
            *start = at + starts.trailing_zeros();
            *end = at + ends.trailing_zeros();
            starts &= starts.wrapping_sub(1);
            ends &= ends.wrapping_sub(1);
        }
        self.started += started;
        self.ended += ended;
    }

    /// Ends the open chunk, if there is one, at byte `at`; then a contiguous one begins.
    pub(super) fn close(&mut self, at: usize) {
        if !self.has_gaps {
            if self.last_start() != at {
                self.begin(at);
            }
        } else if self.ended < self.started {
            self.ends[self.ended] = offset(at);
            self.ended += 1;
        }
    }

    /// Adds the first bytes of contiguous chunks in a block that begins at byte `at`.
    #[inline]
    pub(super) fn add_contiguous(&mut self, at: usize, mut starts: u64) {
        let (at, count) = (offset(at), starts.count_ones() as usize);
        for some in self.starts[self.started..].as_chunks_mut::<TOGETHER>().0.iter_mut().take(count.div_ceil(TOGETHER))
        {
            for start in some {
                *start = at + starts.trailing_zeros();
                starts &= starts.wrapping_sub(1);
            }
        }
        self.started += count;
        self.ended += count;
    }

    /// Begins a chunk at byte `at`, and ends the one before it, which is contiguous with it.
    pub(super) fn begin(&mut self, at: usize) {
        self.starts[self.started] = offset(at);
        self.ended = self.started;
        self.started += 1;
    }

    /// Returns the first byte of the last chunk.
    pub(super) fn last_start(&self) -> usize {
        self.starts[self.started - 1] as usize
    }

    /// Returns the first bit if the last contiguous chunk that is listed begins at byte `at`, else 0.
    #[inline(always)]
    pub(super) fn begins_at(&self, at: usize) -> u64 {
        u64::from(self.last_start() == at)
    }

    /// Adds one chunk.
    pub(super) fn push(&mut self, start: usize, end: usize) {
        self.starts[self.started] = offset(start);
        self.ends[self.ended] = offset(end);
        self.started += 1;
        self.ended += 1;
    }

    /// Removes all chunks except an open one.
    pub(super) fn remove_closed(&mut self) {
        if self.ended < self.started {
            self.starts[0] = self.starts[self.ended];
        }
        self.started -= self.ended;
        self.ended = 0;
    }

    /// Returns the byte ranges of the chunks.
    pub(super) fn chunks(&self) -> ChunkRanges<'_> {
        match self.has_gaps {
            true => ChunkRanges { starts: &self.starts[..self.ended], ends: &self.ends[..self.ended] },
            false => ChunkRanges::contiguous(&self.starts[..=self.ended]),
        }
    }
}

/// The byte ranges of chunks.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkRanges<'a> {
    starts: &'a [u32],
    ends: &'a [u32],
}

impl<'a> ChunkRanges<'a> {
    /// Returns the ranges of contiguous chunks: each ends where the next begins, the last one at the last start.
    pub(super) fn contiguous(starts: &'a [u32]) -> Self {
        Self { starts: &starts[..starts.len() - 1], ends: &starts[1..] }
    }

    /// Iterates over the ranges.
    #[inline(always)]
    pub(super) fn iter(self) -> impl Iterator<Item = (usize, usize)> + 'a {
        self.starts.iter().zip(self.ends).map(
            #[inline(always)]
            |(&start, &end)| (start as usize, end as usize),
        )
    }

    /// Returns the first byte of the chunk with this index; 0 if there is none.
    #[inline(always)]
    pub(super) fn start(self, index: usize) -> usize {
        self.starts.get(index).map_or(0, |&start| start as usize)
    }

    /// Returns the end of the chunk with this index; 0 if there is none.
    #[inline(always)]
    pub(super) fn end(self, index: usize) -> usize {
        self.ends.get(index).map_or(0, |&end| end as usize)
    }

    /// Returns the number of bytes from the first start to the last end.
    pub(super) fn bytes(self) -> usize {
        self.starts.first().zip(self.ends.last()).map_or(0, |(start, end)| (end - start) as usize)
    }
}
