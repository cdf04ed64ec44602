//! The stages of a text, as tuples with spans in characters.

use std::ops::Range;

use piecework_core::Result;
use piecework_core::model::Token;
use piecework_core::model::steps::{LatticeSteps, MergeStep, MergeSteps, PairMerge, Steps, UnusedSplit};
use piecework_core::normalize::Normalized;
use piecework_core::pipeline::{ExplainLimits, ExplainedText, ExplainedToken, ExplainedWord};
use piecework_core::pretokenize::words::WordKind;
use piecework_core::text::span::Span;
use pyo3::prelude::*;

use crate::call::Call;
use crate::char_map::CharacterOffsets;
use crate::lists::Listed;

/// A span in characters.
type CharSpan = (u32, u32);
/// The span of a run of the normalized text, then that of the original.
type AlignedRun = (u32, u32, u32, u32);

/// A text with the results of all stages.
#[derive(IntoPyObject)]
pub(crate) struct TextRow {
    normalized: String,
    runs: Listed<AlignedRun>,
    words: Listed<WordRow>,
    /// The number of all words.
    word_count: usize,
}

/// A word of a text, or an added token.
#[derive(IntoPyObject)]
struct WordRow {
    text: String,
    /// The id of an added token.
    added: Option<u32>,
    normalized: CharSpan,
    original: CharSpan,
    tokens: Listed<TokenRow>,
    /// The number of all tokens.
    token_count: usize,
    /// The longest matches of WordPiece.
    matches: Option<Listed<PlacedToken>>,
    merges: Option<MergesRow>,
    lattice: Option<LatticeRow>,
}

/// The id of a token, with its spans in the word, in the normalized text and in the original.
type TokenRow = (u32, CharSpan, CharSpan, CharSpan);
/// A token, or a character that is no token, with its span.
type PlacedToken = (Option<u32>, CharSpan);

/// The merges of a word.
#[derive(IntoPyObject)]
struct MergesRow {
    is_whole: bool,
    symbols: Listed<PlacedToken>,
    steps: Listed<MergeStepRow>,
    /// The index of a symbol that is not a token, the symbol, and the tokens that replace it.
    replacements: Vec<(usize, u32, Vec<u32>)>,
}

/// The lattice of a word: edges with scores, its log-probability, and its best segmentations.
#[derive(IntoPyObject)]
struct LatticeRow {
    edges: Listed<(Option<u32>, CharSpan, f64)>,
    log_probability: f64,
    best: Vec<(Listed<PlacedToken>, f64)>,
}

/// A merge: left, right and merged token, and its rank.
type PairMergeRow = (u32, u32, u32, u32);
/// The index of the left symbol, the merge, and the merges that it prevents.
pub(crate) type MergeStepRow = (usize, PairMergeRow, Vec<PairMergeRow>);

/// Returns the stages of a text.
pub(crate) fn explain(call: Call<'_>, text: &str, limits: ExplainLimits) -> Result<TextRow> {
    let ExplainedText { normalized, words, word_count } =
        call.tokenizer.explain(text, call.options, limits, &mut call.pool.scratch())?;
    let maps = TextMaps { normalized: CharacterOffsets::new(normalized.text()), original: CharacterOffsets::new(text) };
    // The alignment begins and ends where the listed tokens do.
    let range = if words.len() == word_count && words.iter().all(ExplainedWord::is_complete) {
        0..normalized.text().len()
    } else {
        let spans = || words.iter().flat_map(|word| word.tokens.iter().map(|token| token.normalized));
        let start = spans().map(|span| span.start).min().unwrap_or_default();
        let end = spans().map(|span| span.end).max().unwrap_or_default();
        Span { start, end }.range()
    };
    Ok(TextRow {
        runs: Listed(runs(&normalized, range, &maps)),
        words: words.into_iter().map(|word| maps.word(word)).collect(),
        normalized: normalized.text().to_owned(),
        word_count,
    })
}

/// Returns the bytes of a range of characters, which may end after the text.
pub(crate) fn bytes_of(text: &str, (start, end): (usize, usize)) -> Span {
    let byte = |number| text.char_indices().nth(number).map_or(text.len(), |(at, _)| at);
    Span::new(byte(start), byte(end))
}

