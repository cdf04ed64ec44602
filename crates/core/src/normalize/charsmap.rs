//! Construction of a `precompiled_charsmap`, the normalization rules of `SentencePiece`, from Unicode data or custom
//! rules.
//!
//! `tools/charsmap_tables.py` generates `rules.tsv`. The named rules are those of SentencePiece 0.2.3: each character
//! whose NFKC differs from it, and each string that composes to a character, spelled with any characters of the same
//! forms.
//!
//! The rules are built on request, by name, from a table of 85 KB. The finished maps, of 250 KB each, would be larger,
//! and custom rules need the builder anyway.

use std::collections::HashMap;

use super::Precompiled;
use crate::error::{Error, Message, Result, did_you_mean, shorten};

/// The names of the built-in rules; `identity` has none.
pub const RULES: [&str; 5] = ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"];

const TABLE: &str = include_str!("rules.tsv");
// A checkout with other line ends would have one section and not three.
const _: () =
    assert!(!contains(TABLE.as_bytes(), b'\r'), "rules.tsv has the line ends of Windows; check it out with LF");

/// A map from replaced strings to their replacements.
type Rules = HashMap<String, String>;

impl Precompiled {
    /// Returns the rules with this name, or `None` for `identity`.
    pub fn named(name: &str) -> Result<Option<Self>> {
        let rules = match name {
            "nfkc" => compatible(),
            "nmt_nfkc" => cleaned(compatible()),
            "nfkc_cf" => folded(compatible()),
            "nmt_nfkc_cf" => folded(cleaned(compatible())),
            "identity" => return Ok(None),
            _ => {
                let problem = format!("no rules are called {:?}, but {RULES:?}", shorten(name));
                return Err(Error::Config(Message::new(problem).maybe_hint(did_you_mean(name, &RULES))));
            }
        };
        Self::of(needed(rules)).map(Some)
    }

    /// Returns the rules that replace strings with others.
    pub fn of(rules: impl IntoIterator<Item = (String, String)>) -> Result<Self> {
        Self::new(super::double_array::packed(rules)?)
    }
}

const fn contains(bytes: &[u8], wanted: u8) -> bool {
    let mut place = 0;
    while place < bytes.len() {
        if bytes[place] == wanted {
            return true;
        }
        place += 1;
    }
    false
}

/// Returns the pairs of a section of the table.
fn table(part: usize) -> impl Iterator<Item = (String, String)> {
    let text = |codes: &str| {
        codes.split(' ').filter_map(|code| u32::from_str_radix(code, 16).ok().and_then(char::from_u32)).collect()
    };
    let lines = TABLE.split("\n\n").nth(part).unwrap_or_default().lines();
    lines.filter_map(move |line| line.split_once('\t').map(|(from, to)| (text(from), text(to))))
}

/// Returns the rules of NFKC.
fn compatible() -> Rules {
    let singles: Rules = table(0).collect();
    let mut spellings: HashMap<char, Vec<char>> = HashMap::new();
    for (from, to) in &singles {
        if let (Some(c), Some(form), 1) = (from.chars().next(), to.chars().next(), to.chars().count()) {
            spellings.entry(form).or_insert_with(|| vec![form]).push(c);
        }
    }
    let mut rules = singles;
    for (parts, whole) in table(1).chain(syllables()) {
        for spelled in spelled(&parts, &spellings).into_iter().filter(|spelled| *spelled != whole) {
            rules.insert(spelled, whole.clone());
        }
    }
    rules
}

/// Returns the decomposed and the composed Hangul syllables.
fn syllables() -> impl Iterator<Item = (String, String)> {
    let (leads, vowels, tails) = (0x1100..0x1113, 0x1161..0x1176, 0x11A7..0x11C3_u32);
    let parts = leads.flat_map(move |lead| {
        let tails = tails.clone();
        vowels.clone().flat_map(move |vowel| tails.clone().map(move |tail| [lead, vowel, tail]))
    });
    (0xAC00..).zip(parts).map(|(syllable, parts)| {
        let text = |codes: &[u32]| codes.iter().copied().filter_map(char::from_u32).collect::<String>();
        // The first trail represents none.
        (text(if parts[2] == 0x11A7 { &parts[..2] } else { &parts }), text(&[syllable]))
    })
}

