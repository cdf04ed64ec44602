//! The compiled normalization rules of a `SentencePiece` model.
//!
//! A rule set is a trie over bytes in a double array (Darts). Its leaves contain positions in a pool of texts; a
//! replacement ends at the next NUL. The format is that of SentencePiece's normalizer, as the reference library reads
//! it.
//!
//! **Rules.** A grapheme cluster of fewer than six bytes that *begins* with the shortest rule is replaced as a whole;
//! any other cluster character by character. A character without rule is kept.

use std::collections::HashMap;
use std::sync::OnceLock;

use unicode_segmentation::UnicodeSegmentation;

use super::Normalized;
use super::locality::{Locality, WordChanges};
use crate::error::{Error, Result};
use crate::stop::Work;
use crate::text::unicode::CharSet;

/// The length in bytes from which grapheme clusters are never looked up as a whole.
const LONG_CLUSTER: usize = 6;
/// The maximum number of visited nodes in the search for changed characters; a node counts once for each path.
const MOST_NODES: usize = 1 << 21;

/// The largest length of a rule in bytes. A file may have longer ones, even endless ones, but no text needs them.
const LONGEST_RULE: usize = 255;
/// The largest number of bytes of a rule set; those of SentencePiece have a quarter of a million.
const MOST_BYTES: usize = 1 << 24;
/// The largest number of bytes that a rule writes.
const LONGEST_REPLACEMENT: usize = 1 << 16;

/// A rule set.
#[derive(Debug)]
pub struct Precompiled {
    /// The bytes of the file.
    charsmap: Vec<u8>,
    trie: Vec<u32>,
    pool: String,
    /// The characters that rules change, and the bytes that they contain next to others.
    changes: OnceLock<Option<(CharSet, [bool; 256])>>,
}

impl PartialEq for Precompiled {
    fn eq(&self, other: &Self) -> bool {
        self.charsmap == other.charsmap
    }
}

impl Eq for Precompiled {}

impl Precompiled {
    /// The maximum number of bytes before a position that affect what the rules make of the text after it.
    pub(crate) const LONGEST_WINDOW: usize = LONG_CLUSTER - 1;

    /// Reads the rules of a `precompiled_charsmap`: the length of the trie in bytes, the trie, the pool.
    pub fn new(charsmap: Vec<u8>) -> Result<Self> {
        let invalid = |what: &str| Error::Config(format!("not a precompiled_charsmap: {what}").into());
        let (length, rest) = charsmap.split_first_chunk().ok_or_else(|| invalid("it is shorter than four bytes"))?;
        let length = u32::from_le_bytes(*length) as usize / 4 * 4;
        let (trie, pool) = rest.split_at_checked(length).ok_or_else(|| invalid("its trie is longer than the data"))?;
        let trie: Vec<u32> =
            trie.chunks_exact(4).map(|unit| u32::from_le_bytes([unit[0], unit[1], unit[2], unit[3]])).collect();
        if trie.is_empty() {
            return Err(invalid("its trie is empty"));
        }
        let pool = std::str::from_utf8(pool).map_err(|_| invalid("its replacements are not UTF-8"))?.to_owned();
        if charsmap.len() > MOST_BYTES {
            return Err(invalid(&format!("it has more than {MOST_BYTES} bytes")));
        }
        if pool.split('\0').any(|text| text.len() > LONGEST_REPLACEMENT) {
            return Err(invalid(&format!("it has replacements of more than {LONGEST_REPLACEMENT} bytes")));
        }
        let rules = Self { trie, pool, charsmap, changes: OnceLock::new() };
        if rules.height().is_none_or(|height| height > LONGEST_RULE) {
            return Err(invalid(&format!("it has rules of more than {LONGEST_RULE} bytes")));
        }
        Ok(rules)
    }

    /// Returns the bytes of the `precompiled_charsmap`.
    #[must_use]
    pub fn charsmap(&self) -> &[u8] {
        &self.charsmap
    }

