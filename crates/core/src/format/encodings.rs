//! The encodings of tiktoken 0.14, by name: their split patterns and special tokens.
//!
//! The ranks are in separate files. The patterns find with Oniguruma the matches that tiktoken's patterns find.

use crate::error::{Error, Message, Result, did_you_mean};
use crate::text::grammar::Grammar;

const END_OF_TEXT: &str = "<|endoftext|>";
const END_OF_PROMPT: &str = "<|endofprompt|>";
const FIM: [&str; 3] = ["<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"];

/// An encoding of tiktoken: its split pattern and its special tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedEncoding {
    /// The split pattern, in the syntax of Oniguruma.
    pub pattern: &'static str,
    /// The special tokens and their ids.
    pub special_tokens: Vec<(String, u32)>,
}

/// The names of the encodings, in the order of messages.
pub const ENCODINGS: [&str; 7] =
    ["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"];

/// Returns the encoding `name`.
///
/// ```
/// use piecework_core::format::named_encoding;
///
/// assert_eq!(named_encoding("cl100k_base")?.special_tokens[0], ("<|endoftext|>".to_owned(), 100_257));
/// # Ok::<(), piecework_core::Error>(())
/// ```
pub fn named_encoding(name: &str) -> Result<NamedEncoding> {
    let (grammar, specials): (_, Vec<(&str, u32)>) = match name {
        "gpt2" | "r50k_base" | "p50k_base" => (Grammar::GPT2, vec![(END_OF_TEXT, 50256)]),
        "p50k_edit" => {
            (Grammar::GPT2, [(END_OF_TEXT, 50256)].into_iter().chain(FIM.into_iter().zip(50281..)).collect())
        }
        "cl100k_base" => {
            let specials = [END_OF_TEXT].into_iter().chain(FIM).zip(100_257..);
            (Grammar::CL100K, specials.chain([(END_OF_PROMPT, 100_276)]).collect())
        }
        "o200k_base" => (Grammar::O200K, vec![(END_OF_TEXT, 199_999), (END_OF_PROMPT, 200_018)]),
        "o200k_harmony" => return Ok(NamedEncoding { pattern: Grammar::O200K.pattern(), special_tokens: harmony() }),
        _ => {
            let problem = format!("no encoding {name:?} is known, only {}", ENCODINGS.join(", "));
            return Err(Error::Config(Message::new(problem).maybe_hint(did_you_mean(name, &ENCODINGS))));
        }
    };
    let special_tokens = specials.into_iter().map(|(token, id)| (token.to_owned(), id)).collect();
    Ok(NamedEncoding { pattern: grammar.pattern(), special_tokens })
}

/// Returns the special tokens of the harmony format; ids without a name are reserved.
fn harmony() -> Vec<(String, u32)> {
    const NAMED: [(&str, u32); 10] = [
        ("startoftext", 199_998),
        ("endoftext", 199_999),
        ("return", 200_002),
        ("constrain", 200_003),
        ("channel", 200_005),
        ("start", 200_006),
        ("end", 200_007),
        ("message", 200_008),
        ("call", 200_012),
        ("endofprompt", 200_018),
    ];
    let is_free = |id: &u32| NAMED.iter().all(|(_, taken)| taken != id);
    let reserved = (200_000..201_088).filter(is_free).map(|id| (format!("<|reserved_{id}|>"), id));
    NAMED.iter().map(|(name, id)| (format!("<|{name}|>"), *id)).chain(reserved).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::pattern::Pattern;

    #[test]
    fn every_name_is_known_and_its_pattern_compiles() {
        for name in ENCODINGS {
            Pattern::regex(named_encoding(name).unwrap().pattern).unwrap();
        }
        let error = named_encoding("cl10k_base").unwrap_err().to_string();
        assert!(error.ends_with("did you mean \"cl100k_base\"?"), "{error}");
    }
}
