//! Construction of a rule trie over bytes as a double array, in the format that `precompiled` describes.
//!
//! Equal subtrees are shared: hundreds of thousands of rules have many common ends. A child's index is its parent's
//! base XOR its byte, and it stores the byte, so no two nodes may have the same base.

use std::collections::{BTreeMap, HashMap};

use crate::error::{Error, Result, shorten};

/// The maximum length of a replaced string in bytes, which is also the depth of recursion.
const LONGEST: usize = 255;
/// The number of units in a block; a look-up of any byte from a base stays within its block.
const BLOCK: usize = 256;
/// The number of bits of an offset that is not a multiple of a block.
const OFFSET_BITS: u32 = 21;
/// A free unit, which matches no byte. A zero would match NUL, which SentencePiece looks up like any other byte.
const FREE: u32 = 1 << 31;

/// Returns the compiled rules: the length of the trie, the trie, all replacements, each with a final NUL.
pub(super) fn packed(rules: impl IntoIterator<Item = (String, String)>) -> Result<Vec<u8>> {
    let (mut pool, mut places, mut keys) = (Vec::new(), HashMap::new(), BTreeMap::new());
    // Sorted, so that equal rules always give the same bytes.
    for (from, to) in rules.into_iter().collect::<BTreeMap<_, _>>() {
        check(&from, &to)?;
        let place = *places.entry(to).or_insert_with_key(|to: &String| {
            let place = pool.len();
            pool.extend(to.bytes().chain([0]));
            place
        });
        keys.insert(from.into_bytes(), value(place)?);
    }
    let keys: Vec<(Vec<u8>, u32)> = keys.into_iter().collect();
    let mut trie = Trie::default();
    let root = trie.node(&keys, 0);
    let units = Layout::of(&trie.nodes, root)?;
    let mut map = u32::try_from(4 * units.len()).map_err(|_| too_many())?.to_le_bytes().to_vec();
    map.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    map.extend(pool);
    Ok(map)
}

fn check(from: &str, to: &str) -> Result<()> {
    let wrong = |what: &str| Err(Error::Config(format!("the rule for {:?} {what}", shorten(from)).into()));
    match () {
        () if from.is_empty() => wrong("replaces nothing; expected a string that is not empty"),
        () if from.len() > LONGEST => wrong(&format!("replaces more than {LONGEST} bytes")),
        () if from.contains('\0') || to.contains('\0') => wrong("holds NUL, which ends a replacement"),
        () => Ok(()),
    }
}

fn value(place: usize) -> Result<u32> {
    u32::try_from(place).ok().filter(|place| place >> 31 == 0).ok_or_else(too_many)
}

fn too_many() -> Error {
    Error::Config("the rules are too many for a precompiled_charsmap".into())
}

/// A node: the value that ends here, and its children as bytes and node indices.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    value: Option<u32>,
    children: Vec<(u8, usize)>,
}

/// The nodes, children before their parents.
#[derive(Default)]
struct Trie {
    nodes: Vec<Node>,
    known: HashMap<Node, usize>,
}

impl Trie {
    /// Returns the index of the node of sorted keys that share their first `depth` bytes.
    fn node(&mut self, keys: &[(Vec<u8>, u32)], depth: usize) -> usize {
        let (value, longer) = match keys.split_first() {
            Some(((key, value), rest)) if key.len() == depth => (Some(*value), rest),
            _ => (None, keys),
        };
        let by_byte = longer.chunk_by(|(one, _), (other, _)| one[depth] == other[depth]);
        let children = by_byte.map(|keys| (keys[0].0[depth], self.node(keys, depth + 1))).collect();
        let node = Node { value, children };
        *self.known.entry(node).or_insert_with_key(|node| {
            self.nodes.push(node.clone());
            self.nodes.len() - 1
        })
    }
}

/// The units during construction.
struct Layout {
    units: Vec<u32>,
    /// One bit per unit: set if it is free.
    free: Vec<u64>,
    is_base: Vec<bool>,
    /// No unit before this index is free.
    first: usize,
}

