//! Truncation and padding in `tokenizer.json`.

use crate::encoding::pad::Padding;
use crate::encoding::truncate::{Truncation, TruncationStrategy};
use crate::encoding::{Direction, NamedToken};
use crate::error::Result;
use crate::format::json::{Json, JsonNode, object};
use crate::format::members::{self, Member, names};

const LONGEST: &str = "BatchLongest";

/// Reads the truncation of a call.
pub fn read_truncation(text: &str) -> Result<Truncation> {
    Truncation::read(&JsonNode::root(&Json::parse(text.as_bytes())?))
}

/// Reads the padding of a call.
pub fn read_padding(text: &str) -> Result<Padding> {
    Padding::read(&JsonNode::root(&Json::parse(text.as_bytes())?))
}

names! {
    Direction: &[("Left", Self::Left), ("Right", Self::Right)]
}

names! {
    TruncationStrategy: &[
        ("LongestFirst", Self::LongestFirst),
        ("OnlyFirst", Self::OnlyFirst),
        ("OnlySecond", Self::OnlySecond),
    ]
}

members::object! {
    Truncation { direction = Direction::default(), max_length, strategy, stride }
}

impl Member for Padding {
    fn read(node: &JsonNode<'_>) -> Result<Self> {
        node.only(&["strategy", "direction", "pad_to_multiple_of", "pad_id", "pad_type_id", "pad_token"])?;
        let strategy = node.member("strategy")?;
        let length = match strategy.str() {
            Ok(LONGEST) => None,
            Ok(_) => return Err(strategy.error("expected \"BatchLongest\" or {\"Fixed\": length}")),
            Err(_) => {
                strategy.only(&["Fixed"])?;
                Some(strategy.get("Fixed")?)
            }
        };
        Ok(Self {
            length,
            // Padding to a multiple of 0 means no multiple, as null does.
            pad_to_multiple_of: node.get::<Option<usize>>("pad_to_multiple_of")?.filter(|&multiple| multiple > 0),
            direction: node.get("direction")?,
            token: NamedToken::new(node.member("pad_token")?.str()?, node.get("pad_id")?),
            type_id: node.get("pad_type_id")?,
        })
    }

    fn json(&self) -> Json {
        object([
            ("strategy", self.length.map_or(LONGEST.into(), |length| object([("Fixed", length.json())]))),
            ("direction", self.direction.json()),
            ("pad_to_multiple_of", self.pad_to_multiple_of.json()),
            ("pad_id", self.token.id.json()),
            ("pad_type_id", self.type_id.json()),
            ("pad_token", self.token.name.json()),
        ])
    }
}
