//! Post-processors in `tokenizer.json`.

use std::collections::BTreeMap;

use super::decoders::{byte_level, byte_level_json};
use crate::encoding::NamedToken;
use crate::error::Result;
use crate::format::json::{Json, Node, object};
use crate::postprocess::{Bert, PostProcessor, Roberta, Template, TemplatePart, TemplateToken};

const KINDS: [&str; 5] = ["BertProcessing", "RobertaProcessing", "TemplateProcessing", "ByteLevel", "Sequence"];

pub(super) fn post_processor(node: &Node<'_>) -> Result<PostProcessor> {
    Ok(match node.kind()? {
        "BertProcessing" => {
            node.only(&["type", "sep", "cls"])?;
            PostProcessor::Bert(around(node)?)
        }
        "RobertaProcessing" => {
            node.only(&["type", "sep", "cls", "trim_offsets", "add_prefix_space"])?;
            PostProcessor::Roberta(Roberta {
                tokens: around(node)?,
                trim_offsets: node.member("trim_offsets")?.bool()?,
                add_prefix_space: node.member("add_prefix_space")?.bool()?,
            })
        }
        "TemplateProcessing" => {
            node.only(&["type", "single", "pair", "special_tokens"])?;
            PostProcessor::Template(template(node)?)
        }
        "ByteLevel" => PostProcessor::ByteLevel(byte_level(node)?),
        "Sequence" => {
            node.only(&["type", "processors"])?;
            let steps = node.member("processors")?;
            PostProcessor::Sequence(steps.array()?.map(|node| post_processor(&node)).collect::<Result<_>>()?)
        }
        other => return Err(node.unknown_kind(other, &KINDS)),
    })
}

fn around(node: &Node<'_>) -> Result<Bert> {
    Ok(Bert { cls: named_token(&node.member("cls")?)?, sep: named_token(&node.member("sep")?)? })
}

/// Reads a pair such as `["[CLS]", 101]`.
fn named_token(node: &Node<'_>) -> Result<NamedToken> {
    let parts: Vec<Node<'_>> = node.array()?.collect();
    match &parts[..] {
        [name, id] => Ok(NamedToken::new(name.str()?, id.id()?)),
        _ => Err(node.error("expected a token and its id")),
    }
}

fn template(node: &Node<'_>) -> Result<Template> {
    let specials = specials(&node.member("special_tokens")?)?;
    let pieces = |name| node.member(name)?.array()?.map(|node| piece(&node, &specials)).collect::<Result<_>>();
    let (single, pair) = (pieces("single")?, pieces("pair")?);
    Ok(Template { single, pair, specials })
}

fn specials(node: &Node<'_>) -> Result<BTreeMap<String, TemplateToken>> {
    let mut specials = BTreeMap::new();
    for (name, _) in node.members()? {
        let member = node.member(name)?;
        member.only(&["id", "ids", "tokens"])?;
        let ids: Vec<u32> = member.member("ids")?.array()?.map(|id| id.id()).collect::<Result<_>>()?;
        let tokens = member.member("tokens")?;
        let names: Vec<&str> = tokens.array()?.map(|token| token.str()).collect::<Result<_>>()?;
        if ids.len() != names.len() {
            return Err(tokens.error(format!("expected as many tokens as ids, {}, found {}", ids.len(), names.len())));
        }
        let tokens = names.into_iter().zip(ids).map(|(name, id)| NamedToken::new(name, id)).collect();
        specials.insert(name.clone(), TemplateToken { id: member.member("id")?.str()?.to_owned(), tokens });
    }
    Ok(specials)
}

fn piece(node: &Node<'_>, specials: &BTreeMap<String, TemplateToken>) -> Result<TemplatePart> {
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
        return Ok(TemplatePart::Sequence { index, type_id: sequence.member("type_id")?.id()? });
    }
    let special = node.member("SpecialToken")?;
    special.only(&["id", "type_id"])?;
    let id = special.member("id")?;
    let name = id.str()?;
    if !specials.contains_key(name) {
        return Err(id.error(format!("{name:?} is not among the special_tokens of the template")));
    }
    Ok(TemplatePart::Special { name: name.to_owned(), type_id: special.member("type_id")?.id()? })
}

pub(in crate::format) fn post_processor_json(processor: Option<&PostProcessor>) -> Json {
    let Some(processor) = processor else { return Json::Null };
    match processor {
        PostProcessor::Bert(bert) => object([
            ("type", "BertProcessing".into()),
            ("sep", named_token_json(&bert.sep)),
            ("cls", named_token_json(&bert.cls)),
        ]),
        PostProcessor::Roberta(roberta) => object([
            ("type", "RobertaProcessing".into()),
            ("sep", named_token_json(&roberta.tokens.sep)),
            ("cls", named_token_json(&roberta.tokens.cls)),
            ("trim_offsets", roberta.trim_offsets.into()),
            ("add_prefix_space", roberta.add_prefix_space.into()),
        ]),
        PostProcessor::Template(template) => object([
            ("type", "TemplateProcessing".into()),
            ("single", Json::Array(template.single.iter().map(piece_json).collect())),
            ("pair", Json::Array(template.pair.iter().map(piece_json).collect())),
            ("special_tokens", Json::Object(template.specials.iter().map(special_json).collect())),
        ]),
        PostProcessor::ByteLevel(byte_level) => byte_level_json(byte_level),
        PostProcessor::Sequence(steps) => object([
            ("type", "Sequence".into()),
            ("processors", Json::Array(steps.iter().map(|step| post_processor_json(Some(step))).collect())),
        ]),
    }
}

fn named_token_json(token: &NamedToken) -> Json {
    Json::Array(vec![token.name.as_str().into(), token.id.into()])
}

fn special_json((name, special): (&String, &TemplateToken)) -> (String, Json) {
    let json = object([
        ("id", special.id.as_str().into()),
        ("ids", special.tokens.iter().map(|token| token.id).collect()),
        ("tokens", special.tokens.iter().map(|token| token.name.as_str()).collect()),
    ]);
    (name.clone(), json)
}

fn piece_json(piece: &TemplatePart) -> Json {
    let (kind, id, type_id) = match piece {
        TemplatePart::Sequence { index, type_id } => ("Sequence", if *index == 0 { "A" } else { "B" }, type_id),
        TemplatePart::Special { name, type_id } => ("SpecialToken", name.as_str(), type_id),
    };
    object([(kind, object([("id", id.into()), ("type_id", (*type_id).into())]))])
}
