//! The errors of the core; each message states the remedy.
//!
//! The length of a message is limited. Values are shortened before ([`shorten`]); then the middle is cut, since
//! messages begin with the place and end with the remedy.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The maximum length in bytes of a place and of a message.
const PLACE: usize = 120;
const MESSAGE: usize = 340;

const SPECIAL_TOKEN_HINT: &str = "pass `specials=\"text\"` to encode it as ordinary text, `specials=\"match\"` to \
     encode it as the special token, or a set of the special tokens that are allowed";
const ADDED_TOKEN_HINT: &str = "pass `specials=\"text-all\"` to encode it as ordinary text, or \
     allow it as a token: tok.untrusted(keep=[...])";
const UNKNOWN_TOKEN_HINT: &str = "train with one among the special tokens, or pass the model one (`unk_token=...`, for \
     Unigram `unk_id=...`)";
const TEXT_TOO_LONG_HINT: &str = "split it";
const LENGTHENED_HINT: &str = "expected a normalizer that writes less";

/// The result type of the core.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the core; `crates/py` maps each variant to a Python exception.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Settings that contradict each other or the data.
    #[error("{0}")]
    Config(Message),
    /// A vocabulary that is not a bijection, or lacks a required token.
    #[error("{0}")]
    Vocabulary(Message),
    /// Bytes that do not have the expected format.
    #[error("{}: {message}", abridge(&.at.to_string(), PLACE))]
    Format {
        /// The place: a JSON path or a line.
        at: Place,
        /// The value found and the value expected.
        message: Message,
    },
    /// A valid file that requests an unsupported feature.
    #[error("{}: {message}", abridge(&.at.to_string(), PLACE))]
    Unsupported {
        /// The place: a JSON path or a line.
        at: Place,
        /// The feature and the remedy.
        message: Message,
    },
    /// A file that is not UTF-8.
    #[error("invalid UTF-8 in line {line} at byte {byte} of the file (0x{value:02x})")]
    Utf8 {
        /// The line, from 1.
        line: u64,
        /// The byte of the file, from 0.
        byte: u64,
        /// The invalid byte.
        value: u8,
    },
    /// A text as bytes that is not UTF-8.
    #[error("invalid UTF-8 at byte {byte} of the text (0x{value:02x})")]
    Bytes {
        /// The byte of the text, from 0.
        byte: usize,
        /// The invalid byte.
        value: u8,
    },
    /// Word counts that cannot be combined, or none at all.
    #[error("{0}")]
    Counts(Message),
    /// A sum that does not fit into 64 bits.
    #[error("{0}")]
    Overflow(Message),
    /// A special token, or another added token, in a text where none is allowed.
    #[error("the text holds the {} token {:?} at character {character}; {}",
        if *.is_special { "special" } else { "added" }, shorten(token), token_hint(*.is_special))]
    SpecialToken {
        /// The token's text.
        token: String,
        /// Whether it is a special token.
        is_special: bool,
        /// The position of its first character in the text, in characters.
        character: usize,
    },
    /// A word that no pieces cover, in a tokenizer without unknown token.
    #[error("no pieces of the vocabulary cover {word:?}, and the tokenizer has no unknown token; {UNKNOWN_TOKEN_HINT}")]
    NoUnknownToken {
        /// The word, shortened.
        word: String,
    },
    /// An id outside the vocabulary.
    #[error("id {id} is not in the vocabulary, whose ids end at {last}")]
    Id {
        /// The id.
        id: u32,
        /// The largest id of the vocabulary.
        last: u32,
    },
    /// A request for token counts from a tokenizer without them.
    #[error("{0}")]
    NoCounts(Message),
    /// A regular expression that does not compile, or exceeds its limit on a text.
    #[error("{0}")]
    Regex(Message),
    /// A text longer than spans can address.
    #[error("a text of {0} bytes is over the limit of 1 GiB; {TEXT_TOO_LONG_HINT}")]
    TooLong(usize),
    /// A text that its normalizer or pre-tokenizer makes too much longer.
    #[error(
        "a text of {original} bytes becomes one of {bytes} or more, over the limit of 16 times its length and 64 KiB; {LENGTHENED_HINT}"
    )]
    Lengthened {
        /// The number of bytes of the text.
        original: usize,
        /// The number of bytes that it would have.
        bytes: usize,
    },
    /// A text that cannot be truncated with these settings.
    #[error("{0}")]
    Truncation(Message),
    /// A failed function of the caller.
    #[error("the pre-tokenizer function failed: {0}")]
    Function(CallerError),
    /// A failed read or write of storage that the caller owns; holds a `std::io::Error`.
    #[error("{0}")]
    Storage(CallerError),
    /// A request of the caller to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// Returns the error for a failed read or write of storage that the caller owns.
    #[must_use]
    pub fn storage(error: std::io::Error) -> Self {
        Self::Storage(CallerError(Arc::new(error)))
    }

    /// Returns the place in a file or in JSON.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        match self {
            Self::Format { at, .. } | Self::Unsupported { at, .. } => {
                Some(abridge(&at.to_string(), PLACE).into_owned())
            }
            _ => None,
        }
    }

    /// Returns what is wrong, without the place, the setting and the hint.
    #[must_use]
    pub fn problem(&self) -> String {
        match (self.message(), self.hint()) {
            (Some(message), _) => abridge(&message.0.problem, MESSAGE).into_owned(),
            (None, Some(hint)) => self.to_string().trim_end_matches(hint).trim_end_matches("; ").to_owned(),
            (None, None) => self.to_string(),
        }
    }

    /// Returns the name of the setting at fault.
    #[must_use]
    pub fn setting(&self) -> Option<&str> {
        self.message()?.0.setting.as_deref()
    }

    /// Returns what to do; settings in it are between backticks.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::SpecialToken { is_special, .. } => Some(token_hint(*is_special)),
            Self::NoUnknownToken { .. } => Some(UNKNOWN_TOKEN_HINT),
            Self::TooLong(_) => Some(TEXT_TOO_LONG_HINT),
            Self::Lengthened { .. } => Some(LENGTHENED_HINT),
            _ => self.message()?.0.hint.as_deref(),
        }
    }

    fn message(&self) -> Option<&Message> {
        match self {
            Self::Config(message)
            | Self::Vocabulary(message)
            | Self::Format { message, .. }
            | Self::Unsupported { message, .. }
            | Self::Counts(message)
            | Self::Overflow(message)
            | Self::NoCounts(message)
            | Self::Regex(message)
            | Self::Truncation(message) => Some(message),
            _ => None,
        }
    }
}

