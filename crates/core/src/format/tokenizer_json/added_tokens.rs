//! Added tokens in `tokenizer.json`.

use std::collections::HashMap;

use crate::added::{AddedToken, AddedTokens};
use crate::error::{Message, Result, shorten};
use crate::format::json::{Json, Node, object};
use crate::vocab::Vocab;

/// The ids of added tokens where a file has others than the reference library gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AddedIds {
    /// Such a file is an error.
    #[default]
    Equal,
    /// Those that the file has.
    File,
    /// Those that the reference library gives them.
    Tokenizers,
}

/// Reads added tokens with these ids.
pub(super) fn added_tokens(node: &Node<'_>, vocab: &Vocab, ids: AddedIds) -> Result<Vec<AddedToken>> {
    let written: Vec<AddedToken> = node.array()?.map(|node| added_token(&node)).collect::<Result<_>>()?;
    if ids == AddedIds::File {
        return Ok(written);
    }
    let numbered = AddedTokens::default().numbered(written.clone(), vocab);
    if ids == AddedIds::Equal {
        check_ids(node, &written, &numbered, vocab)?;
    }
    Ok(numbered)
}

/// Refuses an id that is not the one which the reference library assigns.
fn check_ids(node: &Node<'_>, written: &[AddedToken], numbered: &[AddedToken], vocab: &Vocab) -> Result<()> {
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

pub(in crate::format) fn added_token(node: &Node<'_>) -> Result<AddedToken> {
    node.only(&["id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"])?;
    let content = node.member("content")?;
    if content.str()?.is_empty() {
        return Err(content.error("an added token is empty; expected a text to look for"));
    }
    Ok(AddedToken {
        id: node.member("id")?.id()?,
        content: content.str()?.to_owned(),
        single_word: node.member("single_word")?.bool()?,
        lstrip: node.member("lstrip")?.bool()?,
        rstrip: node.member("rstrip")?.bool()?,
        normalized: node.member("normalized")?.bool()?,
        special: node.member("special")?.bool()?,
        control: false,
    })
}

pub(in crate::format) fn added_token_json(token: &AddedToken) -> Json {
    object([
        ("id", token.id.into()),
        ("content", token.content.as_str().into()),
        ("single_word", token.single_word.into()),
        ("lstrip", token.lstrip.into()),
        ("rstrip", token.rstrip.into()),
        ("normalized", token.normalized.into()),
        ("special", token.special.into()),
    ])
}
