//! tiktoken's ranks: on each line a token's bytes in base64, a space, and its rank, which is also its id.
//!
//! The file contains neither the split pattern nor the special tokens. Ids may have gaps, such as those of special
//! tokens; but all 256 bytes must have ids, or some text could not be encoded.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;

use super::lines::{self, lines};
use super::merged::{WriteTarget, byte_level, byte_level_parts, entries, is_implied};
use crate::added::AddedToken;
use crate::error::{Error, Message, Result, shorten};
use crate::model::Model;
use crate::model::bpe::{Bpe, BpeSettings, NO_RANK};
use crate::pipeline::{Tokenizer, TokenizerParts};
use crate::pretokenize::{Behavior, PreTokenizer, Split};
use crate::splitter::WordSplitter;
use crate::text::bytes::{byte_to_char, char_to_byte};
use crate::text::pattern::Pattern;
use crate::vocab::Vocab;

/// The file name suffix.
pub(super) const SUFFIX: &str = ".tiktoken";
const HINT: &str = "expected a token's bytes in base 64, a space and its rank";

/// Settings that a file of ranks does not contain.
#[derive(Debug, Clone)]
pub struct TiktokenSettings {
    /// The split pattern.
    pub pattern: Pattern,
    /// The special tokens and their ids.
    pub special_tokens: Vec<(String, u32)>,
}

/// Returns whether a file contains ranks, by its name or by a base64 token and a rank in its first line.
pub(super) fn is_ranks(bytes: &[u8], name: &str) -> bool {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let parts = line.iter().position(|&byte| byte == b' ').map(|at| (&line[..at], &line[at + 1..]));
    let is_number = |rank: &[u8]| !rank.is_empty() && rank.iter().all(u8::is_ascii_digit);
    name.ends_with(SUFFIX) || parts.is_some_and(|(token, rank)| is_base64(token) && is_number(rank))
}

/// Returns whether bytes are base64 in groups of four, with at most two padding characters.
fn is_base64(token: &[u8]) -> bool {
    let filled = token.strip_suffix(b"=").map_or(0, |rest| if rest.ends_with(b"=") { 2 } else { 1 });
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    token.len().is_multiple_of(4) && token[..token.len() - filled].iter().all(is_digit)
}

/// Reads a file of ranks; the tokenizer gives the ids of tiktoken.
///
/// ```
/// use piecework_core::format::{TiktokenSettings, named_encoding, read_tiktoken};
/// use piecework_core::text::pattern::Pattern;
///
/// let encoding = named_encoding("gpt2")?;
/// let settings = TiktokenSettings { pattern: Pattern::regex(encoding.pattern)?, special_tokens: Vec::new() };
/// // Two ranks are not a vocabulary: every byte must have one.
/// assert!(read_tiktoken(b"IQ== 0\nIg== 1\n", settings).is_err());
/// # Ok::<(), piecework_core::Error>(())
/// ```
pub fn read_tiktoken(bytes: &[u8], settings: TiktokenSettings) -> Result<Tokenizer> {
    let mut vocab = vocab(bytes)?;
    refuse_missing_bytes(&vocab)?;
    let mut ranks: Vec<u32> = (0..vocab.id_limit()).map(|id| vocab.token(id).map_or(NO_RANK, |_| id)).collect();
    for (token, id) in &settings.special_tokens {
        vocab.insert(token, *id).map_err(|error| Error::Config(Message::from(error).setting("special_tokens")))?;
    }
    ranks.resize(vocab.id_limit() as usize, NO_RANK);
    let model = BpeSettings { ignore_merges: true, ..BpeSettings::default() };
    let split = Split { pattern: settings.pattern, behavior: Behavior::Isolated, invert: false };
    let steps = vec![PreTokenizer::Split(split), PreTokenizer::ByteLevel(byte_level(false))];
    Tokenizer::new(TokenizerParts {
        splitter: WordSplitter::new(None, Some(PreTokenizer::Sequence(steps)))?,
        added: settings.special_tokens.iter().map(|(token, id)| AddedToken::special(*id, token)).collect(),
        ..byte_level_parts(Model::Bpe(Bpe::implied(vocab, ranks, model)?))
    })
}