/// Returns what to do about a token in a text: of the words, `"text"` is for special tokens alone.
fn token_hint(is_special: bool) -> &'static str {
    if is_special { SPECIAL_TOKEN_HINT } else { ADDED_TOKEN_HINT }
}

/// The parts of a message: what is wrong, the setting at fault, and what to do.
///
/// ```
/// use piecework_core::error::Message;
///
/// let message = Message::new("1 is too small").setting("vocab_size").hint("raise it");
/// assert_eq!(message.to_string(), "vocab_size: 1 is too small; raise it");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message(Box<MessageParts>); // one pointer, so that the results of fast calls stay small

#[derive(Debug, Clone, PartialEq, Eq)]
struct MessageParts {
    problem: String,
    setting: Option<String>,
    hint: Option<String>,
}

impl Message {
    /// Creates a message without setting and hint.
    #[must_use]
    pub fn new(problem: impl Into<String>) -> Self {
        Self(Box::new(MessageParts { problem: problem.into(), setting: None, hint: None }))
    }

    /// Adds the name of the setting or argument at fault; the message begins with it.
    #[must_use]
    pub fn setting(mut self, name: impl Into<String>) -> Self {
        self.0.setting = Some(name.into());
        self
    }

    /// Adds the name of the setting that contains the setting at fault.
    #[must_use]
    pub fn within(mut self, name: &str) -> Self {
        self.0.setting = Some(self.0.setting.map_or_else(|| name.to_owned(), |inner| format!("{name}.{inner}")));
        self
    }

    /// Adds what to do; the message ends with it. Settings are written between backticks: `` `unk_token=None` ``.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Adds a hint if there is one.
    #[must_use]
    pub fn maybe_hint(mut self, hint: Option<String>) -> Self {
        self.0.hint = hint;
        self
    }
}

impl From<Error> for Message {
    fn from(error: Error) -> Self {
        let before = [error.place(), error.setting().map(str::to_owned)].into_iter().flatten();
        let before: String = before.map(|part| part + ": ").collect();
        Self::new(before + &error.problem()).maybe_hint(error.hint().map(str::to_owned))
    }
}

