//! Truncation and padding in `tokenizer.json`.

use crate::encoding::pad::Padding;
use crate::encoding::truncate::{Truncation, TruncationStrategy};
use crate::encoding::{Direction, NamedToken};
use crate::error::Result;
use crate::format::json::{Json, Node, choice, name_of, object};

const DIRECTIONS: [(&str, Direction); 2] = [("Left", Direction::Left), ("Right", Direction::Right)];
const STRATEGIES: [(&str, TruncationStrategy); 3] = [
    ("LongestFirst", TruncationStrategy::LongestFirst),
    ("OnlyFirst", TruncationStrategy::OnlyFirst),
    ("OnlySecond", TruncationStrategy::OnlySecond),
];
const LONGEST: &str = "BatchLongest";

/// Reads the truncation of a call.
pub fn read_truncation(text: &str) -> Result<Truncation> {
    truncation(&Node::root(&Json::parse(text.as_bytes())?))
}

/// Reads the padding of a call.
pub fn read_padding(text: &str) -> Result<Padding> {
    padding(&Node::root(&Json::parse(text.as_bytes())?))
}

/// Writes truncation.
#[must_use]
pub fn write_truncation(truncation: &Truncation) -> String {
    truncation_json(Some(truncation)).text()
}

/// Writes padding.
#[must_use]
pub fn write_padding(padding: &Padding) -> String {
    padding_json(Some(padding)).text()
}

pub(super) fn truncation(node: &Node<'_>) -> Result<Truncation> {
    node.only(&["direction", "max_length", "strategy", "stride"])?;
    let direction = node.find("direction")?.map(|node| choice(&node, &DIRECTIONS)).transpose()?;
    Ok(Truncation {
        max_length: node.member("max_length")?.size()?,
        stride: node.member("stride")?.size()?,
        strategy: choice(&node.member("strategy")?, &STRATEGIES)?,
        direction: direction.unwrap_or_default(),
    })
}

pub(super) fn padding(node: &Node<'_>) -> Result<Padding> {
    node.only(&["strategy", "direction", "pad_to_multiple_of", "pad_id", "pad_type_id", "pad_token"])?;
    let strategy = node.member("strategy")?;
    let length = match strategy.str() {
        Ok(LONGEST) => None,
        Ok(_) => return Err(strategy.error("expected \"BatchLongest\" or {\"Fixed\": length}")),
        Err(_) => {
            strategy.only(&["Fixed"])?;
            Some(strategy.member("Fixed")?.size()?)
        }
    };
    let multiple = node.find("pad_to_multiple_of")?.map(|node| node.size()).transpose()?;
    Ok(Padding {
        length,
        // Padding to a multiple of 0 means no multiple, as null does.
        pad_to_multiple_of: multiple.filter(|&multiple| multiple > 0),
        direction: choice(&node.member("direction")?, &DIRECTIONS)?,
        token: NamedToken::new(node.member("pad_token")?.str()?, node.member("pad_id")?.id()?),
        type_id: node.member("pad_type_id")?.id()?,
    })
}

pub(super) fn truncation_json(truncation: Option<&Truncation>) -> Json {
    let Some(truncation) = truncation else { return Json::Null };
    object([
        ("direction", name_of(truncation.direction, &DIRECTIONS).into()),
        ("max_length", (truncation.max_length as u64).into()),
        ("strategy", name_of(truncation.strategy, &STRATEGIES).into()),
        ("stride", (truncation.stride as u64).into()),
    ])
}

pub(super) fn padding_json(padding: Option<&Padding>) -> Json {
    let Some(padding) = padding else { return Json::Null };
    object([
        ("strategy", padding.length.map_or(LONGEST.into(), |length| object([("Fixed", (length as u64).into())]))),
        ("direction", name_of(padding.direction, &DIRECTIONS).into()),
        ("pad_to_multiple_of", padding.pad_to_multiple_of.map(|multiple| multiple as u64).into()),
        ("pad_id", padding.token.id.into()),
        ("pad_type_id", padding.type_id.into()),
        ("pad_token", padding.token.name.as_str().into()),
    ])
}
