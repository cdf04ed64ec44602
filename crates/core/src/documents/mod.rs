//! Documents of text files and of JSON lines, parsed from blocks of bytes into columns.
//!
//! [`LineReader`] cuts blocks into lines and parses each: a line of text is a document, and so is a line of JSON
//! (`json.rs`, `strings.rs`). A line that is no document is a [`Fault`], which records kind, line, byte and reason.

mod json;
mod lines;
mod strings;

pub use json::JsonFields;
pub use lines::{LineFormat, LineRange, LineReader};

/// A kind of fault, on which the remedy depends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// The line is not UTF-8; its first invalid byte.
    InvalidUtf8(u8),
    /// The line is longer than the limit.
    TooLong,
    /// The line is not JSON.
    InvalidJson,
    /// The line ends within an array or object, but not within a string.
    UnfinishedJson,
    /// The line is JSON, but no object.
    NotObject,
    /// The object has no text, or one that is no string; the field of its longest string, if it has strings.
    NoText(Option<String>),
    /// A member that is read occurs twice.
    RepeatedMember,
    /// A string that is read has a lone surrogate.
    LoneSurrogate,
}

impl FaultKind {
    /// Returns the name of the kind for other languages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::InvalidUtf8(_) => "invalid UTF-8",
            Self::TooLong => "too long",
            Self::InvalidJson => "invalid JSON",
            Self::UnfinishedJson => "unfinished JSON",
            Self::NotObject => "not an object",
            Self::NoText(_) => "no text",
            Self::RepeatedMember => "repeated member",
            Self::LoneSurrogate => "lone surrogate",
        }
    }
}

/// A line that is no document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The number of lines before it, from the first byte that was read.
    pub line: u64,
    /// The byte of the file where it begins.
    pub start: u64,
    /// The byte of the file with the problem.
    pub byte: u64,
    /// The problem with it.
    pub reason: String,
}

impl Fault {
    /// Returns the fault at a byte of a line, until the line and its start are known.
    fn new(kind: FaultKind, byte: usize, reason: impl Into<String>) -> Self {
        Self { kind, line: 0, start: 0, byte: byte as u64, reason: reason.into() }
    }
}

/// Texts, each of which may be null, in one buffer with the end of each text.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct TextColumn {
    /// The bytes of all texts, which are UTF-8.
    pub bytes: Vec<u8>,
    /// The end of each text in `bytes`.
    pub ends: Vec<usize>,
    /// Whether each text is present; empty if all are.
    pub validity: Vec<bool>,
}

impl TextColumn {
    /// Ends a text whose bytes were appended to `bytes`.
    fn end_text(&mut self) {
        self.ends.push(self.bytes.len());
        if !self.validity.is_empty() {
            self.validity.push(true);
        }
    }

    /// Appends a null.
    fn push_null(&mut self) {
        self.validity.resize(self.ends.len(), true);
        self.validity.push(false);
        self.ends.push(self.bytes.len());
    }

    /// Removes all bytes after the last text.
    fn drop_unended(&mut self) {
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Removes all texts from index `length` on.
    fn truncate(&mut self, length: usize) {
        self.ends.truncate(length);
        self.validity.truncate(length);
        self.drop_unended();
    }
}

/// A batch of documents in columns, and the faults among them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct DocumentColumns {
    /// The texts, none of which is null.
    pub texts: TextColumn,
    /// The byte of the file where the line of each document begins.
    pub positions: Vec<u64>,
    /// The number of lines before the line of each document, from the first byte that was read.
    pub lines: Vec<u64>,
    /// The other members that are kept.
    pub kept: Vec<TextColumn>,
    /// The lines that are no documents.
    pub faults: Vec<Fault>,
}

impl DocumentColumns {
    /// Returns empty columns for documents of this format.
    #[must_use]
    pub fn new(format: &LineFormat) -> Self {
        Self { kept: vec![TextColumn::default(); format.kept()], ..Self::default() }
    }
}
