//! Components as `tokenizer.json` writes them: an object whose `type` says what it is.

use super::json::{Json, Node, object};
use crate::error::Result;
use crate::normalize::{BertNormalizer, Normalizer};
use crate::postprocess::{Piece, Template};
use crate::pretokenize::PreTokenizer;
use crate::words::WordSplitter;

/// Reads `{"normalizer": …, "pre_tokenizer": …}`.
pub fn read_splitter(text: &str) -> Result<WordSplitter> {
    let json = Json::parse(text.as_bytes())?;
    let root = Node::root(&json);
    root.only(&["normalizer", "pre_tokenizer"])?;
    splitter(&root)
}

/// Writes `{"normalizer": …, "pre_tokenizer": …}`.
#[must_use]
pub fn write_splitter(splitter: &WordSplitter) -> String {
    splitter_json(splitter).text()
}

pub(super) fn splitter_json(splitter: &WordSplitter) -> Json {
    object([
        ("normalizer", normalizer_json(splitter.normalizer.as_ref())),
        ("pre_tokenizer", pre_tokenizer_json(splitter.pre_tokenizer)),
    ])
}

/// The members `normalizer` and `pre_tokenizer` of `node`.
pub(super) fn splitter(node: &Node<'_>) -> Result<WordSplitter> {
    Ok(WordSplitter {
        normalizer: node.find("normalizer")?.map(|node| normalizer(&node)).transpose()?,
        pre_tokenizer: node.find("pre_tokenizer")?.map(|node| pre_tokenizer(&node)).transpose()?,
    })
}

fn normalizer(node: &Node<'_>) -> Result<Normalizer> {
    match node.kind()? {
        "BertNormalizer" => {
            node.only(&["type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"])?;
            Ok(Normalizer::Bert(BertNormalizer {
                clean_text: node.member("clean_text")?.bool()?,
                handle_chinese_chars: node.member("handle_chinese_chars")?.bool()?,
                strip_accents: node.find("strip_accents")?.map(|node| node.bool()).transpose()?,
                lowercase: node.member("lowercase")?.bool()?,
            }))
        }
        other => Err(node.unknown_kind(other, &["BertNormalizer"])),
    }
}

pub(super) fn normalizer_json(normalizer: Option<&Normalizer>) -> Json {
    match normalizer {
        None => Json::Null,
        Some(Normalizer::Bert(bert)) => object([
            ("type", "BertNormalizer".into()),
            ("clean_text", bert.clean_text.into()),
            ("handle_chinese_chars", bert.handle_chinese_chars.into()),
            ("strip_accents", bert.strip_accents.into()),
            ("lowercase", bert.lowercase.into()),
        ]),
    }
}

fn pre_tokenizer(node: &Node<'_>) -> Result<PreTokenizer> {
    let pre_tokenizer = match node.kind()? {
        "BertPreTokenizer" => PreTokenizer::Bert,
        "WhitespaceSplit" => PreTokenizer::WhitespaceSplit,
        other => return Err(node.unknown_kind(other, &["BertPreTokenizer", "WhitespaceSplit"])),
    };
    node.only(&["type"])?;
    Ok(pre_tokenizer)
}

pub(super) fn pre_tokenizer_json(pre_tokenizer: Option<PreTokenizer>) -> Json {
    let Some(pre_tokenizer) = pre_tokenizer else { return Json::Null };
    let kind = match pre_tokenizer {
        PreTokenizer::Bert => "BertPreTokenizer",
        PreTokenizer::WhitespaceSplit => "WhitespaceSplit",
    };
    object([("type", kind.into())])
}

pub(super) fn template(node: &Node<'_>) -> Result<Template> {
    match node.kind()? {
        "BertProcessing" => {
            node.only(&["type", "sep", "cls"])?;
            let (cls, sep) = (node.member("cls")?, node.member("sep")?);
            Ok(Template::bert(named_id(&cls)?, named_id(&sep)?))
        }
        "TemplateProcessing" => {
            node.only(&["type", "single", "pair", "special_tokens"])?;
            let specials = node.member("special_tokens")?;
            let pieces = |name| node.member(name)?.array()?.map(|node| piece(&node, &specials)).collect::<Result<_>>();
            let template = Template { single: pieces("single")?, pair: pieces("pair")? };
            if template.uses(false, 1) || !(template.uses(true, 0) && template.uses(true, 1)) {
                return Err(node.error("expected a template of A alone for one text, and of A and B for a pair"));
            }
            Ok(template)
        }
        other => Err(node.unknown_kind(other, &["BertProcessing", "TemplateProcessing"])),
    }
}

