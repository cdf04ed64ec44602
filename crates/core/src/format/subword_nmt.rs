//! The codes of subword-nmt: one merge a line, over the characters of words.
//!
//! In version 0.2 the last character has `</w>` attached; in version 0.1, which has no header, `</w>` is a separate
//! symbol.
//!
//! The library has no ids and no unknown characters. Here ids follow the codes: the unknown token, then the characters
//! in the order of their first occurrences, each without and with an attached suffix, then the tokens that the merges
//! make, in order. No merge makes the name of the unknown token, so it is never a part of a word.

use std::collections::{BTreeSet, HashSet};

use super::lines::{self, lines, plain_text, text};
use super::merged::{WriteTarget, parse_merge};
use super::merges_txt::merge_lines;
use crate::decode::{BpeDecoder, Decoder};
use crate::error::{Error, Place, Result, shorten};
use crate::model::Model;
use crate::model::bpe::{Bpe, BpeSettings, SuffixStyle};
use crate::pipeline::{Tokenizer, TokenizerParts};
use crate::pretokenize::{Behavior, PreTokenizer, Split};
use crate::splitter::WordSplitter;
use crate::text::pattern::Pattern;
use crate::vocab::Vocab;

const HEADER: &str = "#version:";
/// The versions, and their styles of the end-of-word suffix.
const VERSIONS: [(&str, SuffixStyle); 2] = [("0.1", SuffixStyle::Separate), ("0.2", SuffixStyle::Attached)];
const SUFFIX: &str = "</w>";
const UNKNOWN: &str = "<unk>";
/// The pattern between words: spaces, and line ends with the spaces around them.
const BETWEEN: &str = r"\A[\r\n ]+|[\r\n ]+\z|[\r ]*\n[\r\n ]*| +";

/// Returns whether bytes are codes with a header; version 0.1 has none and is not detected.
pub(super) fn is_codes(bytes: &[u8]) -> bool {
    bytes.starts_with(HEADER.as_bytes())
}

/// Reads a file of codes; the first of equal pairs is used.
///
/// With a filter, tokens that are not in it are split again into the tokens of their merges.
///
/// ```
/// use piecework_core::format::{read_subword_nmt, write_subword_nmt};
///
/// let codes = b"#version: 0.2\nl o\nlo w</w>\n";
/// assert_eq!(write_subword_nmt(&read_subword_nmt(codes, None)?)?.as_bytes(), codes);
/// # Ok::<(), piecework_core::Error>(())
/// ```
pub fn read_subword_nmt(bytes: &[u8], filter: Option<&Filter<'_>>) -> Result<Tokenizer> {
    let (style, merges) = merges(bytes)?;
    let unknown = unknown(&merges);
    let vocab = vocab(style, &unknown, &merges)?;
    let id = |symbol: &str| vocab.id(symbol).unwrap_or_default();
    let pairs = merges.iter().map(|(left, right)| (id(left), id(right))).collect();
    let settings = BpeSettings {
        unk_token: Some(unknown),
        end_of_word_suffix: SUFFIX.to_owned(),
        suffix_style: style,
        unused: filter.map(|filter| filter.unused(style, &merges, &vocab)).transpose()?.unwrap_or_default(),
        ..BpeSettings::default()
    };
    let split = Split { pattern: Pattern::regex(BETWEEN)?, behavior: Behavior::Removed, invert: false };
    let splitter = WordSplitter::new(None, Some(PreTokenizer::Split(split)))?;
    let model = Model::Bpe(Bpe::listed(vocab, pairs, settings)?);
    Tokenizer::new(TokenizerParts {
        decoder: Some(Decoder::Bpe(BpeDecoder { suffix: SUFFIX.to_owned() })),
        ..TokenizerParts::new(splitter, model)
    })
}

/// Returns the style of the end-of-word suffix, and the merges, each once.
fn merges(bytes: &[u8]) -> Result<(SuffixStyle, Vec<(&str, &str)>)> {
    if bytes.is_empty() {
        return Err(lines::error(1, "the file is empty; expected a merge a line"));
    }
    let (mut style, mut merges, mut seen) = (SuffixStyle::Separate, Vec::new(), HashSet::new());
    for (number, line) in lines(bytes) {
        let line = plain_text(number, line)?.trim_matches(' ');
        if number == 1 && line.starts_with(HEADER) {
            style = style_of(line[HEADER.len()..].trim())?;
            continue;
        }
        let merge = parse_merge(number, line)?;
        if seen.insert(merge) {
            merges.push(merge);
        }
    }
    Ok((style, merges))
}

