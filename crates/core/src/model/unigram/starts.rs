//! The pieces that a text begins with, by its first character.
//!
//! Each search begins with a whole character, and most end with the next. So where the first one leads is looked up at once.

use std::collections::BTreeSet;

use crate::trie::{NONE, Node, Trie};

/// A trie over the bytes of pieces, and where each first character leads in it.
#[derive(Debug)]
pub(super) struct Starts {
    trie: Trie,
    /// For each 64 characters, which block is theirs; the first is of characters that lead nowhere.
    index: Box<[u16]>,
    blocks: Vec<[First; BLOCK]>,
}

/// Where a character leads, and the piece that it is by itself, or [`NONE`].
#[derive(Debug, Clone, Copy)]
struct First {
    node: Node,
    piece: u32,
}

const BLOCK: usize = 64;
const NOWHERE: First = First { node: Node::LEAF, piece: NONE };

impl Starts {
    /// Of pieces with their ids; `None` if these have too many bytes together.
    pub(super) fn new(pieces: Vec<(&str, u32)>) -> Option<Self> {
        let firsts: BTreeSet<char> = pieces.iter().filter_map(|(text, _)| text.chars().next()).collect();
        let trie = Trie::new(pieces.into_iter().map(|(text, id)| (text.as_bytes().to_vec(), id)).collect())?;
        let (mut index, mut blocks) = (vec![0; 0x11_0000 / BLOCK], vec![[NOWHERE; BLOCK]]);
        for c in firsts {
            let block = &mut index[c as usize / BLOCK];
            if *block == 0 {
                *block = u16::try_from(blocks.len()).ok()?;
                blocks.push([NOWHERE; BLOCK]);
            }
            let (node, piece) = trie.follow(c.encode_utf8(&mut [0; 4]).as_bytes());
            blocks[usize::from(*block)][c as usize % BLOCK] = First { node, piece };
        }
        Some(Self { trie, index: index.into(), blocks })
    }

    /// Gives the piece that the first character `c` of a text is, or [`NONE`], and calls `each` with the longer pieces that the text
    /// begins with, from the shortest, and how much longer they are in bytes; `rest` is what stands behind.
    #[inline]
    pub(super) fn each(&self, c: char, rest: &[u8], each: impl FnMut(usize, u32)) -> u32 {
        let First { node, piece } = self.blocks[usize::from(self.index[c as usize / BLOCK])][c as usize % BLOCK];
        self.trie.each_from(node, rest, each);
        piece
    }

    /// The trie.
    pub(super) fn trie(&self) -> &Trie {
        &self.trie
    }
}