/// The maps from bytes to characters of a text and its normalized form.
struct TextMaps {
    normalized: CharacterOffsets,
    original: CharacterOffsets,
}

impl TextMaps {
    fn word(&self, word: ExplainedWord) -> WordRow {
        let map = CharacterOffsets::new(&word.text);
        let token = |token: &ExplainedToken| {
            let ExplainedToken { id, span, normalized, original } = *token;
            let spans = (self.normalized.characters(normalized), self.original.characters(original));
            (id, map.characters(span), spans.0, spans.1)
        };
        let (matches, merges, lattice) = match word.steps {
            None => (None, None, None),
            Some(Steps::Matches(matches)) => {
                (Some(matches.into_iter().map(|(id, span)| (id, map.characters(span))).collect()), None, None)
            }
            Some(Steps::Merges(steps)) => (None, Some(merges_row(steps, &map)), None),
            Some(Steps::Lattice(steps)) => (None, None, Some(lattice_row(steps, &map))),
        };
        WordRow {
            added: if let WordKind::Added(id) = word.kind { Some(id) } else { None },
            normalized: self.normalized.characters(word.normalized),
            original: self.original.characters(word.original),
            tokens: word.tokens.iter().map(token).collect(),
            token_count: word.token_count,
            matches,
            merges,
            lattice,
            text: word.text,
        }
    }
}

fn merges_row(steps: MergeSteps, map: &CharacterOffsets) -> MergesRow {
    let MergeSteps { is_whole, symbols, merges, replacements } = steps;
    MergesRow {
        is_whole,
        symbols: placed(&symbols, map),
        steps: merges.into_iter().map(merge_step_row).collect(),
        replacements: replacements.into_iter().map(|UnusedSplit { index, id, ids }| (index, id, ids)).collect(),
    }
}

fn lattice_row(steps: LatticeSteps, map: &CharacterOffsets) -> LatticeRow {
    let LatticeSteps { edges, log_probability, best } = steps;
    LatticeRow {
        edges: edges.into_iter().map(|edge| (edge.id, map.characters(edge.span), edge.score)).collect(),
        log_probability,
        best: best.into_iter().map(|best| (placed(&best.tokens, map), best.score)).collect(),
    }
}

fn placed(tokens: &[Token], map: &CharacterOffsets) -> Listed<PlacedToken> {
    tokens.iter().map(|token| (Some(token.id), map.characters(token.span))).collect()
}

pub(crate) fn merge_step_row(step: MergeStep) -> MergeStepRow {
    let row = |PairMerge { pair: (left, right), id, rank }: PairMerge| (left, right, id, rank);
    (step.index, row(step.merge), step.blocked.into_iter().map(row).collect())
}

/// Returns the alignment of a range of bytes of a normalized text as runs.
///
/// In a run, either all characters of the normalized text stand for the same characters of the original, or each stands
/// for one, in order.
fn runs(normalized: &Normalized, range: Range<usize>, maps: &TextMaps) -> Vec<AlignedRun> {
    let mut runs: Vec<AlignedRun> = Vec::new();
    for (at, c) in normalized.text()[range.clone()].char_indices() {
        let start = range.start + at;
        let span = Span::new(start, start + c.len_utf8());
        let (start, stop) = maps.normalized.characters(span);
        let origin = maps.original.characters(normalized.original(span));
        match runs.last_mut() {
            Some(run) if (run.2, run.3) == origin => run.1 = stop,
            Some(run) if run.3 > run.2 && (run.3 - 1, run.3) == origin => {
                // The last character of a run that stands for one character has another one in common with it.
                (run.1, run.3) = (run.1 - 1, run.3 - 1);
                runs.push((start - 1, stop, origin.0, origin.1));
            }
            Some(run) if origin == (run.3, run.3 + 1) && run.1 - run.0 == run.3 - run.2 => {
                (run.1, run.3) = (stop, origin.1);
            }
            _ => runs.push((start, stop, origin.0, origin.1)),
        }
    }
    runs
}
