//! What matches a pattern is replaced.

use super::locality::{ChangedCharacters, CharacterChanges, Locality, Metaspaces, SpaceRuns, WordChanges};
use super::{Normalized, Normalizer, SPACE};
use crate::error::Result;
use crate::text::pattern::Pattern;

pub(super) fn normalize(pattern: &Pattern, content: &str, text: &mut Normalized, spare: &mut Normalized) -> Result<()> {
    let mut matches = Vec::new();
    pattern.find_matches(text.text(), |range| matches.push(range))?;
    // Too much has to be refused before it is made.
    let kept = text.text().len() - matches.iter().map(ExactSizeIterator::len).sum::<usize>();
    text.check_growth(kept.saturating_add(content.len().saturating_mul(matches.len())))?;
    text.replace(spare, content, &matches);
    Ok(())
}

/// Returns the locality of a replacement with a known pattern; `normalizer` is that replacement.
pub(super) fn locality<'a>(normalizer: &'a Normalizer, pattern: &Pattern, content: &str) -> Locality<'a> {
    // An empty pattern matches everywhere, and a word that is removed makes the spaces around it adjacent.
    let is_graphic = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    let words = |changes| Locality { words: Some(changes), ..Locality::default() };
    match (pattern.is_regex(), pattern.source(), content) {
        (true, r"\s+", " ") => Locality { ascii: Some(CharacterChanges::default()), ..Locality::default() },
        (true, " {2,}", " ") => words(WordChanges { space_runs: SpaceRuns::Space, ..WordChanges::default() }),
        (true, r"\s{2,}|[\n\r\t]", " ") => {
            words(WordChanges { joins_whitespace: true, space_runs: SpaceRuns::Space, ..WordChanges::default() })
        }
        (true, " {2,}", SPACE) => words(WordChanges { space_runs: SpaceRuns::Metaspace, ..WordChanges::default() }),
        (false, " ", SPACE) => {
            Locality { metaspaces: Some(Metaspaces::of_replacement(normalizer)), ..Locality::default() }
        }
        (false, source, content) if is_graphic(source) && is_graphic(content) => {
            words(WordChanges { changed: ChangedCharacters::Graphic, ..WordChanges::default() })
        }
        _ => Locality::default(),
    }
}
