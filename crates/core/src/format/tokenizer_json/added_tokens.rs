//! Added tokens in `tokenizer.json`.

use std::collections::HashMap;

use crate::added::{AddedToken, AddedTokens};
use crate::error::{Message, Result, shorten};
use crate::format::json::{Json, Node, object};
use crate::format::members::Member;
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
    let written = Vec::<AddedToken>::read(node)?;
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

impl Member for AddedToken {
    fn read(node: &Node<'_>) -> Result<Self> {
        node.only(&["id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"])?;
        let content = node.member("content")?;
        if content.str()?.is_empty() {
            return Err(content.error("an added token is empty; expected a text to look for"));
        }
        Ok(Self {
            id: node.get("id")?,
            content: node.get("content")?,
            single_word: node.get("single_word")?,
            lstrip: node.get("lstrip")?,
            rstrip: node.get("rstrip")?,
            normalized: node.get("normalized")?,
            special: node.get("special")?,
            control: false,
        })
    }

    fn json(&self) -> Json {
        object([
            ("id", self.id.json()),
            ("content", self.content.json()),
            ("single_word", self.single_word.json()),
            ("lstrip", self.lstrip.json()),
            ("rstrip", self.rstrip.json()),
            ("normalized", self.normalized.json()),
            ("special", self.special.json()),
        ])
    }
}