impl From<String> for Message {
    fn from(problem: String) -> Self {
        Self::new(problem)
    }
}

impl From<&str> for Message {
    fn from(problem: &str) -> Self {
        Self::new(problem)
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MessageParts { problem, setting, hint } = &*self.0;
        let before = setting.as_ref().map_or_else(String::new, |name| format!("{name}: "));
        let after = hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"));
        f.write_str(&abridge(&format!("{before}{problem}{after}"), MESSAGE))
    }
}

/// An error of the caller, passed through unchanged; two are equal only if they are the same object.
#[derive(Debug, Clone)]
pub struct CallerError(pub Arc<dyn std::error::Error + Send + Sync>);

impl PartialEq for CallerError {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for CallerError {}

impl fmt::Display for CallerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A position in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line, from 1.
    Line(usize),
    /// A line of the merges, if they are stored next to a vocabulary.
    Merges(usize),
    /// A JSON path such as `$.model.vocab`.
    Json(String),
    /// A field of a binary file.
    Field(&'static str),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Merges(line) => write!(f, "line {line} of the merges"),
            Self::Json(path) => f.write_str(path),
            Self::Field(name) => f.write_str(name),
        }
    }
}

/// Returns a text for messages, cut if it is longer than 60 characters.
#[must_use]
pub fn shorten(text: &str) -> String {
    const LIMIT: usize = 60;
    match text.char_indices().nth(LIMIT) {
        None => text.to_owned(),
        Some((cut, _)) => format!("{}… ({} characters)", &text[..cut], text.chars().count()),
    }
}

/// Returns a text of at most `limit` bytes. The middle is cut, since messages begin with the error and end with the
/// remedy.
fn abridge(text: &str, limit: usize) -> Cow<'_, str> {
    const GAP: &str = "…";
    if text.len() <= limit {
        return text.into();
    }
    let half = (limit - GAP.len()) / 2;
    let is_boundary = |at: &usize| text.is_char_boundary(*at);
    let before = (0..=half).rev().find(is_boundary).unwrap_or(0);
    let after = (text.len() - half..text.len()).find(is_boundary).unwrap_or(text.len());
    format!("{}{GAP}{}", &text[..before], &text[after..]).into()
}

/// Returns the hint for a misspelled name, if a candidate is similar.
#[must_use]
pub fn did_you_mean(written: &str, candidates: &[&str]) -> Option<String> {
    let distances = candidates.iter().map(|&candidate| (edit_distance(written, candidate), candidate));
    let (distance, near) = distances.min_by_key(|&(distance, _)| distance)?;
    (distance <= 1 + written.len() / 4).then(|| format!("did you mean {near:?}?"))
}

/// Returns the Levenshtein distance in characters, case-folded, in time proportional to the product of the lengths.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn did_you_mean_finds_a_typing_error() {
        let known = ["BertNormalizer", "Lowercase"];
        assert_eq!(did_you_mean("BertNormaliser", &known).as_deref(), Some("did you mean \"BertNormalizer\"?"));
        assert_eq!(did_you_mean("Nmt", &known), None);
    }

    #[test]
    fn messages_have_a_length_limit() {
        let long = "é".repeat(70_000);
        let path = Place::Json(format!("$.model.vocab.{long}"));
        let errors = [
            Error::Config(format!("the token {long:?} occurs twice; remove one").into()),
            Error::Format { at: path.clone(), message: format!("the member {long:?}").into() },
            Error::Unsupported { at: path, message: "a type".into() },
            Error::SpecialToken { token: long.clone(), is_special: true, character: 3 },
            Error::SpecialToken { token: long.clone(), is_special: false, character: 3 },
        ];
        for error in errors {
            assert!(error.to_string().len() < 480, "{}", error.to_string().len());
        }
        let message = Error::Config(format!("the token {long:?} occurs twice; remove one").into()).to_string();
        assert!(message.starts_with("the token \"é") && message.ends_with("é\" occurs twice; remove one"));
        assert_eq!(abridge(&"a".repeat(340), MESSAGE).len(), 340);
    }

    #[test]
    fn shorten_cuts_between_characters() {
        assert_eq!(shorten("short"), "short");
        assert!(shorten(&"é".repeat(100)).ends_with("… (100 characters)"));
    }
}
