//! Lists pre-tokens of grammars that match no white space.
//!
//! The pipeline may have a normalizer that changes only the case of ASCII characters. Then a *run* (text without ASCII
//! white space) is split into pre-tokens if it is ASCII, and is one chunk otherwise.

use super::classes::ClassifiedBlock;
use super::starts::{BlockContext, bits, firsts, highest, lowest, up_to};
use crate::fast::driver::BlockPosition;
use crate::fast::list::ChunkList;
use crate::fast::masks::below;
use crate::text::grammar::Grammar;

/// Lists the pre-tokens of a block, without the white space between them.
///
/// `over` is whether a contraction reaches the end of the block.
pub(super) fn list_matches(
    grammar: Grammar,
    here: BlockContext<'_>,
    (starts, over): (u64, bool),
    list: &mut ChunkList,
) -> BlockPosition {
    let ClassifiedBlock { length, ends, .. } = here.block;
    let gaps = here.block.white();
    let starts = starts & !gaps;
    let cuts = (starts | firsts(gaps)) & !(gaps << 1) & !here.begins();
    let in_gap = gaps >> (length - 1) & 1 != 0;
    let last = starts.checked_ilog2().unwrap_or(0) as usize;
    if ends || in_gap || !over && here.ends_in_word() {
        list.add(here.at, starts, cuts);
        BlockPosition { at: here.at + length, before: if in_gap || ends { 0 } else { here.last() } }
    } else if last > 0 || here.before != 0 {
        list.add(here.at, starts & below(last), cuts);
        BlockPosition::at(here.at + last)
    } else {
        let found = grammar.find(here.text, here.at).unwrap_or(here.at..here.text.len());
        list.push(found.start, found.end);
        BlockPosition::at(found.end)
    }
}

/// Lists the pre-tokens of runs that are ASCII; a run with other characters is one chunk.
pub(super) fn list_runs(here: BlockContext<'_>, lowercase: bool, list: &mut ChunkList) -> BlockPosition {
    let ClassifiedBlock { length, ends, high, .. } = here.block;
    let white = here.block.white();
    let heads = firsts(below(length) & !white);
    let starts = joined(here.clip(lowercase).0 & !white, heads, white, high);
    let cuts = (starts | firsts(white)) & !(white << 1) & !1;
    let last = highest(heads);
    BlockPosition::at(if ends || white >> (length - 1) & 1 != 0 {
        list.add(here.at, starts, cuts);
        here.at + length
    } else if last > 1 {
        // The run that continues in the next block may not be ASCII.
        list.add(here.at, starts & (last - 1), cuts & (last - 1));
        here.at + last.trailing_zeros() as usize
    } else {
        let rest = &here.text.as_bytes()[here.at..];
        let end = rest.iter().position(|byte| matches!(byte, b'\t'..=b'\r' | b' ')).unwrap_or(rest.len());
        list.push(here.at, here.at + end);
        here.at + end
    })
}

/// Returns the starts, with only the first one of each run that contains a byte of `high`.
fn joined(mut starts: u64, heads: u64, white: u64, high: u64) -> u64 {
    // The carry of the addition goes from the head of a run to its first byte that is in `high`.
    for hit in bits((!white & !high).wrapping_add(heads) & high) {
        let head = highest(heads & up_to(hit));
        let after = lowest(white & !up_to(hit));
        let run = after.wrapping_sub(1) & !(head - 1);
        starts = starts & !run | head;
    }
    starts
}