/// A pair such as `["[CLS]", 101]`.
fn named_id<'a>(node: &Node<'a>) -> Result<(&'a str, u32)> {
    let parts: Vec<Node<'a>> = node.array()?.collect();
    match &parts[..] {
        [name, id] => Ok((name.str()?, id.id()?)),
        _ => Err(node.error("expected a token and its id")),
    }
}

fn piece(node: &Node<'_>, specials: &Node<'_>) -> Result<Piece> {
    node.only(&["SpecialToken", "Sequence"])?;
    if node.members()?.len() != 1 {
        return Err(node.error("expected either \"SpecialToken\" or \"Sequence\""));
    }
    if let Some(sequence) = node.find("Sequence")? {
        sequence.only(&["id", "type_id"])?;
        let name = sequence.member("id")?;
        let index = match name.str()? {
            "A" => 0,
            "B" => 1,
            _ => return Err(name.error("expected \"A\" or \"B\"")),
        };
        return Ok(Piece::Sequence { index, type_id: sequence.member("type_id")?.id()? });
    }
    let special = node.member("SpecialToken")?;
    special.only(&["id", "type_id"])?;
    let name = special.member("id")?.str()?;
    let known = specials.member(name)?;
    known.only(&["id", "ids", "tokens"])?;
    let ids = known.member("ids")?.array()?.map(|id| id.id()).collect::<Result<_>>()?;
    Ok(Piece::Special { name: name.to_owned(), ids, type_id: special.member("type_id")?.id()? })
}

/// The template, with the texts of its special tokens from `token`.
pub(super) fn template_json<'a>(template: Option<&Template>, token: impl Fn(u32) -> Result<&'a str>) -> Result<Json> {
    let Some(template) = template else { return Ok(Json::Null) };
    let template = &with_unique_names(template);
    let mut specials: Vec<(String, Json)> = Vec::new();
    for piece in template.single.iter().chain(&template.pair) {
        let Piece::Special { name, ids, .. } = piece else { continue };
        if specials.iter().all(|(other, _)| other != name) {
            let tokens = ids.iter().map(|&id| token(id)).collect::<Result<Vec<&str>>>()?;
            let special = object([
                ("id", name.as_str().into()),
                ("ids", ids.iter().copied().collect()),
                ("tokens", tokens.into_iter().collect()),
            ]);
            specials.push((name.clone(), special));
        }
    }
    specials.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(object([
        ("type", "TemplateProcessing".into()),
        ("single", Json::Array(template.single.iter().map(piece_json).collect())),
        ("pair", Json::Array(template.pair.iter().map(piece_json).collect())),
        ("special_tokens", Json::Object(specials)),
    ]))
}

/// The template, with other names for special tokens whose name stands for other ids before.
fn with_unique_names(template: &Template) -> Template {
    let mut named: Vec<(String, Vec<u32>)> = Vec::new();
    let mut rename = |piece: &Piece| {
        let Piece::Special { name, ids, type_id } = piece else { return piece.clone() };
        let mut unique = name.clone();
        while named.iter().any(|(other, others)| *other == unique && others != ids) {
            unique.push('\'');
        }
        named.push((unique.clone(), ids.clone()));
        Piece::Special { name: unique, ids: ids.clone(), type_id: *type_id }
    };
    Template {
        single: template.single.iter().map(&mut rename).collect(),
        pair: template.pair.iter().map(&mut rename).collect(),
    }
}

fn piece_json(piece: &Piece) -> Json {
    let (kind, id, type_id) = match piece {
        Piece::Sequence { index, type_id } => ("Sequence", if *index == 0 { "A" } else { "B" }, type_id),
        Piece::Special { name, type_id, .. } => ("SpecialToken", name.as_str(), type_id),
    };
    object([(kind, object([("id", id.into()), ("type_id", (*type_id).into())]))])
}
