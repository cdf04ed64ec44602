//! A map from characters to values with fast look-up.

const BLOCK: usize = 64;

/// Values by character, in a table of two stages; the first block contains only the default.
#[derive(Debug, Clone)]
pub(crate) struct CharMap<T> {
    /// The block of each 64 characters.
    index: Box<[u16]>,
    blocks: Vec<[T; BLOCK]>,
}

impl<T: Copy> CharMap<T> {
    /// Returns a map in which all characters have this value.
    pub(crate) fn new(value: T) -> Self {
        Self { index: vec![0; 0x11_0000 / BLOCK].into(), blocks: vec![[value; BLOCK]] }
    }

    /// Returns the value of a character.
    #[inline]
    pub(crate) fn get(&self, c: char) -> T {
        self.blocks[usize::from(self.index[c as usize / BLOCK])][c as usize % BLOCK]
    }

    /// Returns a reference to a character's value.
    pub(crate) fn get_mut(&mut self, c: char) -> &mut T {
        let block = &mut self.index[c as usize / BLOCK];
        if *block == 0 {
            *block = u16::try_from(self.blocks.len()).expect("as many blocks as there are in the index, and one");
            self.blocks.push(self.blocks[0]);
        }
        &mut self.blocks[usize::from(*block)][c as usize % BLOCK]
    }
}

/// A set of characters: whether it contains each.
pub(crate) type CharSet = CharMap<bool>;

impl Default for CharSet {
    fn default() -> Self {
        Self::new(false)
    }
}

impl CharSet {
    /// Returns whether the set contains a character.
    #[inline]
    pub(crate) fn contains(&self, c: char) -> bool {
        self.get(c)
    }

    /// Returns the characters in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = char> + '_ {
        let blocks = (0..).step_by(BLOCK).zip(&self.index).filter(|(_, block)| **block > 0);
        let inside = |(first, _): (u32, &u16)| (first..).take(BLOCK).filter_map(char::from_u32);
        blocks.flat_map(inside).filter(|&c| self.contains(c))
    }

    /// Adds a character.
    pub(crate) fn insert(&mut self, c: char) {
        *self.get_mut(c) = true;
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
    fn every_character_has_its_value() {
        let mut map = CharMap::new(7);
        let others = ['\0', 'a', '?', '@', '中', '\u{ffff}', char::MAX];
        (0..).zip(others).for_each(|(number, c)| *map.get_mut(c) = number);
        for c in '\0'..=char::MAX {
            let wanted = (0..).zip(others).find_map(|(number, other)| (c == other).then_some(number));
            assert_eq!(map.get(c), wanted.unwrap_or(7), "{c:?}");
        }
    }

    #[test]
    fn a_set_contains_its_characters() {
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
