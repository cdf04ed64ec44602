//! Patterns in `tokenizer.json`: `{"String": "…"}` or `{"Regex": "…"}`.

use crate::error::Result;
use crate::format::json::{Json, JsonNode, object};
use crate::format::members::Member;
use crate::text::pattern::Pattern;

impl Member for Pattern {
    fn read(node: &JsonNode<'_>) -> Result<Self> {
        node.only(&["String", "Regex"])?;
        match (node.find("String")?, node.find("Regex")?) {
            (Some(text), None) => Ok(Pattern::literal(text.str()?)),
            (None, Some(source)) => Pattern::regex(source.str()?).map_err(|error| source.error(error)),
            _ => Err(node.error("expected either \"String\" or \"Regex\"")),
        }
    }

    fn json(&self) -> Json {
        object([(if self.is_regex() { "Regex" } else { "String" }, self.source().into())])
    }
}
