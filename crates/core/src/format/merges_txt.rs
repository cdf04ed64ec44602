//! `vocab.json` and `merges.txt` (GPT-2's `encoder.json` and `vocab.bpe`), and CLIP's list of merges.
//!
//! A vocabulary is a JSON object of tokens and ids; the merges follow one a line, after a line with a version. Neither
//! file has a split pattern: the kind of the vocabulary decides, see [`VocabularyKind`].

use super::json::{Json, JsonNode, after, trim_start};
use super::lines::{self, lines, plain_text, refuse_byte_order_mark};
use super::merged::{WriteTarget, byte_level, byte_level_parts, entries, parse_merge, symbol_id};
use super::tiktoken::refuse_missing_bytes;
use super::tokenizer_json::{is_json, read_vocab, vocab_json};
use crate::added::AddedToken;
use crate::decode::{BpeDecoder, Decoder, ReplaceDecoder, StripDecoder};
use crate::encoding::NamedToken;
use crate::error::{Error, Message, Place, Result, shorten};
use crate::model::Model;
use crate::model::bpe::{Bpe, BpeSettings, SuffixStyle};
use crate::normalize::{Normalizer, UnicodeForm};
use crate::pipeline::{Tokenizer, TokenizerParts};
use crate::postprocess::{Bert, PostProcessor, Roberta};
use crate::pretokenize::{Behavior, PreTokenizer, Split};
use crate::splitter::WordSplitter;
use crate::text::bytes::byte_to_char;
use crate::text::grammar::Grammar;
use crate::text::pattern::Pattern;
use crate::vocab::Vocab;

const HEADER: &str = "#version";
/// The first bytes of every version of CLIP's list.
const CLIP_START: &str = "\"bpe_simple_vocab_16e6.txt#version:";
const CLIP_HEADER: &str = "\"bpe_simple_vocab_16e6.txt#version: 0.2\n";
const SUFFIX: &str = "</w>";
/// The file names of the vocabulary and of the merges.
pub(super) const COMPANIONS: [(&str, &str); 2] = [("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe")];
/// The number of merges that CLIP reads: 49,152 less 256 bytes and two special tokens. (CLIP does not subtract the
/// bytes with a suffix.)
const CLIP_MERGES: usize = 49_152 - 256 - 2;
const CLIP_SPECIALS: [&str; 2] = ["<|startoftext|>", "<|endoftext|>"];
const GPT2_SPECIALS: [&str; 1] = ["<|endoftext|>"];
const ROBERTA_SPECIALS: [&str; 5] = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"];

/// The kind of tokenizer that a vocabulary belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VocabularyKind {
    /// Bytes written as characters: GPT-2.
    Bytes,
    /// Bytes written as characters, with special tokens around a text: RoBERTa.
    Roberta,
    /// Bytes written as characters, with an end-of-word suffix: CLIP.
    Clip,
    /// Characters with an end-of-word suffix, in words between white space.
    Words,
}

impl VocabularyKind {
    /// Infers the kind: tokens with the suffix show that there is one, and all bytes with the suffix show CLIP.
    fn of(vocab: &Vocab) -> Self {
        let has = |token: &str| vocab.id(token).is_some();
        let is_marked = vocab.iter().any(|(token, _)| token.len() > SUFFIX.len() && token.ends_with(SUFFIX));
        if !is_marked {
            return if has("<s>") && has("</s>") { Self::Roberta } else { Self::Bytes };
        }
        let has_bytes = (0..=255).all(|byte| has(&format!("{}{SUFFIX}", byte_to_char(byte))));
        if has_bytes { Self::Clip } else { Self::Words }
    }

    fn from_name(name: &str) -> Result<Self> {
        match name {
            "gpt2" => Ok(Self::Bytes),
            "roberta" => Ok(Self::Roberta),
            "clip" => Ok(Self::Clip),
            _ => Err(Error::Config(
                format!("no kind of vocabulary is called {name:?}; expected gpt2, roberta or clip").into(),
            )),
        }
    }

