//! The table of file formats: how each is detected, read and written.
//!
//! The boundary and Python use this table, so a new format needs a file for its code and a row here. A detector gets
//! the bytes of a file and its name in lower case; the first row whose detector accepts them is the format.

use super::{merges_txt, sentencepiece, subword_nmt, tiktoken, tokenizer_json, vocab_txt};
use crate::error::{Error, Message, Result};
use crate::model::wordpiece::WordPieceSettings;
use crate::pipeline::Tokenizer;
use crate::splitter::WordSplitter;

/// The files of a format: their names and bytes. An empty name means that any name will do.
pub type Files = Vec<(&'static str, Vec<u8>)>;

type Detector = fn(&[u8], &str) -> bool;
type Reader = fn(&[u8]) -> Result<Tokenizer>;
type Writer = fn(&Tokenizer, Option<&[u8]>) -> Result<Files>;

/// A file format of tokenizers.
#[derive(Debug, Clone, Copy)]
pub struct FileFormat {
    /// The name by which users choose the format.
    pub name: &'static str,
    /// The file name suffix of the format, if it has one.
    pub suffix: Option<&'static str>,
    /// Suffixes of file names that belong together, for a format of two files.
    pub companions: &'static [(&'static str, &'static str)],
    detect: Detector,
    read: Option<Reader>,
    write: Writer,
}

/// The table of formats, in the order of detection. The last one accepts everything.
pub const FORMATS: [FileFormat; 7] = [
    FileFormat {
        name: "clip",
        suffix: None,
        companions: &[],
        detect: merges_txt::is_clip,
        read: Some(merges_txt::read_clip),
        write: |tokenizer, _| one(merges_txt::write_clip(tokenizer)),
    },
    FileFormat {
        name: "merges.txt",
        suffix: None,
        companions: &merges_txt::COMPANIONS,
        detect: |bytes, name| {
            let is_other = subword_nmt::is_codes(bytes) || sentencepiece::is_model(bytes, name);
            merges_txt::is_merges(name) || (!is_other && merges_txt::is_vocabulary(bytes, name))
        },
        read: None,
        write: |tokenizer, _| {
            let (vocab, merges) = (merges_txt::write_vocab_json(tokenizer)?, merges_txt::write_merges_txt(tokenizer)?);
            Ok(vec![("vocab.json", vocab.into_bytes()), ("merges.txt", merges.into_bytes())])
        },
    },
    FileFormat {
        name: "subword-nmt",
        suffix: None,
        companions: &[],
        detect: |bytes, _| subword_nmt::is_codes(bytes),
        read: Some(|bytes| subword_nmt::read_subword_nmt(bytes, None)),
        write: |tokenizer, _| one(subword_nmt::write_subword_nmt(tokenizer)),
    },
    FileFormat {
        name: "sentencepiece",
        suffix: Some(sentencepiece::SUFFIX),
        companions: &[],
        // The tokenizer.model of Llama 3 is a file of ranks.
        detect: |bytes, name| sentencepiece::is_model(bytes, name) && !tiktoken::is_ranks(bytes, name),
        read: Some(sentencepiece::read_sentencepiece),
        write: |tokenizer, base| Ok(vec![("", sentencepiece::write_sentencepiece(tokenizer, base)?)]),
    },
    FileFormat {
        name: "tokenizer.json",
        suffix: Some(".json"),
        companions: &[],
        detect: tokenizer_json::is_json,
        read: Some(|bytes| tokenizer_json::read_tokenizer_json(bytes, &tokenizer_json::JsonSettings::default())),
        write: |tokenizer, _| one(tokenizer_json::write_tokenizer_json(tokenizer)),
    },
    FileFormat {
        name: "tiktoken",
        suffix: Some(tiktoken::SUFFIX),
        companions: &[],
        detect: tiktoken::is_ranks,
        read: None,
        write: |tokenizer, _| one(tiktoken::write_tiktoken(tokenizer)),
    },
    FileFormat {
        name: "vocab.txt",
        suffix: Some(".txt"),
        companions: &[],
        detect: |_, _| true,
        read: Some(|bytes| {
            let settings =
                vocab_txt::VocabSettings { splitter: WordSplitter::bert()?, model: WordPieceSettings::default() };
            vocab_txt::read_vocab_txt(bytes, settings)
        }),
        write: |tokenizer, _| one(vocab_txt::write_vocab_txt(tokenizer.model().vocab())),
    },
];

fn one(text: Result<String>) -> Result<Files> {
    Ok(vec![("", text?.into_bytes())])
}

/// Returns the format of bytes; the file's `name` decides if they are ambiguous.
///
/// ```
/// let format = piecework_core::format::detect_format(b"IQ== 0\nIg== 1\n", "");
/// assert_eq!(format.name, "tiktoken");
/// ```
#[must_use]
pub fn detect_format(bytes: &[u8], name: &str) -> &'static FileFormat {
    let name = name.to_lowercase();
    let [others @ .., rest] = &FORMATS;
    others.iter().find(|format| (format.detect)(bytes, &name)).unwrap_or(rest)
}

