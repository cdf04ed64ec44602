//! Patterns in `tokenizer.json`: `{"String": "…"}` or `{"Regex": "…"}`.

use crate::error::Result;
use crate::format::json::{Json, Node, object};
use crate::text::pattern::Pattern;

pub(super) fn pattern(node: &Node<'_>) -> Result<Pattern> {
    node.only(&["String", "Regex"])?;
    match (node.find("String")?, node.find("Regex")?) {
        (Some(text), None) => Ok(Pattern::literal(text.str()?)),
        (None, Some(source)) => Pattern::regex(source.str()?).map_err(|error| source.error(error)),
        _ => Err(node.error("expected either \"String\" or \"Regex\"")),
    }
}

pub(super) fn pattern_json(pattern: &Pattern) -> Json {
    object([(if pattern.is_regex() { "Regex" } else { "String" }, pattern.source().into())])
}