    /// Returns the names of the special tokens.
    fn specials(self) -> &'static [&'static str] {
        match self {
            Self::Bytes => &GPT2_SPECIALS,
            Self::Roberta | Self::Words => &ROBERTA_SPECIALS,
            Self::Clip => &CLIP_SPECIALS,
        }
    }

    /// Returns the unknown token, if the vocabulary has it; CLIP's is nominal, as CLIP has all bytes.
    fn unk_token(self, vocab: &Vocab) -> Option<String> {
        let name = match self {
            Self::Bytes | Self::Roberta => return None,
            Self::Clip => CLIP_SPECIALS[1],
            Self::Words => "<unk>",
        };
        vocab.id(name).map(|_| name.to_owned())
    }

    fn settings(self, vocab: &Vocab) -> BpeSettings {
        let suffix = if matches!(self, Self::Clip | Self::Words) { SUFFIX } else { "" };
        BpeSettings {
            unk_token: self.unk_token(vocab),
            end_of_word_suffix: suffix.to_owned(),
            ..BpeSettings::default()
        }
    }

    fn parts(self, model: Model) -> Result<TokenizerParts> {
        let vocab = model.vocab();
        let around = |first: &str, last: &str, trim_offsets| {
            let token = |name: &str| vocab.id(name).map(|id| NamedToken::new(name, id));
            let around = Bert { cls: token(first)?, sep: token(last)? };
            Some(PostProcessor::Roberta(Roberta { tokens: around, trim_offsets, add_prefix_space: false }))
        };
        let roberta = around("<s>", "</s>", true);
        let clip = around(CLIP_SPECIALS[0], CLIP_SPECIALS[1], false);
        let parts = byte_level_parts(model);
        let bytes = |use_regex| PreTokenizer::ByteLevel(byte_level(use_regex));
        Ok(match self {
            Self::Bytes => TokenizerParts { splitter: WordSplitter::new(None, Some(bytes(true)))?, ..parts },
            Self::Roberta => TokenizerParts {
                splitter: WordSplitter::new(None, Some(bytes(true)))?,
                post_processor: roberta,
                ..parts
            },
            Self::Clip => TokenizerParts {
                splitter: clip_splitter()?,
                decoder: Some(clip_decoder()),
                post_processor: clip.or(parts.post_processor),
                ..parts
            },
            Self::Words => TokenizerParts {
                splitter: WordSplitter::new(None, Some(PreTokenizer::WhitespaceSplit))?,
                decoder: Some(Decoder::Bpe(BpeDecoder { suffix: SUFFIX.to_owned() })),
                post_processor: None,
                ..parts
            },
        })
    }
}

/// Returns CLIP's normalizer and split pattern, as `transformers` writes them; text between matches is removed.
fn clip_splitter() -> Result<WordSplitter> {
    let normalizer = Normalizer::Sequence(vec![
        Normalizer::Form(UnicodeForm::Nfc),
        Normalizer::Replace { pattern: Pattern::regex(r"\s+")?, content: " ".to_owned() },
        Normalizer::Lowercase,
    ]);
    let split = Split { pattern: Pattern::regex(Grammar::CLIP.pattern())?, behavior: Behavior::Removed, invert: true };
    let steps = vec![PreTokenizer::Split(split), PreTokenizer::ByteLevel(byte_level(false))];
    WordSplitter::new(Some(normalizer), Some(PreTokenizer::Sequence(steps)))
}

/// Returns CLIP's decoder: bytes to text, then each suffix to a space.
fn clip_decoder() -> Decoder {
    let marks = ReplaceDecoder { pattern: Pattern::literal(SUFFIX), content: " ".to_owned() };
    Decoder::Sequence(vec![
        Decoder::ByteLevel(byte_level(true)),
        Decoder::Replace(marks),
        Decoder::Strip(StripDecoder { content: ' ', start: 0, stop: 1 }),
    ])
}

