//! The normalizer of BERT: clean-up, padding of CJK characters, accent stripping, lower case.
//!
//! Order and character classes follow `tokenizers` 0.23 (see `spec/pipeline.md`). The steps run as one stream,
//! character by character; only canonical reordering looks at more than one character. The result equals that of the
//! steps one after the other, which a test checks.
//!
//! **Alignment.** Every character keeps the span of the original character it came from. Canonical reordering is the
//! exception: after it, the characters of a block take the spans of the block's input *in order of position*, and a
//! character that a decomposition added takes the span before its own. The reference library does the same, so offsets
//! are equal to the last combining mark.

use super::locality::{CharacterChanges, Locality};
use super::reordering::{Block, Pending};
use super::{Normalized, Rewriter, UnicodeForm, case, strip};
use crate::text::span::Span;
use crate::text::unicode::{self, Class};

/// The settings of BERT's normalizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BertNormalizer {
    /// Whether to remove control characters and to replace all white space with spaces.
    pub clean_text: bool,
    /// Whether to add spaces on both sides of each CJK ideograph.
    pub handle_chinese_chars: bool,
    /// Whether to remove nonspacing marks after canonical decomposition; `None` follows `lowercase`.
    pub strip_accents: Option<bool>,
    /// Whether to lowercase each character by itself.
    pub lowercase: bool,
}

impl Default for BertNormalizer {
    fn default() -> Self {
        Self { clean_text: true, handle_chinese_chars: true, strip_accents: None, lowercase: true }
    }
}

impl BertNormalizer {
    /// Whether accents are stripped, after the default is resolved.
    #[must_use]
    pub fn strips_accents(&self) -> bool {
        self.strip_accents.unwrap_or(self.lowercase)
    }

    pub(super) fn locality(&self) -> Locality<'static> {
        let characters = CharacterChanges {
            drops_controls: self.clean_text,
            isolates_ideographs: self.handle_chinese_chars,
            lowercases: self.lowercase,
        };
        Locality { characters: Some(characters), ..Locality::default() }
    }

    pub(super) fn normalize(&self, text: &mut Normalized, spare: &mut Normalized) {
        if !text.is_whole() {
            return self.step_by_step(text, spare);
        }
        spare.restart(text);
        let mut stream = Stream::new(self, spare);
        let mut origin = Span::default();
        for (start, c) in text.text().char_indices() {
            if text.is_aligned() {
                origin = text.original(Span::new(start, start + 1));
            }
            if c.is_ascii() { stream.ascii(c, origin) } else { stream.clean(c, origin) }
        }
        stream.flush();
        spare.block = stream.block;
        std::mem::swap(text, spare);
    }

    /// Applies the steps by their definition: one after the other, each to the whole text.
    fn step_by_step(&self, text: &mut Normalized, spare: &mut Normalized) {
        if self.clean_text {
            strip::filter(text, spare, |c| !Class::CONTROL.contains(c));
            strip::map(text, spare, |c| if Class::WHITESPACE.contains(c) { ' ' } else { c });
        }
        if self.handle_chinese_chars {
            text.rewrite(spare, |to| to.source().chars().for_each(|c| pad(c, to)));
        }
        if self.strips_accents() {
            UnicodeForm::Nfd.normalize(text, spare);
            strip::filter(text, spare, |c| !Class::NONSPACING_MARK.contains(c));
        }
        if self.lowercase {
            case::lowercase(text, spare);
        }
    }
}

/// Writes a CJK ideograph between two spaces, any other character by itself.
fn pad(c: char, to: &mut Rewriter<'_>) {
    if Class::CJK.contains(c) {
        to.replace(' ');
        to.insert(c);
        to.insert(' ');
    } else {
        to.replace(c);
    }
}

/// The steps as a stream, in which each passes its characters to the next.
struct Stream<'a> {
    settings: &'a BertNormalizer,
    /// Whether accents are stripped.
    strip: bool,
    block: Block,
    out: &'a mut Normalized,
}

