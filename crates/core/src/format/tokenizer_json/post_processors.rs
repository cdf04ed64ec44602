//! Post-processors in `tokenizer.json`.

use std::collections::BTreeMap;

use crate::encoding::NamedToken;
use crate::error::Result;
use crate::format::json::{Json, JsonNode, object};
use crate::format::members::{Member, Record, components, record};
use crate::postprocess::{Bert, PostProcessor, Roberta, Template, TemplatePart, TemplateToken};
use crate::settings::ByteLevel;

components! {
    PostProcessor by JsonNode::kind;
    "BertProcessing": Bert(Bert);
    "RobertaProcessing" { sep, cls, trim_offsets, add_prefix_space }
        => Roberta(Roberta { tokens: Bert { cls, sep }, trim_offsets, add_prefix_space });
    "TemplateProcessing": Template(Template);
    "ByteLevel": ByteLevel(ByteLevel);
    "Sequence" { processors } => Sequence(processors);
}

record!(Bert { sep, cls });

/// A pair such as `["[CLS]", 101]`.
impl Member for NamedToken {
    fn read(node: &JsonNode<'_>) -> Result<Self> {
        let [name, id] = node.tuple("a token and its id")?;
        Ok(NamedToken::new(name.str()?, id.id()?))
    }

    fn json(&self) -> Json {
        Json::Array(vec![self.name.json(), self.id.json()])
    }
}

impl Record for Template {
    const MEMBERS: &'static [&'static str] = &["single", "pair", "special_tokens"];

    fn read_members(node: &JsonNode<'_>) -> Result<Self> {
        node.only_members(Self::MEMBERS)?;
        let specials = specials(&node.member("special_tokens")?)?;
        let pieces = |name| node.member(name)?.array()?.map(|node| piece(&node, &specials)).collect::<Result<_>>();
        let (single, pair) = (pieces("single")?, pieces("pair")?);
        Ok(Template { single, pair, specials })
    }

    fn members(&self) -> Vec<(&'static str, Json)> {
        vec![
            ("single", self.single.iter().map(piece_json).collect()),
            ("pair", self.pair.iter().map(piece_json).collect()),
            ("special_tokens", Json::Object(self.specials.iter().map(special_json).collect())),
        ]
    }
}

fn specials(node: &JsonNode<'_>) -> Result<BTreeMap<String, TemplateToken>> {
    let mut specials = BTreeMap::new();
    for (name, _) in node.members()? {
        let member = node.member(name)?;
        member.only(&["id", "ids", "tokens"])?;
        let ids: Vec<u32> = member.get("ids")?;
        let tokens = member.member("tokens")?;
        let names: Vec<&str> = tokens.array()?.map(|token| token.str()).collect::<Result<_>>()?;
        if ids.len() != names.len() {
            return Err(tokens.error(format!("expected as many tokens as ids, {}, found {}", ids.len(), names.len())));
        }
        let tokens = names.into_iter().zip(ids).map(|(name, id)| NamedToken::new(name, id)).collect();
        specials.insert(name.clone(), TemplateToken { id: member.get("id")?, tokens });
    }
    Ok(specials)
}

fn piece(node: &JsonNode<'_>, specials: &BTreeMap<String, TemplateToken>) -> Result<TemplatePart> {
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
        return Ok(TemplatePart::Sequence { index, type_id: sequence.get("type_id")? });
    }
    let special = node.member("SpecialToken")?;
    special.only(&["id", "type_id"])?;
    let id = special.member("id")?;
    let name = id.str()?;
    if !specials.contains_key(name) {
        return Err(id.error(format!("{name:?} is not among the special_tokens of the template")));
    }
    Ok(TemplatePart::Special { name: name.to_owned(), type_id: special.get("type_id")? })
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