/// A vocabulary filter: a token and its count a line, written as in segmented text.
#[derive(Debug, Clone)]
pub struct Filter<'a> {
    /// The bytes of the vocabulary file.
    pub vocabulary: &'a [u8],
    /// The minimum count of a token; `None` keeps all.
    pub threshold: Option<i64>,
    /// The separator that follows a token within a word.
    pub separator: &'a str,
}

impl Filter<'_> {
    /// Returns the ids of merged tokens that the vocabulary lacks; none for an empty vocabulary, as in the library.
    fn unused(&self, style: SuffixStyle, merges: &[(&str, &str)], vocab: &Vocab) -> Result<BTreeSet<u32>> {
        if style == SuffixStyle::Separate {
            let message = "a vocabulary goes with codes of version 0.2; in version 0.1 the end of a word is a symbol, \
                           which it does not name";
            return Err(Error::Unsupported { at: Place::Line(1), message: message.into() });
        }
        let known = self.tokens()?;
        if known.is_empty() {
            return Ok(BTreeSet::new());
        }
        let is_known = |token: &str| match token.strip_suffix(SUFFIX) {
            Some(last) => known.contains(last),
            None => known.contains(format!("{token}{}", self.separator).as_str()),
        };
        let made = merges.iter().map(|(left, right)| [*left, *right].concat());
        Ok(made.filter(|token| !is_known(token)).filter_map(|token| vocab.id(&token)).collect())
    }

    /// Returns the tokens with at least the minimum count.
    fn tokens(&self) -> Result<HashSet<&str>> {
        let mut tokens = HashSet::new();
        for (number, line) in lines(self.vocabulary) {
            let line = text(number, line)?.trim_matches(['\r', ' ']);
            let row = line.split_once(' ').and_then(|(token, count)| Some((token, count.parse::<i64>().ok()?)));
            let (token, count) = row.ok_or_else(|| {
                let found = shorten(line);
                lines::error(number, format!("expected a token, a space and its count; found {found:?}"))
            })?;
            if self.threshold.is_none_or(|least| count >= least) {
                tokens.insert(token);
            }
        }
        Ok(tokens)
    }
}

fn style_of(version: &str) -> Result<SuffixStyle> {
    let known = VERSIONS.iter().find(|(known, _)| *known == version);
    known.map(|(_, style)| *style).ok_or_else(|| Error::Unsupported {
        at: Place::Line(1),
        message: format!("the codes are of version {:?}; expected \"0.1\" or \"0.2\"", shorten(version)).into(),
    })
}

/// The unknown token: no symbol of the merges contains a space.
fn unknown(merges: &[(&str, &str)]) -> String {
    let is = |(left, right): &(&str, &str)| [*left, *right, &[*left, *right].concat()].contains(&UNKNOWN);
    if merges.iter().any(is) { UNKNOWN.replace('<', "< ") } else { UNKNOWN.to_owned() }
}

fn vocab(style: SuffixStyle, unknown: &str, merges: &[(&str, &str)]) -> Result<Vocab> {
    let made: HashSet<String> = merges.iter().map(|(left, right)| [*left, *right].concat()).collect();
    let mut vocab = Vocab::default();
    let mut add = |symbol: &str| if vocab.id(symbol).is_none() { vocab.insert_next(symbol).map(drop) } else { Ok(()) };
    add(unknown)?;
    if style == SuffixStyle::Separate {
        add(SUFFIX)?;
    }
    for symbol in merges.iter().flat_map(|(left, right)| [*left, *right]).filter(|&symbol| !made.contains(symbol)) {
        if style == SuffixStyle::Separate {
            add(symbol)?;
            continue;
        }
        let character = symbol.strip_suffix(SUFFIX).unwrap_or(symbol);
        add(character)?;
        add(&format!("{character}{SUFFIX}"))?;
    }
    for (left, right) in merges {
        add(&[*left, *right].concat())?;
    }
    Ok(vocab)
}

