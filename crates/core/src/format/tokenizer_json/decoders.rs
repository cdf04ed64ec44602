//! Decoders in `tokenizer.json`.

use super::patterns::{pattern, pattern_json};
use crate::decode::{
    BpeDecoder, CtcDecoder, Decoder, ReplaceDecoder, SentencePieceDecoder, StripDecoder, WordPieceDecoder,
};
use crate::error::Result;
use crate::format::json::{Json, Node, choice, name_of, object};
use crate::normalize::SPACE;
use crate::settings::{ByteLevel, Metaspace, PrependScheme};
use crate::text::pattern::Pattern;

const SENTENCE_PIECE: &str = "piecework.SentencePiece";
const KINDS: [&str; 11] = [
    "BPEDecoder",
    "ByteFallback",
    "ByteLevel",
    "CTC",
    "Fuse",
    "Metaspace",
    "Replace",
    "Sequence",
    "Strip",
    "WordPiece",
    SENTENCE_PIECE,
];

/// The members by which the reference library recognizes a decoder without a `type`.
const KIND_BY_MEMBER: [(&str, &str); 5] = [
    ("suffix", "BPEDecoder"),
    ("pad_token", "CTC"),
    ("pattern", "Replace"),
    ("start", "Strip"),
    ("prefix", "WordPiece"),
];

const SCHEMES: [(&str, PrependScheme); 3] =
    [("never", PrependScheme::Never), ("first", PrependScheme::First), ("always", PrependScheme::Always)];

/// Reads a decoder.
pub fn read_decoder(text: &str) -> Result<Decoder> {
    decoder(&Node::root(&Json::parse(text.as_bytes())?))
}

/// Writes a decoder.
#[must_use]
pub fn write_decoder(decoder: &Decoder) -> String {
    decoder_json(Some(decoder)).text()
}

pub(super) fn decoder(node: &Node<'_>) -> Result<Decoder> {
    Ok(match kind(node)? {
        "BPEDecoder" => {
            node.only(&["type", "suffix"])?;
            Decoder::Bpe(BpeDecoder { suffix: string(node, "suffix")? })
        }
        "ByteFallback" => {
            node.only(&["type"])?;
            Decoder::ByteFallback
        }
        "ByteLevel" => Decoder::ByteLevel(byte_level(node)?),
        "CTC" => {
            node.only(&["type", "pad_token", "word_delimiter_token", "cleanup"])?;
            Decoder::Ctc(CtcDecoder {
                pad_token: string(node, "pad_token")?,
                word_delimiter_token: string(node, "word_delimiter_token")?,
                cleanup: node.member("cleanup")?.bool()?,
            })
        }
        "Fuse" => {
            node.only(&["type"])?;
            Decoder::Fuse
        }
        "Metaspace" => Decoder::Metaspace(metaspace(node)?),
        "Replace" => {
            node.only(&["type", "pattern", "content"])?;
            let pattern = pattern(&node.member("pattern")?)?;
            Decoder::Replace(ReplaceDecoder { pattern, content: string(node, "content")? })
        }
        "Sequence" => {
            node.only(&["type", "decoders"])?;
            let decoders = node.member("decoders")?;
            Decoder::Sequence(decoders.array()?.map(|node| decoder(&node)).collect::<Result<_>>()?)
        }
        "Strip" => {
            node.only(&["type", "content", "start", "stop"])?;
            let content = node.member("content")?.char()?;
            Decoder::Strip(StripDecoder {
                content,
                start: node.member("start")?.size()?,
                stop: node.member("stop")?.size()?,
            })
        }
        "WordPiece" => {
            node.only(&["type", "prefix", "cleanup"])?;
            let prefix = string(node, "prefix")?;
            Decoder::WordPiece(WordPieceDecoder { prefix, cleanup: node.member("cleanup")?.bool()? })
        }
        SENTENCE_PIECE => Decoder::SentencePiece(sentencepiece(node)?),
        other => return Err(node.unknown_kind(other, &KINDS)),
    })
}

fn kind<'a>(node: &Node<'a>) -> Result<&'a str> {
    if node.find("type")?.is_none() {
        for (member, kind) in KIND_BY_MEMBER {
            if node.find(member)?.is_some() {
                return Ok(kind);
            }
        }
    }
    node.kind()
}

fn sentencepiece(node: &Node<'_>) -> Result<SentencePieceDecoder> {
    node.only(&["type", "add_dummy_prefix", "remove_extra_whitespaces", "byte_fallback", "unk_token", "unk_surface"])?;
    Ok(SentencePieceDecoder {
        add_dummy_prefix: node.member("add_dummy_prefix")?.bool()?,
        remove_extra_whitespaces: node.member("remove_extra_whitespaces")?.bool()?,
        byte_fallback: node.member("byte_fallback")?.bool()?,
        unk_token: string(node, "unk_token")?,
        unk_surface: string(node, "unk_surface")?,
    })
}

fn string(node: &Node<'_>, name: &str) -> Result<String> {
    Ok(node.member(name)?.str()?.to_owned())
}

fn flag_or(node: &Node<'_>, name: &str, default: bool) -> Result<bool> {
    node.find(name)?.map_or(Ok(default), |flag| flag.bool())
}