impl Layout {
    fn of(nodes: &[Node], root: usize) -> Result<Vec<u32>> {
        let mut layout = Self { units: Vec::new(), free: Vec::new(), is_base: Vec::new(), first: 0 };
        layout.grow();
        // The root is found from index 0.
        layout.take(0);
        let bases: Vec<usize> = nodes.iter().map(|node| layout.place(node)).collect();
        layout.units[0] = unit(0, 0, bases[root], &nodes[root])?;
        for (node, &base) in nodes.iter().zip(&bases) {
            if let Some(value) = node.value {
                layout.units[base] = value | 1 << 31;
            }
            for &(byte, child) in &node.children {
                let at = base ^ usize::from(byte);
                layout.units[at] = unit(byte, at, bases[child], &nodes[child])?;
            }
        }
        Ok(layout.units)
    }

    /// Reserves the units of a node, at the first free place of its first one; returns the base from which they are reached.
    fn place(&mut self, node: &Node) -> usize {
        let labels: Vec<usize> =
            node.value.map(|_| 0).into_iter().chain(node.children.iter().map(|&(byte, _)| byte.into())).collect();
        self.first = self.first_free(self.first);
        let mut at = self.first;
        loop {
            let base = at ^ labels.first().copied().unwrap_or_default();
            if !self.is_base[base] && labels.iter().all(|label| self.is_free(base ^ label)) {
                self.is_base[base] = true;
                labels.iter().for_each(|label| self.take(base ^ label));
                return base;
            }
            at = self.first_free(at + 1);
        }
    }

    /// Returns the first free unit from a place on.
    fn first_free(&mut self, from: usize) -> usize {
        let (mut word, mut from_on) = (from / 64, u64::MAX << (from % 64));
        loop {
            if word >= self.free.len() {
                self.grow();
            }
            let free = self.free[word] & from_on;
            if free != 0 {
                return word * 64 + free.trailing_zeros() as usize;
            }
            (word, from_on) = (word + 1, u64::MAX);
        }
    }

    fn is_free(&self, at: usize) -> bool {
        self.free[at / 64] >> (at % 64) & 1 == 1
    }

    fn take(&mut self, at: usize) {
        self.free[at / 64] &= !(1 << (at % 64));
    }

    fn grow(&mut self) {
        let length = self.units.len() + BLOCK;
        self.units.resize(length, FREE);
        self.free.resize(length / 64, u64::MAX);
        self.is_base.resize(length, false);
    }
}

/// Returns the unit at `at` for a byte, whose node has the base `base`.
fn unit(byte: u8, at: usize, base: usize, node: &Node) -> Result<u32> {
    let offset = u32::try_from(at ^ base).map_err(|_| too_many())?;
    if offset >> OFFSET_BITS != 0 {
        return Err(too_many());
    }
    Ok(u32::from(byte) | u32::from(node.value.is_some()) << 8 | offset << 10)
}

#[cfg(test)]
mod tests {
    use super::super::Precompiled;

    #[test]
    fn packed_rules_are_found() {
        let rules = [("a", "1"), ("ab", ""), ("abc", "a longer one"), ("é", "1"), ("éc", "3"), ("bc", "3")];
        let rules = rules.map(|(from, to)| (from.to_owned(), to.to_owned()));
        let map = Precompiled::of(rules.clone()).unwrap();
        for (from, to) in &rules {
            assert_eq!(map.longest_rule(&format!("{from}x")), Some((from.len(), to.as_str())));
        }
        assert_eq!((map.longest_rule("xa"), map.longest_rule("b")), (None, None));
    }

    #[test]
    fn no_unit_but_the_root_matches_nul() {
        let map = Precompiled::of([("a".to_owned(), "1".to_owned())]).unwrap();
        let (size, rest) = map.charsmap().split_first_chunk().unwrap();
        let units =
            rest[..u32::from_le_bytes(*size) as usize].as_chunks().0.iter().map(|unit| u32::from_le_bytes(*unit));
        assert_eq!(units.filter(|unit| unit & (1 << 31 | 0xFF) == 0).count(), 1);
    }

    #[test]
    fn invalid_rules_are_errors() {
        for (from, to, said) in
            [("", "a", "replaces nothing"), ("a", "b\0", "holds NUL"), (&*"a".repeat(256), "b", "more than 255 bytes")]
        {
            let error = Precompiled::of([(from.to_owned(), to.to_owned())]).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
