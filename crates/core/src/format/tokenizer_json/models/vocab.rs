//! The vocabulary of a model in `tokenizer.json`.

use crate::error::{Result, shorten};
use crate::format::json::{Json, JsonNode};
use crate::vocab::Vocab;

/// Reads an object of tokens and their ids.
pub(in crate::format) fn read_vocab(node: &JsonNode<'_>) -> Result<Vocab> {
    let members = node.members()?;
    let mut vocab = Vocab::expecting(members.len());
    for (token, id) in members {
        let id = match id {
            Json::Unsigned(id) => u32::try_from(*id).ok(),
            _ => None,
        };
        let Some(id) = id else {
            return Err(node.error(format!("the id of {:?} is not an integer under 2^32", shorten(token))));
        };
        vocab.insert(token, id).map_err(|error| node.error(error))?;
    }
    Ok(vocab)
}

pub(in crate::format) fn vocab_json(vocab: &Vocab) -> Json {
    Json::Object(vocab.iter().map(|(token, id)| (token.to_owned(), id.into())).collect())
}