/// Writes the merges of a character-level tokenizer with the suffix `</w>` as a file of codes.
pub fn write_subword_nmt(tokenizer: &Tokenizer) -> Result<String> {
    let target = WriteTarget("a file of subword-nmt codes");
    let model = target.bpe(tokenizer)?;
    target.refuse_other_affixes(model, SUFFIX, &VERSIONS.map(|(_, style)| style))?;
    target.refuse_ties(model)?;
    target.refuse_unused(model)?;
    if model.settings().ignore_merges {
        return Err(target.cannot_hold("ignore_merges"));
    }
    let mut seen = HashSet::new();
    if !model.merge_list().into_iter().all(|pair| seen.insert(pair)) {
        return Err(target.cannot_hold("a merge that stands twice, of which the last counts here and the first there"));
    }
    let version =
        VERSIONS.iter().find(|(_, style)| *style == model.settings().suffix_style).map_or("", |(version, _)| version);
    merge_lines(&target, model, &format!("{HEADER} {version}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_the_codes() {
        let tokenizer = read_subword_nmt(b"#version: 0.2\nl o\nlo w</w>\nl o\n", None).unwrap();
        let tokens: Vec<&str> = tokenizer.model().vocab().iter().map(|(token, _)| token).collect();
        assert_eq!(tokens, ["<unk>", "l", "l</w>", "o", "o</w>", "w", "w</w>", "lo", "low</w>"]);
        assert_eq!(write_subword_nmt(&tokenizer).unwrap(), "#version: 0.2\nl o\nlo w</w>\n");
    }

    #[test]
    fn the_suffix_is_a_symbol_in_version_0_1() {
        let tokenizer = read_subword_nmt(b"l o\nlo w\nlow </w>\n", None).unwrap();
        let tokens: Vec<&str> = tokenizer.model().vocab().iter().map(|(token, _)| token).collect();
        assert_eq!(tokens, ["<unk>", "</w>", "l", "o", "w", "lo", "low", "low</w>"]);
        assert_eq!(tokenizer.model().as_bpe().unwrap().settings().suffix_style, SuffixStyle::Separate);
        assert_eq!(write_subword_nmt(&tokenizer).unwrap(), "#version: 0.1\nl o\nlo w\nlow </w>\n");
    }

    #[test]
    fn the_unknown_token_is_not_a_symbol() {
        let codes = b"#version: 0.2\n< u\nn k\n<u nk\n<unk >\n<unk> <unk>\n";
        let tokenizer = read_subword_nmt(codes, None).unwrap();
        assert_eq!(tokenizer.model().vocab().token(0), Some("< unk>"));
        assert_eq!(write_subword_nmt(&tokenizer).unwrap().as_bytes(), codes);
        assert_eq!(read_subword_nmt(b"< unk>\n", None).unwrap().model().vocab().token(0), Some("< unk>"));
    }

    #[test]
    fn errors_name_the_line() {
        let error = |file: &[u8]| read_subword_nmt(file, None).unwrap_err().to_string();
        assert!(error(b"#version: 0.2\nl o\nlo\n").starts_with("line 3: expected a merge"));
        assert!(error(b"").starts_with("line 1: the file is empty"));
        assert!(error(b"l o\nlo\n").starts_with("line 2: expected a merge"));
        assert!(error(b"#version: 0.3\nl o\n").starts_with("line 1: the codes are of version \"0.3\""));
    }

    #[test]
    fn tokens_outside_the_vocabulary_are_unused() {
        let codes = b"#version: 0.2\nl o\nlo w</w>\ns o</w>\n";
        let filter = |vocabulary, threshold| Filter { vocabulary, threshold, separator: "@@" };
        let unused = |filter: &Filter<'_>| -> Result<Vec<String>> {
            let tokenizer = read_subword_nmt(codes, Some(filter))?;
            let model = tokenizer.model().as_bpe().unwrap();
            Ok(model
                .settings()
                .unused
                .iter()
                .map(|&id| model.vocab().token(id).unwrap().to_owned())
                .collect::<Vec<_>>())
        };
        assert_eq!(unused(&filter(b"lo@@ 3\r\nso 1\n", None)).unwrap(), ["low</w>"]);
        assert_eq!(unused(&filter(b"lo@@ 3\r\nso 1\n", Some(2))).unwrap(), ["low</w>", "so</w>"]);
        assert!(unused(&filter(b"", None)).unwrap().is_empty());
        let error = |file| unused(&filter(file, None)).unwrap_err().to_string();
        assert!(error(b"lo@@ 3\nso\n").starts_with("line 2: expected a token, a space and its count; found \"so\""));
        assert!(error(b"lo x\n").starts_with("line 1: expected a token"));
        let separate = read_subword_nmt(b"l o\n", Some(&filter(b"lo 1\n", None)));
        assert!(separate.unwrap_err().to_string().contains("version 0.1"));
    }
}