/// Reads a `vocab.json` and a `merges.txt`; without a `splitter`, the kind of the vocabulary decides the splitting.
///
/// Special tokens are those of GPT-2, RoBERTa and CLIP that the vocabulary has. If `kind` (`gpt2`, `roberta` or `clip`)
/// is given, there are none: the caller adds them.
///
/// ```
/// use piecework_core::format::{read_merges, write_merges_txt};
/// use piecework_core::splitter::WordSplitter;
///
/// let (vocab, merges) = (br#"{"l": 0, "o": 1, "lo": 2}"#, b"#version: 0.2\nl o\n");
/// let tokenizer = read_merges(vocab, merges, Some(WordSplitter::bert()?), None)?;
/// assert_eq!(write_merges_txt(&tokenizer)?.as_bytes(), merges);
/// # Ok::<(), piecework_core::Error>(())
/// ```
pub fn read_merges(
    vocab: &[u8],
    merges: &[u8],
    splitter: Option<WordSplitter>,
    kind: Option<&str>,
) -> Result<Tokenizer> {
    let json = Json::parse(vocab)?;
    let vocab = read_vocab(&JsonNode::root(&json))?;
    let given = kind.map(VocabularyKind::from_name).transpose()?;
    let kind = given.unwrap_or_else(|| VocabularyKind::of(&vocab));
    if matches!(kind, VocabularyKind::Bytes | VocabularyKind::Roberta) && splitter.is_none() {
        refuse_missing_bytes(&vocab).map_err(|error| {
            Error::Vocabulary(
                Message::new(format!("{error}")).hint("if its tokens are of characters, pass `pre_tokenizer=...`"),
            )
        })?;
    }
    let merges = merges_of(merges, &vocab).map_err(in_merges)?;
    let specials = if given.is_some() { &[] } else { kind.specials() };
    build(kind, specials, vocab, merges, splitter)
}

/// Returns the error with a place that says that the line is in the merges, not in the vocabulary.
fn in_merges(error: Error) -> Error {
    match error {
        Error::Format { at: Place::Line(line), message } => Error::Format { at: Place::Merges(line), message },
        other => other,
    }
}

/// Returns whether bytes are CLIP's list of merges.
pub(super) fn is_clip(bytes: &[u8], _name: &str) -> bool {
    bytes.starts_with(CLIP_START.as_bytes())
}

/// Returns whether a file has the name of a list of merges; its bytes may be subword-nmt's as well.
pub(super) fn is_merges(name: &str) -> bool {
    COMPANIONS.iter().any(|(_, merges)| name.ends_with(merges))
}

/// Returns whether a file is a vocabulary by its name or its bytes, and not a tokenizer.json.
pub(super) fn is_vocabulary(bytes: &[u8], name: &str) -> bool {
    let is_named = COMPANIONS.iter().any(|(vocabulary, _)| name.ends_with(vocabulary));
    is_json(bytes, name) && (is_named || begins_with_id(bytes)) && !has_model(bytes)
}

/// Returns whether bytes begin with a JSON object whose first member is a token with its id.
fn begins_with_id(bytes: &[u8]) -> bool {
    let member = || {
        let mut rest = after(after(bytes, b'{')?, b'"')?;
        loop {
            match rest {
                [b'"', others @ ..] => return after(others, b':'),
                [b'\\', escaped, others @ ..] if *escaped != b'\n' => rest = others,
                [b'\\', ..] | [] => return None,
                [_, others @ ..] => rest = others,
            }
        }
    };
    member().is_some_and(|value| trim_start(value).first().is_some_and(u8::is_ascii_digit))
}

/// Returns whether bytes contain the member `model` of a tokenizer.json.
fn has_model(bytes: &[u8]) -> bool {
    const NAME: &[u8] = b"\"model\"";
    let mut found = memchr::memmem::find_iter(bytes, NAME);
    found.any(|at| after(&bytes[at + NAME.len()..], b':').is_some_and(|value| after(value, b'{').is_some()))
}

/// Reads CLIP's `bpe_simple_vocab_16e6.txt`: one merge a line, of which the first 48,894 are used.
pub fn read_clip(bytes: &[u8]) -> Result<Tokenizer> {
    let mut vocab = Vocab::from_tokens(clip_bytes())?;
    let mut merges = Vec::new();
    for (number, line) in lines(bytes).skip(1).take(CLIP_MERGES) {
        let (left, right) = parse_merge(number, plain_text(number, line)?)?;
        merges.push((symbol_id(&vocab, number, left)?, symbol_id(&vocab, number, right)?));
        let made = vocab.insert_next(&format!("{left}{right}"));
        made.map_err(|error| lines::error(number, error))?;
    }
    for special in CLIP_SPECIALS {
        vocab.insert_next(special)?;
    }
    build(VocabularyKind::Clip, &CLIP_SPECIALS, vocab, merges, None)
}