/// Returns the tokens, with bytes written as characters, and their ranks as ids.
fn vocab(bytes: &[u8]) -> Result<Vocab> {
    let mut vocab = Vocab::expecting(lines(bytes).count());
    for (number, line) in lines(bytes) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        let (token, rank) = rank(line).map_err(|message| lines::error(number, message))?;
        vocab.insert(&token, rank).map_err(|error| lines::error(number, error))?;
    }
    if vocab.is_empty() {
        return Err(lines::error(1, format!("the file is empty; {HINT}")));
    }
    Ok(vocab)
}

/// Returns the token and the rank of a line.
fn rank(line: &[u8]) -> Result<(String, u32), String> {
    let wrong = |why: String| format!("{why}; {HINT}, found {:?}", shorten(&String::from_utf8_lossy(line)));
    let mut parts = line.split(|&byte| byte == b' ');
    let (Some(token), Some(rank), None) = (parts.next(), parts.next(), parts.next()) else {
        return Err(wrong("not two parts".to_owned()));
    };
    let token = BASE64.decode(token).map_err(|error| wrong(format!("not base 64: {error}")))?;
    let rank = std::str::from_utf8(rank).ok().and_then(|rank| rank.parse().ok());
    let rank = rank.ok_or_else(|| wrong("the rank is not an integer under 2^32".to_owned()))?;
    if token.is_empty() {
        return Err(wrong("the token is empty".to_owned()));
    }
    Ok((token.iter().map(|&byte| byte_to_char(byte)).collect(), rank))
}

/// Refuses a vocabulary that lacks a byte.
pub(super) fn refuse_missing_bytes(vocab: &Vocab) -> Result<()> {
    let is_missing = |&byte: &u8| vocab.id(byte_to_char(byte).encode_utf8(&mut [0; 2])).is_none();
    let missing: Vec<u8> = (0..=255).filter(is_missing).collect();
    let Some(first) = missing.first() else { return Ok(()) };
    Err(Error::Vocabulary(
        format!(
            "{} of the 256 bytes are no tokens, the first of them 0x{first:02X}; text with such a byte could not be \
         encoded",
            missing.len(),
        )
        .into(),
    ))
}

/// Writes the ranks of a byte-level tokenizer whose merges are those that its ids imply.
pub fn write_tiktoken(tokenizer: &Tokenizer) -> Result<String> {
    let target = WriteTarget("a tiktoken file");
    let model = target.bpe(tokenizer)?;
    if model.settings().byte_fallback {
        return Err(target.cannot_hold("byte_fallback"));
    }
    target.refuse_affixes(model)?;
    target.refuse_unused(model)?;
    let entries = entries(tokenizer, model);
    let id = |id| if entries.contains(&id) { id } else { NO_RANK };
    let ids: Vec<u32> = (0..model.vocab().id_limit()).map(id).collect();
    if !is_implied(model, &ids)? {
        return Err(target.cannot_hold("merges that are not those which the order of its ids implies"));
    }
    if !model.settings().ignore_merges {
        target.refuse_unreachable(model, &entries)?;
    }
    let mut text = String::new();
    for (token, id) in model.vocab().iter().filter(|(_, id)| entries.contains(id)) {
        let Some(bytes) = token.chars().map(char_to_byte).collect::<Option<Vec<u8>>>() else {
            return Err(
                target.cannot_hold(&format!("the token {:?} (id {id}), which is not one of bytes", shorten(token)))
            );
        };
        text.push_str(&format!("{} {id}\n", BASE64.encode(bytes)));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(file: &str) -> String {
        vocab(file.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_line() {
        assert!(error("YQ== 0\nYg== x\n").starts_with("line 2: the rank is not an integer under 2^32"));
        assert!(error("YQ== 0\n\nYg=\n").starts_with("line 3: not two parts"));
        assert!(error("Y 0\n").starts_with("line 1: not base 64"));
        assert!(error("YQ== 0\nYQ== 1\n").starts_with("line 2: token \"a\" occurs twice"));
        assert!(error("YQ== 0\nYg== 0\n").contains("share the id 0"));
        assert!(error("").contains("empty"));
        assert!(error("YQ== -1\n").starts_with("line 1: the rank"));
    }

    #[test]
    fn ranks_may_have_gaps_but_bytes_must_be_complete() {
        let vocab = vocab(b"YQ== 0\r\nIGI= 7\n").unwrap();
        assert_eq!((vocab.id("a"), vocab.id("Ġb")), (Some(0), Some(7)));
        assert!(refuse_missing_bytes(&vocab).unwrap_err().to_string().starts_with("255 of the 256 bytes"));
    }
}
