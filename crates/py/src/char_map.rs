//! Maps from the bytes of a text to its characters.

use piecework_core::encoding::Encoding;
use piecework_core::text::span::Span;

/// A map from the bytes of a text to its characters; `None` if it is ASCII.
pub(crate) struct CharacterOffsets(Option<Vec<CharBlock>>);

/// A block of 64 bytes of a text.
#[derive(Clone, Copy)]
struct CharBlock {
    /// The number of characters that begin before it.
    before: u32,
    /// A bit for each byte that begins a character.
    begins: u64,
}

impl CharacterOffsets {
    pub(crate) fn new(text: &str) -> Self {
        if text.is_ascii() {
            return Self(None);
        }
        let mut before = 0;
        let block = |bytes: &[u8]| {
            let block = CharBlock { before, begins: begins(bytes) };
            before += block.begins.count_ones();
            block
        };
        let mut blocks: Vec<CharBlock> = text.as_bytes().chunks(64).map(block).collect();
        blocks.push(CharBlock { before, begins: 0 });
        Self(Some(blocks))
    }

    /// Returns the index of the character that begins at a byte, or the number of characters at the end.
    fn character(blocks: &[CharBlock], byte: u32) -> u32 {
        let CharBlock { before, begins } = blocks[byte as usize / 64];
        before + (begins & !(u64::MAX << (byte % 64))).count_ones()
    }

    pub(crate) fn characters(&self, span: Span) -> (u32, u32) {
        match &self.0 {
            None => (span.start, span.end),
            Some(blocks) => (Self::character(blocks, span.start), Self::character(blocks, span.end)),
        }
    }
}

/// Returns a bit for each of up to 64 bytes that begins a character.
fn begins(bytes: &[u8]) -> u64 {
    let mut block = [0x80; 64];
    block[..bytes.len()].copy_from_slice(bytes);
    block.as_chunks::<8>().0.iter().rev().fold(0, |begins, eight| {
        let word = u64::from_le_bytes(*eight);
        let bits = !(word >> 7 & !(word >> 6)) & 0x0101_0101_0101_0101;
        // The factor moves the bit of byte `i` to bit `56 + i`, and no two products overlap.
        begins << 8 | bits.wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

/// The maps from bytes to characters of a text, or of a pair.
pub(crate) struct CharMaps {
    /// The maps of each text: one, or one for each word.
    pub(crate) maps: [Vec<CharacterOffsets>; 2],
    /// Whether there is a map for each word.
    pub(crate) words: bool,
}

impl CharMaps {
    /// Returns the map of a single text.
    pub(crate) fn of(text: &str) -> Self {
        Self { maps: [vec![CharacterOffsets::new(text)], Vec::new()], words: false }
    }

    /// Returns the spans of an encoding's tokens in characters.
    pub(crate) fn characters(&self, encoding: &Encoding) -> impl Iterator<Item = (u32, u32)> {
        let of = move |place: usize| {
            let maps = self.maps.get(encoding.texts[place] as usize)?;
            let map = maps.get(if self.words { encoding.word_ids[place] as usize } else { 0 })?;
            Some(map.characters(encoding.spans[place]))
        };
        (0..encoding.len()).map(move |place| of(place).unwrap_or_default())
    }
}