impl<'a> Stream<'a> {
    fn new(settings: &'a BertNormalizer, out: &'a mut Normalized) -> Self {
        let block = Block { last_origin: Span::default(), ..std::mem::take(&mut out.block) };
        Self { settings, strip: settings.strips_accents(), block, out }
    }

    /// Applies all steps to an ASCII character.
    fn ascii(&mut self, c: char, origin: Span) {
        let class = unicode::class(c);
        if self.settings.clean_text && class.intersects(Class::CONTROL) {
            return;
        }
        let c = if self.settings.clean_text && class.intersects(Class::WHITESPACE) { ' ' } else { c };
        if self.strip {
            self.flush();
            self.block.last_origin = origin;
        }
        self.out.push(if self.settings.lowercase { c.to_ascii_lowercase() } else { c }, origin);
    }

    fn clean(&mut self, c: char, origin: Span) {
        let class = unicode::class(c);
        if self.settings.clean_text && class.intersects(Class::CONTROL) {
            return;
        }
        let c = if self.settings.clean_text && class.intersects(Class::WHITESPACE) { ' ' } else { c };
        if self.settings.handle_chinese_chars && class.intersects(Class::CJK) {
            self.decompose(' ', origin);
            self.decompose(c, origin);
            self.decompose(' ', origin);
        } else {
            self.decompose(c, origin);
        }
    }

    fn decompose(&mut self, c: char, origin: Span) {
        if !self.strip {
            return self.lowercase(c, origin);
        }
        let mut consumes = true;
        unicode::decompose(c, |part| {
            let class = unicode::combining_class(part);
            if class == 0 {
                self.flush();
            }
            if consumes {
                self.block.origins.push(origin);
            }
            self.block.chars.push(Pending { class, c: part, consumes });
            consumes = false;
        });
    }

    /// Emits the block in canonical order, without nonspacing marks.
    fn flush(&mut self) {
        if self.block.chars.is_empty() {
            return;
        }
        let mut block = std::mem::take(&mut self.block);
        if block.chars.len() > 1 {
            block.chars.sort_by_key(|pending| pending.class); // stable, as the canonical order asks
        }
        let mut origins = block.origins.drain(..);
        for pending in block.chars.drain(..) {
            if pending.consumes {
                block.last_origin = origins.next().unwrap_or(block.last_origin);
            }
            if !Class::NONSPACING_MARK.contains(pending.c) {
                self.lowercase(pending.c, block.last_origin);
            }
        }
        drop(origins);
        self.block = block;
    }

    fn lowercase(&mut self, c: char, origin: Span) {
        if self.settings.lowercase {
            unicode::lowercase(c, |lower| self.out.push(lower, origin));
        } else {
            self.out.push(c, origin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a pseudo-random number (linear congruential generator).
    fn random(state: &mut u64) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(*state >> 33).unwrap()
    }

    #[test]
    fn the_stream_equals_the_steps() {
        let alphabet: Vec<char> =
            "aZ é\u{301}\u{323}\u{307}\u{334}İΣ中\u{0}\u{b}\u{85}\u{2003}\u{344}\u{1D15E}각\u{1100}ǖ".chars().collect();
        let mut state = 7;
        for _ in 0..20_000 {
            let text: String =
                (0..random(&mut state) % 9).map(|_| alphabet[random(&mut state) % alphabet.len()]).collect();
            let flags = random(&mut state);
            let bert = BertNormalizer {
                clean_text: flags & 1 > 0,
                handle_chinese_chars: flags & 2 > 0,
                strip_accents: [None, Some(true), Some(false)][flags / 8 % 3],
                lowercase: flags & 4 > 0,
            };
            let (mut stream, mut steps, mut spare) = <(Normalized, Normalized, Normalized)>::default();
            stream.start(&text, 3, true);
            steps.start(&text, 3, true);
            bert.normalize(&mut stream, &mut spare);
            bert.step_by_step(&mut steps, &mut spare);
            assert_eq!(stream.text(), steps.text(), "{text:?} {bert:?}");
            let all = Span::new(0, stream.text().len());
            assert_eq!(stream.alignment(all), steps.alignment(all), "{text:?} {bert:?}");
        }
    }
}
