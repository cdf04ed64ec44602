//! A set of characters with fast look-up.

/// A set of characters as bits, in a table of two stages; equal blocks are shared.
#[derive(Debug, Clone)]
pub(crate) struct CharSet {
    /// The block of each 256 characters.
    index: Box<[u16]>,
    blocks: Vec<[u64; 4]>,
}

impl Default for CharSet {
    fn default() -> Self {
        Self { index: vec![0; 0x11_0000 / 256].into(), blocks: vec![[0; 4]] }
    }
}

impl CharSet {
    /// Returns whether the set contains a character.
    #[inline]
    pub(crate) fn contains(&self, c: char) -> bool {
        let c = c as usize;
        self.blocks[usize::from(self.index[c / 256])][c % 256 / 64] >> (c % 64) & 1 == 1
    }

    /// Returns the characters in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = char> + '_ {
        let blocks = (0..).step_by(256).zip(&self.index).filter(|(_, block)| **block > 0);
        let inside = |(first, _): (u32, &u16)| (first..first + 256).filter_map(char::from_u32);
        blocks.flat_map(inside).filter(|&c| self.contains(c))
    }

    /// Adds a character.
    pub(crate) fn insert(&mut self, c: char) {
        let c = c as usize;
        let block = &mut self.index[c / 256];
        if *block == 0 {
            *block = u16::try_from(self.blocks.len()).expect("as many blocks as there are in the index, at most");
            self.blocks.push([0; 4]);
        }
        self.blocks[usize::from(*block)][c % 256 / 64] |= 1 << (c % 64);
    }
}

impl FromIterator<char> for CharSet {
    fn from_iter<T: IntoIterator<Item = char>>(all: T) -> Self {
        let mut set = Self::default();
        all.into_iter().for_each(|c| set.insert(c));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_inserted_characters() {
        let is_in = |c: &char| (*c as u32).is_multiple_of(7) || *c == char::MAX;
        let set: CharSet =
            ('\0'..=char::MAX).filter(|c| (*c as u32) < 0x3000 || *c as u32 > 0x2_0000).filter(is_in).collect();
        for c in '\0'..=char::MAX {
            let wanted = is_in(&c) && ((c as u32) < 0x3000 || c as u32 > 0x2_0000);
            assert_eq!(set.contains(c), wanted, "{c:?}");
        }
        assert!(set.iter().eq(('\0'..=char::MAX).filter(|&c| set.contains(c))));
    }
}
