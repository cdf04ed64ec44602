//! `vocab.txt`: one token a line; the id is the line number, from 0.

use super::lines::{self, lines, plain_text, refuse_byte_order_mark};
use crate::added::AddedToken;
use crate::decode::{Decoder, WordPieceDecoder};
use crate::error::{Error, Message, Result, shorten};
use crate::model::Model;
use crate::model::wordpiece::{WordPiece, WordPieceSettings};
use crate::pipeline::{Tokenizer, TokenizerParts};
use crate::postprocess::{PostProcessor, Template};
use crate::splitter::WordSplitter;
use crate::vocab::Vocab;

/// The names of BERT's special tokens, in the order of installation.
pub(crate) const BERT_SPECIALS: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// Settings that a `vocab.txt` does not contain.
#[derive(Debug, Clone)]
pub struct VocabSettings {
    /// The normalizer and the pre-tokenizer.
    pub splitter: WordSplitter,
    /// The model's settings; their unknown token must be in the vocabulary.
    pub model: WordPieceSettings,
}

/// Reads a `vocab.txt`; special tokens in it are added, and BERT's template if it has `[CLS]` and `[SEP]`.
///
/// ```
/// use piecework_core::format::{VocabSettings, read_vocab_txt};
/// use piecework_core::model::wordpiece::WordPieceSettings;
/// use piecework_core::splitter::WordSplitter;
///
/// let model = WordPieceSettings { unk_token: None, ..WordPieceSettings::default() };
/// let tokenizer = read_vocab_txt(b"low\n##er\n", VocabSettings { splitter: WordSplitter::bert()?, model })?;
/// assert_eq!(tokenizer.id("##er"), Some(1));
/// # Ok::<(), piecework_core::Error>(())
/// ```
pub fn read_vocab_txt(bytes: &[u8], settings: VocabSettings) -> Result<Tokenizer> {
    let vocab = vocab(bytes)?;
    let unk = settings.model.unk_token.as_deref();
    if let Some(unk) = unk.filter(|unk| vocab.id(unk).is_none()) {
        return Err(Error::Vocabulary(
            Message::new(format!("the vocabulary has no unknown token {:?}", shorten(unk)))
                .hint("pass `unk_token=...` to name it, or `unk_token=None` if there is none"),
        ));
    }
    let mut names = BERT_SPECIALS.to_vec();
    names.extend(unk.filter(|unk| !BERT_SPECIALS.contains(unk)));
    let special = |name: &&str| Some(AddedToken::special(vocab.id(name)?, name));
    let specials = names.iter().filter_map(special).collect();
    let template = Template::bert_of(&vocab, &names);
    let decoder = WordPieceDecoder { prefix: settings.model.continuing_subword_prefix.clone(), cleanup: true };
    Tokenizer::new(TokenizerParts {
        added: specials,
        post_processor: template.map(PostProcessor::Template),
        decoder: Some(Decoder::WordPiece(decoder)),
        ..TokenizerParts::new(settings.splitter, Model::WordPiece(WordPiece::new(vocab, settings.model)))
    })
}

fn vocab(bytes: &[u8]) -> Result<Vocab> {
    refuse_byte_order_mark(bytes)?;
    let mut vocab = Vocab::expecting(lines(bytes).count());
    for (number, line) in lines(bytes) {
        let token = token_of(plain_text(number, line)?);
        if let Some(first) = vocab.id(token) {
            let (token, first) = (shorten(token), first + 1);
            let message =
                Message::new(format!("duplicate token {token:?} (first on line {first})")).hint("remove one of them");
            return Err(lines::error(number, message));
        }
        vocab.insert_next(token)?;
    }
    if vocab.is_empty() {
        return Err(Error::Vocabulary("the vocabulary is empty; expected one token a line".into()));
    }
    Ok(vocab)
}

/// Returns the token of a line: without trailing spaces and tabs, as in the reference library, unless it has nothing else.
///
/// Other white space is kept, since it may be a token, as U+2028 is in the vocabulary of Chinese BERT.
fn token_of(line: &str) -> &str {
    let token = line.trim_end_matches([' ', '\t']);
    if token.is_empty() { line } else { token }
}

/// Writes one token a line.
///
/// A vocabulary with gaps between its ids, or with a token that would not be read back, is an error.
pub fn write_vocab_txt(vocab: &Vocab) -> Result<String> {
    if let Some(gap) = vocab.first_gap() {
        return Err(Error::Vocabulary(
            Message::new(format!("no token has the id {gap}, and a vocab.txt cannot skip an id"))
                .hint("save a tokenizer.json"),
        ));
    }
    let mut text = String::new();
    for (token, id) in vocab.iter() {
        // An empty line is read as an empty token, unless it is the whole file.
        let is_read_back = !token.contains('\n') && !token.ends_with('\r') && token_of(token) == token;
        if !is_read_back || (token.is_empty() && vocab.len() == 1) {
            return Err(Error::Vocabulary(
                Message::new(format!(
                    "the token {:?} (id {id}) ends in white space or holds a line end, and a vocab.txt cannot hold it",
                    shorten(token)
                ))
                .hint("save a tokenizer.json"),
            ));
        }
        text.push_str(token);
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_ids() {
        let vocab = vocab(b"[UNK]\r\na\n\nb").unwrap();
        assert_eq!((vocab.id("a"), vocab.id(""), vocab.id("b")), (Some(1), Some(2), Some(3)));
        assert!(super::vocab(b"").is_err());
        assert!(
            super::vocab(b"a\nb\na\n")
                .unwrap_err()
                .to_string()
                .starts_with("line 3: duplicate token \"a\" (first on line 1)")
        );
        assert!(super::vocab(b"a\n\xff\n").unwrap_err().to_string().starts_with("line 2"));
    }

    #[test]
    fn refuses_what_cannot_be_read_back() {
        let write = |tokens: &[&str]| {
            write_vocab_txt(&Vocab::from_tokens(tokens.iter().map(|&token| token.to_owned())).unwrap())
        };
        assert_eq!(write(&["a", "##b"]).unwrap(), "a\n##b\n");
        assert!(write(&["a\nb"]).is_err() && write(&["a "]).is_err() && write(&[""]).is_err());
        assert_eq!(vocab(write(&["a", ""]).unwrap().as_bytes()).unwrap().len(), 2);
    }
}
