//! Added tokens in `tokenizer.json`.

use std::collections::HashMap;

use crate::added::{AddedToken, AddedTokens};
use crate::error::{Message, Result, shorten};
use crate::format::json::JsonNode;
use crate::format::members::{Member, object};
use crate::vocab::Vocab;

/// The ids of added tokens where a file has others than the reference library gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AddedIdSource {
    /// Such a file is an error.
    #[default]
    Equal,
    /// Those that the file has.
    File,
    /// Those that the reference library gives them.
    Tokenizers,
}

/// Reads added tokens with these ids.
pub(super) fn added_tokens(node: &JsonNode<'_>, vocab: &Vocab, ids: AddedIdSource) -> Result<Vec<AddedToken>> {
    let written = Vec::<AddedToken>::read(node)?;
    if ids == AddedIdSource::File {
        return Ok(written);
    }
    let numbered = AddedTokens::default().numbered(written.clone(), vocab);
    if ids == AddedIdSource::Equal {
        check_ids(node, &written, &numbered, vocab)?;
    }
    Ok(numbered)
}

/// Refuses an id that is not the one which the reference library assigns.
fn check_ids(node: &JsonNode<'_>, written: &[AddedToken], numbered: &[AddedToken], vocab: &Vocab) -> Result<()> {
    let ids: HashMap<&str, u32> = numbered.iter().map(|token| (token.content.as_str(), token.id)).collect();
    for (token, place) in written.iter().zip(node.array()?) {
        if let Some(&id) = ids.get(token.content.as_str())
            && id != token.id
        {
            let content = shorten(&token.content);
            let problem = match vocab.id(&token.content) {
                Some(_) => format!("{content:?} has the id {} here and {id} in the vocabulary", token.id),
                None => format!("{content:?} has the id {}; the next free one is {id}", token.id),
            };
            let hint = "pass `added_token_ids=\"file\"` to take the ids of the file, or `added_token_ids=\"tokenizers\"` to take those that `tokenizers` gives";
            return Err(place.error(Message::new(problem).hint(hint)));
        }
    }
    Ok(())
}

object! {
    AddedToken {
        id, content by content, single_word, lstrip, rstrip, normalized, special; ..Self::default()
    }
}

fn content(node: &JsonNode<'_>) -> Result<String> {
    match node.str()? {
        "" => Err(node.error("an added token is empty; expected a text to look for")),
        content => Ok(content.to_owned()),
    }
}
