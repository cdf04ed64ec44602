//! Decoders in `tokenizer.json`, and the settings that they share with other stages.
//!
//! `SentencePiece` decodes broken bytes differently from any decoder of `tokenizers`, and so does our decoder. So that
//! `tokenizers` still reads the file, `decoder` holds its closest equivalent, and ours is under `model.piecework`.

use crate::decode::{
    BpeDecoder, CtcDecoder, Decoder, ReplaceDecoder, SentencePieceDecoder, StripDecoder, WordPieceDecoder,
};
use crate::error::Result;
use crate::format::json::{Json, JsonNode};
use crate::format::members::{Member, Record, components, names, record};
use crate::settings::{ByteLevel, Metaspace, PrependScheme};

components! {
    Decoder by kind;
    "BPEDecoder": Bpe(BpeDecoder);
    "ByteFallback" {} => ByteFallback;
    "ByteLevel": ByteLevel(ByteLevel);
    "CTC": Ctc(CtcDecoder);
    "Fuse" {} => Fuse;
    "Metaspace": Metaspace(Metaspace);
    "Replace": Replace(ReplaceDecoder);
    "Sequence" { decoders } => Sequence(decoders);
    "Strip": Strip(StripDecoder);
    "WordPiece": WordPiece(WordPieceDecoder);
    "piecework.SentencePiece": SentencePiece(SentencePieceDecoder);
}

record!(BpeDecoder { suffix });
record!(CtcDecoder { pad_token, word_delimiter_token, cleanup });
record!(ReplaceDecoder { pattern, content });
record!(StripDecoder { content, start, stop });
record!(WordPieceDecoder { prefix, cleanup });
record!(SentencePieceDecoder { add_dummy_prefix, remove_extra_whitespaces, byte_fallback, unk_token, unk_surface });
record!(ByteLevel { add_prefix_space, trim_offsets, use_regex = true });

names! {
    PrependScheme: &[
        ("never", Self::Never),
        ("first", Self::First),
        ("always", Self::Always),
    ]
}

/// The members by which the reference library recognizes a decoder without a `type`.
const KIND_BY_MEMBER: [(&str, &str); 5] = [
    ("suffix", "BPEDecoder"),
    ("pad_token", "CTC"),
    ("pattern", "Replace"),
    ("start", "Strip"),
    ("prefix", "WordPiece"),
];

/// Reads a decoder.
pub fn read_decoder(text: &str) -> Result<Decoder> {
    Decoder::read(&JsonNode::root(&Json::parse(text.as_bytes())?))
}

/// Writes a decoder.
#[must_use]
pub fn write_decoder(decoder: &Decoder) -> String {
    decoder.json().text()
}

fn kind<'a>(node: &JsonNode<'a>) -> Result<&'a str> {
    if node.find("type")?.is_none() {
        for (member, kind) in KIND_BY_MEMBER {
            if node.find(member)?.is_some() {
                return Ok(kind);
            }
        }
    }
    node.kind()
}

/// Metaspace, whose earlier versions had two more members.
///
/// These are `str_rep`, which repeated the replacement, and `add_prefix_space`, which may be false only if
/// `prepend_scheme` is `"never"`.
impl Record for Metaspace {
    const MEMBERS: &'static [&'static str] = &["replacement", "prepend_scheme", "split"];

    fn read_members(node: &JsonNode<'_>) -> Result<Self> {
        node.only_members(&[Self::MEMBERS, &["add_prefix_space", "str_rep"]].concat())?;
        node.get::<Option<String>>("str_rep")?;
        let prepend_scheme = node.get_or("prepend_scheme", PrependScheme::Always)?;
        if prepend_scheme != PrependScheme::Never && !node.get_or("add_prefix_space", true)? {
            return Err(node.error("where add_prefix_space is false, prepend_scheme must be \"never\""));
        }
        Ok(Self { replacement: node.get("replacement")?, prepend_scheme, split: node.get_or("split", true)? })
    }

    fn members(&self) -> Vec<(&'static str, Json)> {
        vec![
            ("replacement", self.replacement.json()),
            ("prepend_scheme", self.prepend_scheme.json()),
            ("split", self.split.json()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoders_round_trip() {
        let same = [
            r#"{"type":"BPEDecoder","suffix":"</w>"}"#,
            r#"{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":false}"#,
            r#"{"type":"CTC","pad_token":"<pad>","word_delimiter_token":"|","cleanup":false}"#,
            r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":false}"#,
            r#"{"type":"Replace","pattern":{"Regex":"\\s+"},"content":" "}"#,
            r#"{"type":"Strip","content":"é","start":1,"stop":18446744073709551615}"#,
            r#"{"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"},{"type":"Fuse"},{"type":"WordPiece","prefix":"@@","cleanup":true}]}"#,
        ];
        for text in same {
            assert_eq!(write_decoder(&read_decoder(text).unwrap()), text);
        }
    }

    #[test]
    fn older_forms_are_read() {
        let forms = [
            (
                r#"{"type":"Metaspace","str_rep":"_","replacement":"_","add_prefix_space":true}"#,
                r#"{"type":"Metaspace","replacement":"_","prepend_scheme":"always","split":true}"#,
            ),
            (
                r#"{"type":"Metaspace","replacement":"_","add_prefix_space":false,"prepend_scheme":"never"}"#,
                r#"{"type":"Metaspace","replacement":"_","prepend_scheme":"never","split":true}"#,
            ),
            (
                r#"{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true}"#,
                r#"{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true}"#,
            ),
            (r#"{"prefix":"@@","cleanup":true}"#, r#"{"type":"WordPiece","prefix":"@@","cleanup":true}"#),
            (r#"{"suffix":"</w>"}"#, r#"{"type":"BPEDecoder","suffix":"</w>"}"#),
        ];
        for (old, new) in forms {
            assert_eq!(write_decoder(&read_decoder(old).unwrap()), new);
        }
    }

    #[test]
    fn errors_name_path_and_problem() {
        let wrong = [
            (r#"{"type":"Wordpiece"}"#, "did you mean \"WordPiece\"?"),
            (r#"{"type":"Fuse","fuse":1}"#, "$: the member \"fuse\" is unknown"),
            (r#"{"type":"WordPiece","prefix":"@@"}"#, "the member \"cleanup\" is missing"),
            (r#"{"type":"WordPiece","prefix":1,"cleanup":true}"#, "$.prefix: expected a string, found an integer"),
            (r#"{"type":"Strip","content":"ab","start":0,"stop":0}"#, "$.content: expected a string of one character"),
            (r#"{"type":"Strip","content":"a","start":-1,"stop":0}"#, "$.start: expected an integer from 0 on"),
            (r#"{"type":"Sequence","decoders":[{"type":"Fuse"},{}]}"#, "$.decoders[1]: the member \"type\" is missing"),
            (
                r#"{"type":"Replace","pattern":{"Regex":"(a"},"content":""}"#,
                "$.pattern.Regex: the regex \"(a\" does not",
            ),
            (r#"{"type":"Replace","pattern":{"String":"","Regex":""},"content":""}"#, "expected either"),
            (r#"{"type":"Replace","pattern":"a","content":""}"#, "$.pattern: expected an object, found a string"),
            (r#"{"type":"Metaspace","replacement":"_","prepend_scheme":"Never"}"#, "$.prepend_scheme: expected one of"),
            (r#"{"type":"Metaspace","replacement":"_","add_prefix_space":false}"#, "prepend_scheme must be \"never\""),
        ];
        for (text, message) in wrong {
            let error = read_decoder(text).unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
