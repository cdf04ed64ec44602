//! Added tokens in `tokenizer.json`.

use crate::added::{AddedToken, AddedTokens};
use crate::error::{Result, shorten};
use crate::format::json::{Json, Node, object};
use crate::vocab::Vocab;

/// Reads added tokens; their ids must be those that the reference library assigns.
pub(super) fn added_tokens(node: &Node<'_>, vocab: &Vocab) -> Result<Vec<AddedToken>> {
    let written: Vec<AddedToken> = node.array()?.map(|node| added_token(&node)).collect::<Result<_>>()?;
    let numbered = AddedTokens::default().numbered(written.clone(), vocab);
    let ids: std::collections::HashMap<&str, u32> =
        numbered.iter().map(|token| (token.content.as_str(), token.id)).collect();
    for (token, place) in written.iter().zip(node.array()?) {
        if let Some(&id) = ids.get(token.content.as_str())
            && id != token.id
        {
            let content = shorten(&token.content);
            return Err(place.error(match vocab.id(&token.content) {
                Some(_) => format!("{content:?} has the id {} here and {id} in the vocabulary", token.id),
                None => format!("{content:?} has the id {}; the next free one is {id}", token.id),
            }));
        }
    }
    Ok(numbered)
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