/// Returns all strings whose characters have these forms.
fn spelled(parts: &str, spellings: &HashMap<char, Vec<char>>) -> Vec<String> {
    parts.chars().fold(vec![String::new()], |texts, form| {
        let all = spellings.get(&form).map_or_else(|| std::slice::from_ref(&form).to_vec(), Clone::clone);
        texts.iter().flat_map(|text| all.iter().map(move |c| format!("{text}{c}"))).collect()
    })
}

/// Adds the clean-up of neural machine translation: removes control characters, replaces unusual white space, keeps
/// `～`.
fn cleaned(mut rules: Rules) -> Rules {
    let controls = ('\u{1}'..='\u{8}').chain(['\u{B}', '\u{7F}', '\u{8F}', '\u{9F}']).chain('\u{E}'..='\u{1F}');
    let spaces = "\t\n\u{C}\r\u{1680}\u{61C}\u{200B}\u{200C}\u{200E}\u{200F}\u{2028}\u{2029}\u{2581}\u{FEFF}\u{FFFD}";
    rules.extend(controls.map(|c| (c.to_string(), String::new())));
    rules.extend(spaces.chars().map(|c| (c.to_string(), " ".to_owned())));
    rules.remove("\u{FF5E}");
    rules
}

/// Adds case folding of the replacements, and of characters without rule.
fn folded(mut rules: Rules) -> Rules {
    let folds: Rules = table(2).collect();
    let fold = |text: &str| {
        let each = text.chars().map(String::from);
        each.map(|c| folds.get(&c).cloned().unwrap_or(c)).collect::<String>()
    };
    rules.values_mut().for_each(|value| *value = fold(value));
    for (from, to) in &folds {
        rules.entry(from.clone()).or_insert_with(|| to.clone());
    }
    rules
}

/// Removes the rules that shorter rules imply.
fn needed(rules: Rules) -> Rules {
    let length = |text: &str| text.chars().count();
    let longest = rules.keys().map(|key| length(key)).max().unwrap_or_default();
    let mut by_length = vec![Vec::new(); longest + 1];
    rules.into_iter().for_each(|rule| by_length[length(&rule.0)].push(rule));
    let mut kept = Rules::new();
    for (size, rules) in by_length.into_iter().enumerate() {
        let more: Vec<_> =
            rules.into_iter().filter(|(from, to)| size == 1 || applied(&kept, from, size - 1) != *to).collect();
        kept.extend(more);
    }
    kept
}

/// Returns a text after the rules of at most `longest` characters, the longest match first.
fn applied(rules: &Rules, text: &str, longest: usize) -> String {
    let (mut rest, mut out) = (text, String::new());
    while let Some(c) = rest.chars().next() {
        let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(longest);
        let found = ends.collect::<Vec<_>>().into_iter().rev().find_map(|end| Some((end, rules.get(&rest[..end])?)));
        match found {
            Some((_, to)) => out.push_str(to),
            None => out.push(c),
        }
        rest = &rest[found.map_or(c.len_utf8(), |(end, _)| end)..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest<'a>(rules: &'a Precompiled, text: &'a str) -> Option<(usize, &'a str)> {
        rules.longest_rule(text)
    }

    #[test]
    fn rules_by_name() {
        let rules = Precompiled::named("nmt_nfkc_cf").unwrap().unwrap();
        assert_eq!(longest(&rules, "ﬁx"), Some((3, "fi")));
        assert_eq!(longest(&rules, "A\u{30A}b"), Some((3, "å")));
        assert_eq!(longest(&rules, "ﾊﾟ"), Some((6, "パ")));
        assert_eq!(longest(&rules, "\u{1112}\u{1161}\u{11AB}"), Some((9, "한")));
        assert_eq!((longest(&rules, "\u{1}"), longest(&rules, "～")), (Some((1, "")), None));
        assert!(Precompiled::named("identity").unwrap().is_none());
        let error = Precompiled::named("nfk").unwrap_err().to_string();
        assert!(error.contains("did you mean \"nfkc\"?"), "{error}");
    }
}