    /// Returns the longest rule that is a prefix of `text`: the number of bytes it replaces, and the replacement.
    pub(super) fn longest_rule<'a>(&'a self, text: &'a str) -> Option<(usize, &'a str)> {
        self.rules_of(text).filter(|&(length, _)| text.is_char_boundary(length)).last()
    }

    /// Returns the characters that a rule replaces alone, or contains after others.
    ///
    /// A text without any of these is unchanged. The result is `None` if there are more rules than any file needs.
    pub(crate) fn changed_characters(&self) -> Option<&CharSet> {
        self.changes().map(|(changed, _)| changed)
    }

    /// Returns whether a rule may contain a byte next to others.
    pub(crate) fn joins(&self, byte: u8) -> bool {
        self.changes().is_none_or(|(_, joined)| joined[usize::from(byte)])
    }

    fn changes(&self) -> Option<&(CharSet, [bool; 256])> {
        self.changes.get_or_init(|| self.find_changes()).as_ref()
    }

    /// Returns whether a rule replaces a single byte with this text.
    pub(crate) fn becomes(&self, byte: u8, text: &str) -> bool {
        self.longest_rule(char::from(byte).encode_utf8(&mut [0; 4])).is_some_and(|(_, new)| new == text)
    }

    /// Returns the texts that a rule replaces by a text with this character; `None` if there are too many rules.
    pub(crate) fn sources(&self, c: char) -> Option<Vec<String>> {
        let mut sources = Vec::new();
        self.each(|source, value| {
            if let (Ok(source), true) = (str::from_utf8(source), self.text_at(value)?.contains(c)) {
                sources.push(source.to_owned());
            }
            Some(())
        })?;
        Some(sources)
    }

    /// Returns the characters that no rule replaces, and those of all replacements.
    pub(super) fn written_of(&self, from: &CharSet) -> CharSet {
        let is_kept = |c: &char| self.longest_rule(c.encode_utf8(&mut [0; 4])).is_none();
        from.iter().filter(is_kept).chain(self.pool.chars().filter(|&c| c != '\0')).collect()
    }

    pub(super) fn locality(&self) -> Locality<'_> {
        // Rules take shorter clusters as a whole, however they begin.
        Locality { words: Some(WordChanges { rules: Some(self), ..WordChanges::default() }), ..Locality::default() }
    }

    pub(super) fn normalize(&self, text: &mut Normalized, spare: &mut Normalized) -> Result<()> {
        // The new characters, each with its number of old ones: see `Rewriter::change`.
        let (mut changes, mut has_match, mut work) = (Vec::new(), false, Work::default());
        for cluster in clusters(text.text()) {
            work.add(cluster.len());
            has_match |= self.normalize_cluster(cluster, text, &mut changes)?;
        }
        if has_match {
            text.rewrite(spare, |to| changes.iter().for_each(|&(c, change)| to.change(c, change)));
        }
        Ok(())
    }

    /// Appends the characters of a cluster; returns whether a rule replaced some.
    fn normalize_cluster(&self, cluster: &str, text: &Normalized, changes: &mut Vec<(char, isize)>) -> Result<bool> {
        if cluster.len() < LONG_CLUSTER
            && let Some(replacement) = self.replacement(cluster)
        {
            replace(cluster, replacement, changes);
            text.check_growth(changes.len())?;
            return Ok(true);
        }
        let mut has_match = false;
        for (at, c) in cluster.char_indices() {
            let part = &cluster[at..at + c.len_utf8()];
            let replacement = self.replacement(part);
            has_match |= replacement.is_some();
            match replacement {
                Some(replacement) => replace(part, replacement, changes),
                None => changes.push((c, 0)),
            }
            text.check_growth(changes.len())?;
        }
        Ok(has_match)
    }
}