/// Returns the first entries of CLIP's vocabulary: all bytes, printable ones first, without and with the suffix.
fn clip_bytes() -> impl Iterator<Item = String> {
    let is_printable = |&byte: &u8| byte_to_char(byte) == char::from(byte);
    let bytes = move || (0..=255).filter(is_printable).chain((0..=255).filter(move |byte| !is_printable(byte)));
    ["", SUFFIX].into_iter().flat_map(move |suffix| bytes().map(move |byte| format!("{}{suffix}", byte_to_char(byte))))
}

fn build(
    kind: VocabularyKind,
    specials: &[&str],
    vocab: Vocab,
    merges: Vec<(u32, u32)>,
    splitter: Option<WordSplitter>,
) -> Result<Tokenizer> {
    let special = |name: &&str| {
        let token = AddedToken::special(vocab.id(name)?, name);
        // In RoBERTa's files, the mask token strips the space before it.
        Some(AddedToken { lstrip: kind == VocabularyKind::Roberta && *name == "<mask>", ..token })
    };
    let added = specials.iter().filter_map(special).collect();
    let settings = kind.settings(&vocab);
    let parts = kind.parts(Model::Bpe(Bpe::listed(vocab, merges, settings)?))?;
    Tokenizer::new(TokenizerParts { added, splitter: splitter.unwrap_or(parts.splitter), ..parts })
}

/// Returns the merges of a `merges.txt`, each of which makes a token; the first line may be a version.
fn merges_of(bytes: &[u8], vocab: &Vocab) -> Result<Vec<(u32, u32)>> {
    refuse_byte_order_mark(bytes)?;
    let (mut merges, mut made) = (Vec::new(), String::new());
    for (number, line) in lines(bytes) {
        let line = plain_text(number, line)?;
        if number == 1 && line.starts_with(HEADER) {
            continue;
        }
        let (left, right) = parse_merge(number, line)?;
        merges.push((symbol_id(vocab, number, left)?, symbol_id(vocab, number, right)?));
        made.clear();
        made.extend([left, right]);
        if vocab.id(&made).is_none() {
            let message = format!("the merge makes {:?}, which is not in the vocabulary", shorten(&made));
            return Err(lines::error(number, message));
        }
    }
    Ok(merges)
}

const TARGET: WriteTarget = WriteTarget("a vocab.json with a merges.txt");

/// Writes the vocabulary of a BPE model as a `vocab.json`, including added tokens.
pub fn write_vocab_json(tokenizer: &Tokenizer) -> Result<String> {
    let model = TARGET.bpe(tokenizer)?;
    Ok(vocab_json(model.vocab()).text() + "\n")
}

/// Writes the merges of a BPE model as a `merges.txt`.
pub fn write_merges_txt(tokenizer: &Tokenizer) -> Result<String> {
    let model = TARGET.bpe(tokenizer)?;
    refuse_uninferable_affixes(model.settings())?;
    TARGET.refuse_ties(model)?;
    TARGET.refuse_unused(model)?;
    if model.settings().ignore_merges {
        TARGET.refuse_unreachable(model, &entries(tokenizer, model))?;
    }
    merge_lines(&TARGET, model, "#version: 0.2\n")
}

/// Writes the merges of a tokenizer like CLIP's as a `bpe_simple_vocab_16e6.txt`.
pub fn write_clip(tokenizer: &Tokenizer) -> Result<String> {
    let target = WriteTarget("CLIP's list of merges");
    let model = target.bpe(tokenizer)?;
    target.refuse_other_affixes(model, SUFFIX, &[SuffixStyle::Attached])?;
    if model.settings().ignore_merges {
        return Err(target.cannot_hold("ignore_merges"));
    }
    target.refuse_ties(model)?;
    target.refuse_unused(model)?;
    let merges = model.merge_list();
    if merges.len() > CLIP_MERGES {
        return Err(target.cannot_hold(&format!("{} merges, as only {CLIP_MERGES} are read", merges.len())));
    }
    refuse_other_ids(&target, model, &merges)?;
    if *tokenizer.splitter() != clip_splitter()? {
        return Err(target.cannot_hold("another normalizer or pre-tokenizer than CLIP's"));
    }
    merge_lines(&target, model, CLIP_HEADER)
}

