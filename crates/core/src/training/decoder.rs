//! Chooses the decoder of a trained tokenizer: it reverts what the splitter and the model write into tokens.
//!
//! `spec/pipeline.md`, section 8.1, has the rules.

use crate::decode::{BpeDecoder, Decoder, LAST_SPACE, ReplaceDecoder, StripDecoder, WordPieceDecoder};
use crate::error::Result;
use crate::normalize::{Normalizer, SentencePiece};
use crate::pretokenize::words::Words;
use crate::pretokenize::{PreTokenizer, Substitution};
use crate::settings::{ByteLevel, Metaspace, PrependScheme};
use crate::splitter::WordSplitter;
use crate::text::bytes::byte_to_char;
use crate::text::pattern::Pattern;

/// The marks that a model writes into the tokens of a word.
#[derive(Clone, Copy, Default)]
pub(super) struct TokenMarks<'a> {
    /// The prefix of a token that continues a word; may be empty.
    pub(super) prefix: &'a str,
    /// The suffix of the last token of a word; may be empty.
    pub(super) suffix: &'a str,
    /// Whether the suffix may be a token of its own.
    pub(super) is_suffix_separate: bool,
    /// Whether tokens such as `<0x61>` are bytes.
    pub(super) byte_fallback: bool,
    /// Whether to clean up the text, if a prefix shows the beginnings of words.
    pub(super) cleanup: bool,
}

/// A replacement of characters by the normalizer or the pre-tokenizer.
enum Layer {
    /// Bytes as visible characters.
    Bytes,
    /// Spaces as a mark.
    Spaces(SpaceMark),
}

struct SpaceMark {
    text: String,
    /// The settings of the pre-tokenizer that writes it; `None` if the normalizer does.
    metaspace: Option<Metaspace>,
    /// Whether one more is written before the text.
    leads: bool,
    /// Whether one more is written after the text.
    trails: bool,
}

/// Returns the decoder for tokens of a splitter and a model; `None` joins tokens by spaces.
pub(super) fn decoder_for(splitter: &WordSplitter, marks: TokenMarks<'_>) -> Result<Option<Decoder>> {
    let layers = layers(splitter);
    let has_bytes = layers.iter().any(|layer| matches!(layer, Layer::Bytes));
    let apart = removes_spaces(splitter, &layers)?;
    let mut steps = if marks.byte_fallback { vec![Decoder::ByteFallback] } else { Vec::new() };
    let spaced = apart && marks.suffix.is_empty() && !marks.prefix.is_empty();
    if spaced {
        let prefix = marks.prefix.to_owned();
        steps.push(Decoder::WordPiece(WordPieceDecoder { prefix, cleanup: marks.cleanup }));
    } else {
        steps.extend(without_prefix(marks.prefix)?);
        steps.extend(without_suffix(marks, apart, has_bytes)?);
    }
    undo(&layers, apart, spaced, &mut steps)?;
    if apart && has_bytes && !marks.suffix.is_empty() {
        steps.push(without_last_space()?);
    }
    if steps.is_empty() && !apart {
        steps.push(Decoder::Fuse);
    }
    Ok(if steps.len() > 1 { Some(Decoder::Sequence(steps)) } else { steps.pop() })
}

/// Returns the normalizer of `SentencePiece`, if no other stage writes marks.
pub(super) fn sentencepiece(splitter: &WordSplitter) -> Option<&SentencePiece> {
    let [Layer::Spaces(SpaceMark { metaspace: None, .. })] = &layers(splitter)[..] else { return None };
    let mut own = splitter.normalizer()?.steps().filter_map(Normalizer::sentencepiece);
    own.find(|own| own.settings().escape_whitespaces)
}

/// Returns the layers, in the order in which they are applied.
fn layers(splitter: &WordSplitter) -> Vec<Layer> {
    let mut layers = Vec::new();
    let has_metaspace = splitter.pre_tokenizer().is_some_and(|steps| steps.metaspace().is_some());
    if let Some(normalizer) = splitter.normalizer() {
        for step in normalizer.steps() {
            if *step == Normalizer::ByteLevel {
                layers.push(Layer::Bytes);
            } else if !has_metaspace && !has_mark(&layers) {
                let mark = step.space_mark(normalizer).map(|(text, leads, trails)| SpaceMark {
                    text: text.to_owned(),
                    metaspace: None,
                    leads,
                    trails,
                });
                layers.extend(mark.map(Layer::Spaces));
            }
        }
    }
    for substitution in splitter.pre_tokenizer().into_iter().flat_map(PreTokenizer::substitutions) {
        match substitution {
            Substitution::Bytes => layers.push(Layer::Bytes),
            Substitution::Spaces(mark) if !has_mark(&layers) => layers.push(Layer::Spaces(SpaceMark {
                text: mark.replacement.to_string(),
                metaspace: Some(*mark),
                leads: mark.prepend_scheme != PrependScheme::Never,
                trails: false,
            })),
            Substitution::Spaces(_) => {}
        }
    }
    layers
}

fn has_mark(layers: &[Layer]) -> bool {
    layers.iter().any(|layer| matches!(layer, Layer::Spaces(_)))
}

/// A text with one space, which shows whether splitting removes spaces.
const SPACED_TEXT: &str = "a b";