/// Returns the grapheme clusters; ASCII before ASCII is a cluster by itself, except for a line end of two characters.
fn clusters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let length = match rest.as_bytes() {
            [] => return None,
            [first, second, ..] if first.is_ascii() && second.is_ascii() && *first != b'\r' => 1,
            _ => rest.graphemes(true).next().map_or(rest.len(), str::len),
        };
        let (cluster, after) = rest.split_at(length);
        rest = after;
        Some(cluster)
    })
}

/// Appends one text in place of another, as the reference library does.
///
/// Characters beyond the old ones are inserted. If there are fewer, the *last existing change* takes the difference; if the
/// replacement is empty, that is the change before it, and at the very start the difference is lost.
fn replace(old: &str, new: &str, changes: &mut Vec<(char, isize)>) {
    let start = changes.len();
    changes.extend(new.chars().map(|c| (c, 0)));
    let (old, new) = (old.chars().count(), changes.len() - start);
    for (_, change) in changes.iter_mut().rev().take(new.saturating_sub(old)) {
        *change = 1;
    }
    if let Some((_, change)) = changes.last_mut() {
        *change -= old.saturating_sub(new).cast_signed();
    }
}

impl Precompiled {
    /// Returns the replacement of the shortest rule that is a prefix of `text`.
    fn replacement<'a>(&'a self, text: &'a str) -> Option<&'a str> {
        self.rules_of(text).next().map(|(_, replacement)| replacement)
    }