/// Refuses ids other than those that a reader gives: to bytes, merged tokens, special tokens, in this order.
fn refuse_other_ids(target: &WriteTarget, model: &Bpe, merges: &[(u32, u32)]) -> Result<()> {
    let made = merges.iter().filter_map(|&pair| model.vocab().token(model.merged_id(pair)?).map(str::to_owned));
    let read = clip_bytes().chain(made).chain(CLIP_SPECIALS.map(str::to_owned));
    let mut own = model.vocab().iter();
    for (id, expected) in (0..).zip(read) {
        let found = own.next();
        if found != Some((&expected, id)) {
            let found = found.map_or("none".to_owned(), |(token, id)| format!("{:?} (id {id})", shorten(token)));
            let expected = shorten(&expected);
            return Err(target.cannot_hold(&format!("the token {found} where its reader puts {expected:?} (id {id})")));
        }
    }
    own.next().map_or(Ok(()), |(token, id)| {
        Err(target.cannot_hold(&format!(
            "the token {:?} (id {id}), which is neither a byte nor made by a merge",
            shorten(token)
        )))
    })
}

/// Refuses affixes that a reader could not infer from the vocabulary.
fn refuse_uninferable_affixes(settings: &BpeSettings) -> Result<()> {
    let BpeSettings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, suffix_style, .. } = settings;
    if !prefix.is_empty() || !["", SUFFIX].contains(&suffix.as_str()) {
        return Err(TARGET.cannot_hold(&format!("the marks {prefix:?} and {suffix:?} of tokens in a word")));
    }
    if !suffix.is_empty() && *suffix_style == SuffixStyle::Separate {
        return Err(TARGET.cannot_hold(&format!("a symbol {suffix:?} of its own")));
    }
    Ok(())
}

/// Writes the merges one a line, after a header.
pub(super) fn merge_lines(target: &WriteTarget, model: &Bpe, header: &str) -> Result<String> {
    let mut text = header.to_owned();
    for (left, right) in model.merge_list() {
        for (id, end) in [(left, ' '), (right, '\n')] {
            let token = model.vocab().token(id).unwrap_or_default();
            if token.is_empty() || token.contains([' ', '\n', '\r']) {
                return Err(
                    target.cannot_hold(&format!("the token {:?} (id {id}), which a line divides", shorten(token)))
                );
            }
            text.push_str(token);
            text.push(end);
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_line() {
        let vocab = Vocab::from_tokens(["a", "b", "ab"].map(str::to_owned)).unwrap();
        let error = |file: &str| merges_of(file.as_bytes(), &vocab).unwrap_err().to_string();
        assert!(error("#version: 0.2\na b\na\n").starts_with("line 3: expected a merge"));
        assert!(error("a b\n\n").starts_with("line 2: expected a merge"));
        assert!(error("b a\n").starts_with("line 1: the merge makes \"ba\", which is not in the vocabulary"));
        assert!(error("a c\n").starts_with("line 1: the merge names \"c\", which is not in the vocabulary"));
        assert!(error("ab  b\n").starts_with("line 1: expected a merge"));
        assert_eq!(merges_of(b"#version: 0.2\r\na b\r\n", &vocab).unwrap(), [(0, 1)]);
    }

    #[test]
    fn clip_round_trips() {
        let file = format!("{CLIP_HEADER}h u\nhu g</w>\n");
        let clip = read_clip(file.as_bytes()).unwrap();
        assert_eq!(write_clip(&clip).unwrap(), file);
    }

    #[test]
    fn kinds_are_inferred_from_tokens() {
        let kind =
            |tokens: &[&str]| VocabularyKind::of(&Vocab::from_tokens(tokens.iter().map(|&t| t.to_owned())).unwrap());
        assert_eq!(kind(&["a", "b"]), VocabularyKind::Bytes);
        assert_eq!(kind(&["a", "<s>", "</s>"]), VocabularyKind::Roberta);
        assert_eq!(kind(&["a", "a</w>"]), VocabularyKind::Words);
        assert_eq!(VocabularyKind::of(read_clip(b"header\n").unwrap().model().vocab()), VocabularyKind::Clip);
    }
}