pub(super) fn byte_level(node: &Node<'_>) -> Result<ByteLevel> {
    node.only(&["type", "add_prefix_space", "trim_offsets", "use_regex"])?;
    Ok(ByteLevel {
        add_prefix_space: node.member("add_prefix_space")?.bool()?,
        trim_offsets: node.member("trim_offsets")?.bool()?,
        use_regex: flag_or(node, "use_regex", true)?,
    })
}

/// Reads Metaspace settings, with the members of earlier versions.
///
/// These are `str_rep`, which repeated the replacement, and `add_prefix_space`, which may be false only if
/// `prepend_scheme` is `"never"`.
pub(super) fn metaspace(node: &Node<'_>) -> Result<Metaspace> {
    node.only(&["type", "replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep"])?;
    node.find("str_rep")?.map(|old| old.str()).transpose()?;
    let scheme = node.find("prepend_scheme")?.map_or(Ok(PrependScheme::Always), |scheme| choice(&scheme, &SCHEMES))?;
    if scheme != PrependScheme::Never && !flag_or(node, "add_prefix_space", true)? {
        return Err(node.error("where add_prefix_space is false, prepend_scheme must be \"never\""));
    }
    Ok(Metaspace {
        replacement: node.member("replacement")?.char()?,
        prepend_scheme: scheme,
        split: flag_or(node, "split", true)?,
    })
}

pub(super) fn byte_level_json(byte_level: &ByteLevel) -> Json {
    object([
        ("type", "ByteLevel".into()),
        ("add_prefix_space", byte_level.add_prefix_space.into()),
        ("trim_offsets", byte_level.trim_offsets.into()),
        ("use_regex", byte_level.use_regex.into()),
    ])
}

pub(super) fn metaspace_json(metaspace: &Metaspace) -> Json {
    object([
        ("type", "Metaspace".into()),
        ("replacement", metaspace.replacement.to_string().as_str().into()),
        ("prepend_scheme", name_of(metaspace.prepend_scheme, &SCHEMES).into()),
        ("split", metaspace.split.into()),
    ])
}

/// Returns the library's decoder that is nearest to ours; both give equal text for all ids of an encoded text.
pub(super) fn nearest_json(pieces: &SentencePieceDecoder) -> Json {
    let replace = |pattern: &str, content: &str| {
        Decoder::Replace(ReplaceDecoder { pattern: Pattern::literal(pattern), content: content.to_owned() })
    };
    let mut steps = vec![replace(&pieces.unk_token, &pieces.unk_surface), replace(SPACE, " ")];
    if pieces.byte_fallback {
        steps.push(Decoder::ByteFallback);
    }
    steps.push(Decoder::Fuse);
    if pieces.add_dummy_prefix || pieces.remove_extra_whitespaces {
        steps.push(Decoder::Strip(StripDecoder { content: ' ', start: 1, stop: 0 }));
    }
    decoder_json(Some(&Decoder::Sequence(steps)))
}

pub(super) fn decoder_json(decoder: Option<&Decoder>) -> Json {
    let Some(decoder) = decoder else { return Json::Null };
    match decoder {
        Decoder::Bpe(bpe) => object([("type", "BPEDecoder".into()), ("suffix", bpe.suffix.as_str().into())]),
        Decoder::ByteFallback => object([("type", "ByteFallback".into())]),
        Decoder::ByteLevel(byte_level) => byte_level_json(byte_level),
        Decoder::Ctc(ctc) => object([
            ("type", "CTC".into()),
            ("pad_token", ctc.pad_token.as_str().into()),
            ("word_delimiter_token", ctc.word_delimiter_token.as_str().into()),
            ("cleanup", ctc.cleanup.into()),
        ]),
        Decoder::Fuse => object([("type", "Fuse".into())]),
        Decoder::Metaspace(metaspace) => metaspace_json(metaspace),
        Decoder::Replace(replace) => object([
            ("type", "Replace".into()),
            ("pattern", pattern_json(&replace.pattern)),
            ("content", replace.content.as_str().into()),
        ]),
        Decoder::SentencePiece(pieces) => object([
            ("type", SENTENCE_PIECE.into()),
            ("add_dummy_prefix", pieces.add_dummy_prefix.into()),
            ("remove_extra_whitespaces", pieces.remove_extra_whitespaces.into()),
            ("byte_fallback", pieces.byte_fallback.into()),
            ("unk_token", pieces.unk_token.as_str().into()),
            ("unk_surface", pieces.unk_surface.as_str().into()),
        ]),
        Decoder::Sequence(decoders) => object([
            ("type", "Sequence".into()),
            ("decoders", Json::Array(decoders.iter().map(|decoder| decoder_json(Some(decoder))).collect())),
        ]),
        Decoder::Strip(strip) => object([
            ("type", "Strip".into()),
            ("content", strip.content.to_string().as_str().into()),
            ("start", (strip.start as u64).into()),
            ("stop", (strip.stop as u64).into()),
        ]),
        Decoder::WordPiece(wordpiece) => object([
            ("type", "WordPiece".into()),
            ("prefix", wordpiece.prefix.as_str().into()),
            ("cleanup", wordpiece.cleanup.into()),
        ]),
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