    /// Returns the rules that are prefixes of `text`, the shortest first: the number of replaced bytes, and the
    /// replacement.
    fn rules_of<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        let mut bytes = text.bytes().enumerate();
        let mut node = self.unit(0).map(|root| self.offset(root));
        std::iter::from_fn(move || {
            loop {
                let (at, byte) = bytes.next()?;
                let place = node? ^ usize::from(byte);
                let unit = self.unit(place).filter(|unit| byte != 0 && unit & (1 << 31 | 0xFF) == u32::from(byte));
                node = unit.map(|unit| place ^ self.offset(unit));
                if unit? >> 8 & 1 == 1 {
                    return Some((at + 1, self.text_at(node?)?));
                }
            }
        })
    }

    /// Computes [`Self::changed_characters`] and [`Self::joins`].
    fn find_changes(&self) -> Option<(CharSet, [bool; 256])> {
        let (mut changed, mut joined) = (CharSet::default(), [false; 256]);
        self.each(|source, _| {
            if source.len() > 1 {
                source.iter().for_each(|&byte| joined[usize::from(byte)] = true);
            }
            let source = str::from_utf8(source).unwrap_or_default();
            let is_alone = source.chars().nth(1).is_none();
            source.chars().skip(usize::from(!is_alone)).for_each(|c| changed.insert(c));
            Some(())
        })?;
        Some((changed, joined))
    }

    /// Calls `each` with the text of every rule and the node of its value, until it returns `None`; `None` also if there are
    /// more rules than any file needs.
    fn each(&self, mut each: impl FnMut(&[u8], usize) -> Option<()>) -> Option<()> {
        let (children, mut text, mut nodes) = (self.children(), Vec::new(), 0);
        // The number of bytes before a unit, its byte, and its place; a text has all bytes before those of its longer texts.
        let mut open = vec![(0, None, 0)];
        while let Some((before, byte, place)) = open.pop() {
            nodes += 1;
            text.truncate(before);
            text.extend(byte);
            if nodes > MOST_NODES {
                return None;
            }
            let unit = self.unit(place)?;
            let node = place ^ self.offset(unit);
            if byte.is_some() && unit >> 8 & 1 == 1 {
                each(&text, node)?;
            }
            open.extend(children.get(node)?.iter().map(|&byte| (text.len(), Some(byte), node ^ usize::from(byte))));
        }
        Some(())
    }

    /// Returns the number of bytes of the longest path from the root; `None` if a path leads back to itself.
    fn height(&self) -> Option<usize> {
        let (children, root) = (self.children(), self.offset(self.unit(0)?));
        let of_node = |node: usize| {
            let bytes = children.get(node).into_iter().flatten();
            bytes.filter_map(move |&byte| {
                let place = node ^ usize::from(byte);
                self.unit(place).map(|unit| place ^ self.offset(unit))
            })
        };
        // The heights of nodes that are done; `None` for those on the current path.
        let mut heights: HashMap<usize, Option<usize>> = HashMap::from([(root, None)]);
        let mut path = vec![(root, of_node(root))];
        while let Some((node, rest)) = path.last_mut() {
            match rest.next() {
                Some(next) => match heights.get(&next) {
                    None => {
                        heights.insert(next, None);
                        path.push((next, of_node(next)));
                    }
                    Some(None) => return None,
                    Some(Some(_)) => {}
                },
                None => {
                    let below = of_node(*node).filter_map(|next| heights[&next]).map(|height| height + 1);
                    let height = below.max().unwrap_or_default();
                    heights.insert(*node, Some(height));
                    path.pop();
                }
            }
        }
        heights[&root]
    }

    /// Returns the bytes of the transitions of each node.
    fn children(&self) -> Vec<Vec<u8>> {
        let mut children = vec![Vec::new(); self.trie.len()];
        for (place, unit) in self.trie.iter().enumerate().filter(|(_, unit)| *unit >> 31 == 0) {
            let [byte, ..] = unit.to_le_bytes();
            if let Some(all) = children.get_mut(place ^ usize::from(byte)).filter(|_| byte != 0) {
                all.push(byte);
            }
        }
        children
    }

    /// Returns the replacement that the value at `node` refers to.
    fn text_at(&self, node: usize) -> Option<&str> {
        let start = (self.unit(node)? & !(1 << 31)) as usize;
        self.pool.get(start..)?.split('\0').next()
    }

    fn unit(&self, node: usize) -> Option<u32> {
        self.trie.get(node).copied()
    }

    fn offset(&self, unit: u32) -> usize {
        (unit as usize >> 10) << ((unit & 1 << 9) >> 6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_rule_sets_are_errors() {
        for bytes in [&b""[..], b"\x01", b"\xff\0\0\0", b"\0\0\0\0", b"\x04\0\0\0\0\0\0\0\xff"] {
            assert!(Precompiled::new(bytes.to_vec()).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn endless_and_long_rules_are_errors() {
        let refused = |units: &[u32]| {
            let length = u32::try_from(4 * units.len()).unwrap().to_le_bytes();
            let units = units.iter().flat_map(|unit| unit.to_le_bytes());
            let error = Precompiled::new(length.into_iter().chain(units).collect()).unwrap_err().to_string();
            assert!(error.contains("it has rules of more than 255 bytes"), "{error}");
        };
        // The child of the node at 256 by `x` leads back to it.
        let mut units = vec![1 << 31; 512];
        (units[0], units[256 ^ 0x78]) = (256 << 10, 0x78 | 0x78 << 10);
        refused(&units);
        // A chain of 256 nodes, each the child of the one before by `x`.
        let mut units = vec![1 << 31; 512 * 257];
        let place = |number: u32| (256 * number) ^ 0x78;
        units[0] = 256 << 10;
        for number in 1..=256 {
            units[place(number) as usize] = 0x78 | (place(number) ^ (256 * (number + 1))) << 10;
        }
        refused(&units);
    }

    #[test]
    fn a_trie_without_targets_changes_nothing() {
        let rules = Precompiled::new(b"\x04\0\0\0\xff\xff\xff\x7fab\0".to_vec()).unwrap();
        let (mut text, mut spare) = <(Normalized, Normalized)>::default();
        text.start("aé", 0, true);
        rules.normalize(&mut text, &mut spare).unwrap();
        assert_eq!(text.text(), "aé");
    }

    #[test]
    fn clusters_of_all_kinds() {
        let text = "a\r\ne\u{301}x👩‍👩‍👧";
        let expected: Vec<&str> = text.graphemes(true).collect();
        assert_eq!(clusters(text).collect::<Vec<_>>(), expected);
    }
}