/// Returns whether the splitter removes the spaces between words.
///
/// A pre-tokenizer that only removes its matches separates words by them. Of others, splitting a text shows it.
fn removes_spaces(splitter: &WordSplitter, layers: &[Layer]) -> Result<bool> {
    let Some(pre_tokenizer) = splitter.pre_tokenizer() else { return Ok(false) };
    if pre_tokenizer.removes_matches() {
        return Ok(true);
    }
    let mut steps = Vec::new();
    undo(layers, false, false, &mut steps)?;
    let decoder = Decoder::Sequence(steps);
    let mut words = Words::default();
    // A function of the caller may return an error for the text; then the result is unknown.
    if splitter.split(SPACED_TEXT, false, &mut words).is_err() {
        return Ok(true);
    }
    let normalized = splitter.normalize(SPACED_TEXT)?;
    let has_space = |words: Vec<&str>| Ok(decoder.decode(words)?.trim().contains(' '));
    Ok(has_space(vec![&normalized])? && !has_space(words.iter().collect())?)
}

/// Appends the steps that revert the layers.
///
/// `apart`: spaces between words were removed; `spaced`: parts contain literal spaces instead.
fn undo(layers: &[Layer], apart: bool, mut spaced: bool, steps: &mut Vec<Decoder>) -> Result<()> {
    let mut fused = false;
    for (at, layer) in layers.iter().enumerate().rev() {
        let over_bytes = layers[..at].iter().any(|below| matches!(below, Layer::Bytes));
        match layer {
            Layer::Bytes => {
                if std::mem::take(&mut spaced) {
                    steps.push(spaces_as_bytes()?);
                }
                steps.push(Decoder::ByteLevel(ByteLevel::default()));
                if over_bytes {
                    // The text below has no spaces: a space here is the prefix of this layer, or is between words.
                    steps.push(replace(Pattern::literal(" "), if apart { space_as_byte() } else { String::new() }));
                }
                fused = true;
            }
            Layer::Spaces(mark) if over_bytes => steps.push(replace(Pattern::literal(&mark.text), String::new())),
            Layer::Spaces(mark) => undo_mark(mark, fused, steps)?,
        }
    }
    Ok(())
}

fn undo_mark(mark: &SpaceMark, fused: bool, steps: &mut Vec<Decoder>) -> Result<()> {
    if let Some(metaspace) = mark.metaspace.filter(|metaspace| metaspace.split && !fused) {
        steps.push(Decoder::Metaspace(metaspace));
        return Ok(());
    }
    // The first part may contain the marks of several spaces, all of which the decoder `Metaspace` would drop.
    if mark.text != " " {
        steps.push(replace(Pattern::literal(&mark.text), " ".to_owned()));
    }
    if mark.leads || mark.trails {
        if !fused {
            steps.push(Decoder::Fuse);
        }
        if mark.leads {
            steps.push(Decoder::Strip(StripDecoder { content: ' ', start: 1, stop: 0 }));
        }
        if mark.trails {
            steps.push(without_last_space()?);
        }
    }
    Ok(())
}

/// Returns the decoder that removes the prefix of continuing tokens. A token equal to the prefix is text.
fn without_prefix(prefix: &str) -> Result<Option<Decoder>> {
    if prefix.is_empty() {
        return Ok(None);
    }
    let pattern = Pattern::regex(&format!(r"\A{}(?!\z)", escaped(prefix)))?;
    Ok(Some(replace(pattern, String::new())))
}

/// Returns the decoder that replaces the suffix by the removed space, or by nothing if spaces are part of words.
fn without_suffix(marks: TokenMarks<'_>, apart: bool, has_bytes: bool) -> Result<Option<Decoder>> {
    let suffix = marks.suffix;
    if suffix.is_empty() {
        return Ok(None);
    }
    Ok(Some(match (apart, has_bytes) {
        (true, true) => replace(Pattern::literal(suffix), space_as_byte()),
        (true, false) => Decoder::Bpe(BpeDecoder { suffix: suffix.to_owned() }),
        (false, _) => {
            // Attached to a character, the suffix is never the whole token: a token equal to the suffix is text.
            let begin = if marks.is_suffix_separate { "" } else { r"(?!\A)" };
            replace(Pattern::regex(&format!(r"{begin}{}\z", escaped(suffix)))?, String::new())
        }
    }))
}

/// Returns the decoder that writes the space before a word as a byte. A part with other characters is decoded already.
fn spaces_as_bytes() -> Result<Decoder> {
    Ok(replace(Pattern::regex("\\A (?=[!-~¡-¬®-\u{143}]*\\z)")?, space_as_byte()))
}

fn space_as_byte() -> String {
    byte_to_char(b' ').to_string()
}

fn replace(pattern: Pattern, content: String) -> Decoder {
    Decoder::Replace(ReplaceDecoder { pattern, content })
}

/// Returns the decoder that removes one space at the end: `tokenizers` panics if `Strip` does so on an empty text.
fn without_last_space() -> Result<Decoder> {
    Ok(replace(Pattern::regex(LAST_SPACE)?, String::new()))
}

/// Returns a regular expression that matches `text` literally.
fn escaped(text: &str) -> String {
    let backslash = |c| r"\.[]{}()*+?^$|".contains(c).then_some('\\');
    text.chars().flat_map(|c| backslash(c).into_iter().chain([c])).collect()
}
