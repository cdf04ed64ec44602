//! The driver: lists the chunks of a text, some blocks at a time, by the program of a plan.
//!
//! A block has up to 64 bytes. A program lists the chunks that begin in it and returns the place of the next block, which
//! may be inside this one: where the end of the last chunk depends on what follows, the next block begins at that chunk.
//!
//! Chunks come in order, and those without gaps tile the text. A region of unchanged text ends where a chunk ends.

use super::list::{BLOCKS, ChunkList, ChunkRanges};
use super::masks::{BLOCK, Masks, first_block};
use super::plan::CutPlan;
use super::programs::Program;
use super::unchanged::Regions;
use crate::pretokenize::divisions::PieceEnds;
use crate::stop::Work;

/// The beginning of a block.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BlockPosition {
    /// The first byte.
    pub(super) at: usize,
    /// The properties of the character before it that the program reads, a bit each; 0 at the beginning of a text.
    pub(super) before: u64,
}

impl BlockPosition {
    /// Returns the place of a byte at which a chunk begins, whatever is before it.
    #[inline(always)]
    pub(super) fn at(at: usize) -> Self {
        Self { at, before: 0 }
    }
}

/// The list of chunks that is being filled.
pub(super) struct Listing<'a> {
    pub(super) list: &'a mut ChunkList,
    /// The ends of pieces that are found one at a time.
    pub(super) pieces: PieceEnds,
    /// The number of blocks that are still to be listed.
    blocks: usize,
}

/// The next blocks of a text, whose chunks a program lists.
///
/// A program implements [`BlockLoop`](super::masks::BlockLoop) for them by [`Blocks::each_block`]; the output is the place after the blocks. The text
/// ends where a chunk ends; the driver ends the last one there.
pub(super) struct Blocks<'a, 'l, P> {
    pub(super) program: &'a P,
    pub(super) text: &'a str,
    pub(super) place: BlockPosition,
    pub(super) listing: &'a mut Listing<'l>,
}

impl<'l, P> Blocks<'_, 'l, P> {
    /// Calls `list` with each of the next blocks and its number of bytes; `list` returns the place of the next one.
    #[inline(always)]
    pub(super) fn each_block<const SETS: usize>(
        self,
        masks: impl Fn(&[u8; BLOCK]) -> Masks<SETS> + Copy,
        list: impl Fn(BlockPosition, (Masks<SETS>, usize), &mut Listing<'l>) -> BlockPosition,
    ) -> BlockPosition {
        let text = self.text.as_bytes();
        self.each(
            #[inline(always)]
            |place, listing| list(place, first_block(&text[place.at..], masks), listing),
        )
    }

    /// Calls `list` with the place of each of the next blocks; `list` returns the place of the next one.
    ///
    /// It lists at most as many chunks as a block has bytes.
    #[inline(always)]
    pub(super) fn each(self, list: impl Fn(BlockPosition, &mut Listing<'l>) -> BlockPosition) -> BlockPosition {
        let Self { text, mut place, listing, .. } = self;
        while listing.blocks > 0 && place.at < text.len() {
            place = list(place, listing);
            listing.blocks -= 1;
        }
        place
    }
}

impl CutPlan {
    /// Calls `take` with the chunks of a text from byte `first` on, a list of chunks at a time.
    ///
    /// `first` is the result of [`CutPlan::first`]. The text has at most 2^32 bytes. With `lines`, each line is a text by
    /// itself, if the plan counts lines: see [`CutPlan::counts_lines`].
    pub(super) fn cut<E>(
        &self,
        text: &str,
        first: usize,
        lines: bool,
        list: &mut ChunkList,
        mut take: impl FnMut(ChunkRanges<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        list.start(first, self.has_gaps);
        let mut listing = Listing { list, pieces: PieceEnds::default(), blocks: 0 };
        let (mut place, mut regions) = (BlockPosition::at(first), Regions::new(lines));
        let mut work = Work::default();
        while place.at < text.len() {
            work.add(BLOCKS * BLOCK);
            listing.blocks = BLOCKS;
            while listing.blocks > 0 && place.at < text.len() {
                place = self.region(text, place, &mut regions, &mut listing);
            }
            take(listing.list.chunks())?;
            listing.list.remove_closed();
        }
        Ok(())
    }

    /// Lists the next blocks of the region at a place, and returns the place after them.
    #[inline]
    fn region(
        &self,
        text: &str,
        place: BlockPosition,
        regions: &mut Regions,
        listing: &mut Listing<'_>,
    ) -> BlockPosition {
        let (end, has_pieces) = match &self.program {
            Program::Words(words) => {
                let is_safe = |at| words.is_safe_split_point(text.as_bytes(), at);
                regions.at(text, place.at, &words.unchanged, is_safe)
            }
            // The whole text is one region.
            _ => (text.len(), true),
        };
        let place = if has_pieces {
            self.program.blocks(self.kernel, &text[..end], place, listing)
        } else {
            listing.blocks -= 1;
            BlockPosition::at(end)
        };
        if place.at == end {
            listing.list.close(end);
        }
        place
    }
}
