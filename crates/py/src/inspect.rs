//! Facts about a tokenizer and about the segmentation of words, for explanations.

use piecework_core::Result;
use piecework_core::model::Token;
use piecework_core::pipeline::{Options, Scratch, TokenizedWord, Tokenizer, WordScores};

use crate::input::CharMap;
use crate::tuples::AddedTokenRow;

/// A piece of a word: its id, its span in characters, the longer prefixes that failed before it.
type PieceRow = (u32, (u32, u32), Vec<String>);
/// A normalized word and its pieces.
pub(crate) type WordRow = (String, Vec<PieceRow>);
/// The log-probability of a word, and its best segmentations: ids and score.
pub(crate) type ScoresRow = (f64, Vec<(Vec<u32>, f64)>);

/// Returns the added tokens with their ids.
pub(crate) fn added_tokens(tokenizer: &Tokenizer) -> Vec<(u32, AddedTokenRow)> {
    tokenizer.added().tokens().iter().map(|token| (token.id, AddedTokenRow::of(token))).collect()
}

/// Returns the tokens of a BPE model that no text is encoded as; none for other models.
pub(crate) fn unreachable_tokens(tokenizer: &Tokenizer) -> Vec<String> {
    let Some(model) = tokenizer.model().as_bpe() else { return Vec::new() };
    let is_added = |id: u32| tokenizer.added().token(id).is_some();
    let ids = model.unreachable().into_iter().filter(|&id| !is_added(id));
    ids.filter_map(|id| tokenizer.token(id).map(str::to_owned)).collect()
}

/// Returns the words of a text after normalization, with their pieces.
pub(crate) fn tokenize_words(tokenizer: &Tokenizer, text: &str, scratch: &mut Scratch) -> Result<Vec<WordRow>> {
    let options = Options { add_special_tokens: false, ..Options::default() };
    let words = tokenizer.tokenize_words(text, &options, scratch)?;
    Ok(words.into_iter().map(|word| word_row(tokenizer, word)).collect())
}

fn word_row(tokenizer: &Tokenizer, TokenizedWord { word, tokens }: TokenizedWord) -> WordRow {
    let (map, model) = (CharMap::new(&word), tokenizer.model().as_word_piece());
    let pieces = tokens.iter().map(|token| {
        let bytes = token.span.range();
        let failed = model.map(|model| model.failed_prefixes(&word, bytes.start, bytes.end));
        (token.id, map.characters(token.span), failed.unwrap_or_default())
    });
    let pieces = pieces.collect();
    (word, pieces)
}

/// Returns the log-probability and the `n` best segmentations of each word of a text; `None` for added tokens.
pub(crate) fn word_scores(
    tokenizer: &Tokenizer,
    text: &str,
    n: usize,
    scratch: &mut Scratch,
) -> Result<Vec<Option<ScoresRow>>> {
    let words = tokenizer.word_scores(text, n, &Options::default(), scratch)?;
    let ids = |tokens: &[Token]| tokens.iter().map(|token| token.id).collect();
    let row = |word: WordScores| {
        (word.log_probability, word.best.iter().map(|best| (ids(&best.tokens), best.score)).collect())
    };
    Ok(words.into_iter().map(|word| word.map(row)).collect())
}
