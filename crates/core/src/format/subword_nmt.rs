//! Codes of subword-nmt: a merge a line, over characters of words.
//!
//! In version 0.2 the last character has `</w>` attached; in version 0.1, which has no header, that is a symbol of its own.
//!
//! The library knows no ids and no unknown characters. Here ids follow the codes: the unknown token, then the characters in
//! the order in which they come first, each without and with an attached mark, then what the merges make, in their order.
//! The unknown token goes by a name that no merge makes, so that it is never a part of a word.

use std::collections::{BTreeSet, HashSet};

use super::lines::{self, lines, plain_text, text};
use super::merged::{Held, merge_of};
use super::merges_txt::merge_lines;
use crate::decode::{BpeDecoder, Decoder};
use crate::error::{Error, Place, Result, shorten};
use crate::model::Model;
use crate::model::bpe::{Bpe, Settings, SuffixStyle};
use crate::pipeline::{Parts, Tokenizer};
use crate::pretokenize::{Behavior, PreTokenizer, Split};
use crate::splitter::WordSplitter;
use crate::text::pattern::Pattern;
use crate::vocab::Vocab;

const HEADER: &str = "#version:";
/// The versions, and how they mark the end of a word.
const VERSIONS: [(&str, SuffixStyle); 2] = [("0.1", SuffixStyle::Separate), ("0.2", SuffixStyle::Attached)];
const SUFFIX: &str = "</w>";
const UNKNOWN: &str = "<unk>";
/// What stands between words: spaces, and line ends with the spaces around them.
const BETWEEN: &str = r"\A[\r\n ]+|[\r\n ]+\z|[\r ]*\n[\r\n ]*| +";

/// Whether bytes are codes with a header; codes of version 0.1 have none and are not detected.
pub(super) fn is_codes(bytes: &[u8]) -> bool {
    bytes.starts_with(HEADER.as_bytes())
}

/// The tokenizer of a file of codes; of a pair that stands there twice, the first counts.
///
/// With a filter, tokens that it lacks are split again into what they were merged from.
pub fn read_subword_nmt(bytes: &[u8], filter: Option<&Filter<'_>>) -> Result<Tokenizer> {
    let (style, merges) = merges(bytes)?;
    let unknown = unknown(&merges);
    let vocab = vocab(style, &unknown, &merges)?;
    let id = |symbol: &str| vocab.id(symbol).unwrap_or_default();
    let pairs = merges.iter().map(|(left, right)| (id(left), id(right))).collect();
    let settings = Settings {
        unk_token: Some(unknown),
        end_of_word_suffix: SUFFIX.to_owned(),
        suffix_style: style,
        unused: filter.map(|filter| filter.unused(style, &merges, &vocab)).transpose()?.unwrap_or_default(),
        ..Settings::default()
    };
    let split = Split { pattern: Pattern::regex(BETWEEN)?, behavior: Behavior::Removed, invert: false };
    Tokenizer::new(Parts {
        splitter: WordSplitter::new(None, Some(PreTokenizer::Split(split)))?,
        model: Model::Bpe(Bpe::listed(vocab, pairs, settings)?),
        added: Vec::new(),
        post_processor: None,
        decoder: Some(Decoder::Bpe(BpeDecoder { suffix: SUFFIX.to_owned() })),
        truncation: None,
        padding: None,
        training: None,
    })
}

/// How the end of a word is marked, and the merges, each once.
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
        let merge = merge_of(number, line)?;
        if seen.insert(merge) {
            merges.push(merge);
        }
    }
    Ok((style, merges))
}

/// A vocabulary that tokens have to be in: a token and its count a line, as they stand in text.
#[derive(Debug, Clone)]
pub struct Filter<'a> {
    /// The file.
    pub vocabulary: &'a [u8],
    /// The least count of a token that counts; `None` if all do.
    pub threshold: Option<i64>,
    /// What stands behind a token that does not end its word.
    pub separator: &'a str,
}

impl Filter<'_> {
    /// The ids of what merges make and the vocabulary lacks; of an empty one, none, as the library has it.
    fn unused(&self, style: SuffixStyle, merges: &[(&str, &str)], vocab: &Vocab) -> Result<BTreeSet<u32>> {
        if style == SuffixStyle::Separate {
            let message = "a vocabulary goes with codes of version 0.2; in version 0.1 the end of a word is a symbol, \
                           which it does not name";
            return Err(Error::Unsupported { at: Place::Line(1), message: message.to_owned() });
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

    /// The tokens that are frequent enough.
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
        message: format!("the codes are of version {:?}; expected \"0.1\" or \"0.2\"", shorten(version)),
    })
}

/// What unknown characters become: no symbol of the merges has a space.
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

/// The merges of a tokenizer of characters with `</w>` at the ends of words, as a file of codes.
pub fn write_subword_nmt(tokenizer: &Tokenizer) -> Result<String> {
    let held = Held { format: "a file of subword-nmt codes", instead: "save a tokenizer.json" };
    let model = held.bpe(tokenizer)?;
    held.refuse_other_marks(model, SUFFIX, &VERSIONS.map(|(_, style)| style))?;
    held.refuse_ties(model)?;
    held.refuse_unused(model)?;
    if model.settings().ignore_merges {
        return Err(held.refuses("ignore_merges"));
    }
    let mut seen = HashSet::new();
    if !model.recovered().into_iter().all(|pair| seen.insert(pair)) {
        return Err(held.refuses("a merge that stands twice, of which the last counts here and the first there"));
    }
    let version =
        VERSIONS.iter().find(|(_, style)| *style == model.settings().suffix_style).map_or("", |(version, _)| version);
    merge_lines(&held, model, &format!("{HEADER} {version}\n"))
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
    fn in_version_0_1_the_end_is_a_symbol() {
        let tokenizer = read_subword_nmt(b"l o\nlo w\nlow </w>\n", None).unwrap();
        let tokens: Vec<&str> = tokenizer.model().vocab().iter().map(|(token, _)| token).collect();
        assert_eq!(tokens, ["<unk>", "</w>", "l", "o", "w", "lo", "low", "low</w>"]);
        assert_eq!(tokenizer.model().as_bpe().unwrap().settings().suffix_style, SuffixStyle::Separate);
        assert_eq!(write_subword_nmt(&tokenizer).unwrap(), "#version: 0.1\nl o\nlo w\nlow </w>\n");
    }

    #[test]
    fn the_unknown_token_is_no_symbol() {
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
    fn tokens_that_a_vocabulary_lacks_are_unused() {
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