/// Returns the format named `name`.
pub fn format_named(name: &str) -> Result<&'static FileFormat> {
    FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        Error::Config(format!("the format {name:?} is not among those known here, {}", known.join(", ")).into())
    })
}

impl FileFormat {
    /// Reads a file that needs no other file and no settings; other formats are an error.
    ///
    /// ```
    /// use piecework_core::format::format_named;
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\na\n")?;
    /// assert_eq!(tokenizer.vocab_size(), 2);
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn read(&self, bytes: &[u8]) -> Result<Tokenizer> {
        let read = self.read.ok_or_else(|| {
            let name = self.name;
            Error::Config(
                Message::new(format!("a file of the format {name} does not hold a whole tokenizer"))
                    .hint("use the format's own reader"),
            )
        })?;
        read(bytes)
    }

    /// Writes the files of a tokenizer; `base` is a `.model` that provides what a tokenizer does not hold.
    pub fn write(&self, tokenizer: &Tokenizer, base: Option<&[u8]>) -> Result<Files> {
        (self.write)(tokenizer, base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_before_names() {
        for (bytes, name, format) in [
            (&b"\"bpe_simple_vocab_16e6.txt#version: 0.2\n"[..], "merges.txt", "clip"),
            (b"#version: 0.2\nl o\n", "GPT2-Merges.TXT", "merges.txt"),
            (b"#version: 0.2\nl o\n", "vocab.json", "subword-nmt"),
            (b"{\"a\": 0}", "", "merges.txt"),
            (b"{\"a\\\"b\": 0}", "x", "merges.txt"),
            (b"[]", "vocab.json", "merges.txt"),
            (b"{\"a\": 0, \"model\" : {}}", "vocab.json", "tokenizer.json"),
            (b" {}", "", "tokenizer.json"),
            (b"{}", "a.txt", "vocab.txt"),
            (b"", "a.json", "tokenizer.json"),
            (b"", "a.model", "sentencepiece"),
            (b"IQ== 0\n", "tokenizer.model", "tiktoken"),
            (b"\x0a\x08\x0a\x01a\x15\0\0\0\0", "", "sentencepiece"),
            (b"IQ== 0\r\n", "", "tiktoken"),
            (b"IQ= 0\n", "", "vocab.txt"),
            (b"hug 0 1\n", "", "vocab.txt"),
            (b"hug 0 1\n", "a.tiktoken", "tiktoken"),
        ] {
            assert_eq!(detect_format(bytes, name).name, format, "{} {name}", bytes.escape_ascii());
        }
    }

    #[test]
    fn every_row_detects_and_reads_what_it_writes() {
        let tokenizer = format_named("vocab.txt").unwrap().read(b"[UNK]\nhug\n##s\n").unwrap();
        for name in ["tokenizer.json", "vocab.txt"] {
            let files = format_named(name).unwrap().write(&tokenizer, None).unwrap();
            let [("", bytes)] = &files[..] else { panic!("one file") };
            let found = detect_format(bytes, "");
            assert_eq!(found.name, name);
            assert_eq!(found.write(&found.read(bytes).unwrap(), None).unwrap(), files);
        }
        assert!(matches!(format_named("tiktoken").unwrap().read(b""), Err(Error::Config(_))));
        assert!(format_named("word").unwrap_err().to_string().contains("clip, merges.txt"));
    }
}
