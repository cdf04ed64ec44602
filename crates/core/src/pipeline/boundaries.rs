//! Token boundaries: positions that no token of a text spans, whatever the text around them.
//!
//! Let a boundary at byte c of a text be given. The tokens of every prefix that is longer than c begin with those of the
//! prefix of length c, and the tokens of every suffix that begins before c end with the same tokens. Two things can cross
//! c, and both are excluded:
//!
//! * The model: the fast path cuts texts into chunks whose tokens do not depend on each other, and c is such a cut.
//! * Added tokens: no added token contains the two bytes around c next to each other, so none is found across it, and
//!   the search on one side does not depend on the other. A token that strips white space does not reach c, and a token
//!   that ends at c is found in both cases if `single_word` does not matter there.
//!
//! A boundary is weaker than a safe split point, since its two sides need not be encoded separately. So there are more
//! boundaries, also in texts that a model encodes as one word.

use std::ops::Range;

use super::Tokenizer;
use super::options::Options;
use crate::added::AddedToken;
use crate::fast::CutPlan;
use crate::model::Context;
use crate::stop::Work;

/// The number of bytes around a position that the plan looks at, at most: the window of normalization rules, or a
/// character on each side and the one after.
const CONTEXT: usize = 64;

/// Finds the positions of texts that no token spans, under the options of one call.
#[derive(Debug)]
pub(super) struct BoundaryFinder<'a> {
    fast: &'a CutPlan,
    /// The pairs of bytes that are adjacent in added tokens, a bit each; empty without added tokens.
    pairs: Vec<u64>,
    /// Whether an added token includes the white space before it.
    strips_before: bool,
    /// The added tokens that include the white space after them.
    strip_after: Vec<&'a str>,
    /// Whether a context of the model is carried from chunk to chunk.
    has_context: bool,
    /// Whether white space must begin at a boundary: an added token depends on the character after it.
    needs_space: bool,
}

impl<'a> BoundaryFinder<'a> {
    /// Returns the boundaries; `None` if the pipeline has no fast path, or if tokens are found in normalized text.
    pub(super) fn of(tokenizer: &'a Tokenizer, options: &Options) -> Option<Self> {
        let fast = tokenizer.fast.as_ref().ok()?;
        tokenizer.regularization(options).is_none().then_some(())?;
        let tokens: Vec<&AddedToken> = tokenizer.added.cutting().collect();
        let is_searched_later = |token: &&AddedToken| token.normalized;
        if tokens.iter().any(is_searched_later) && tokenizer.splitter().normalizer().is_some() {
            // A safe split point is proven for these tokens, too.
            tokenizer.cuts(options)?;
        }
        let mut pairs = if tokens.is_empty() { Vec::new() } else { vec![0; 1 << 10] };
        for token in &tokens {
            for pair in token.content.as_bytes().windows(2) {
                let place = place(pair[0], pair[1]);
                pairs[place / 64] |= 1 << (place % 64);
            }
        }
        Some(Self {
            fast,
            pairs,
            strips_before: tokens.iter().any(|token| token.lstrip),
            strip_after: tokens.iter().filter(|token| token.rstrip).map(|token| token.content.as_str()).collect(),
            has_context: Context::new(tokenizer.model(), fast.is_one_word).has_state(),
            needs_space: tokens.iter().any(|token| token.single_word || token.normalized),
        })
    }

    /// Returns whether byte `at`, which is neither the first nor the end of the text, is a boundary.
    pub(super) fn is_at(&self, text: &str, at: usize) -> bool {
        self.fast.is_token_boundary(text, at)
            && !self.may_match_across(text.as_bytes(), at)
            && self.may_strip_at(text, at)
    }

    /// Returns the number of bytes around a position that decide whether it is a boundary, at most.
    pub(super) fn context(&self) -> usize {
        self.strip_after.iter().map(|token| token.len()).fold(CONTEXT, usize::max)
    }

    /// Returns the last boundary in a range of bytes.
    pub(super) fn last_in(&self, text: &str, range: Range<usize>) -> Option<usize> {
        let mut work = Work::default();
        range.rev().inspect(|_| work.add(1)).find(|&at| self.is_at(text, at))
    }

    /// Returns the first boundary in a range of bytes.
    pub(super) fn first_in(&self, text: &str, range: Range<usize>) -> Option<usize> {
        let mut work = Work::default();
        range.inspect(|_| work.add(1)).find(|&at| self.is_at(text, at))
    }

    /// Returns whether the fast path carries a context of the model from chunk to chunk.
    pub(super) fn has_context(&self) -> bool {
        self.has_context
    }

    fn may_match_across(&self, text: &[u8], at: usize) -> bool {
        let place = place(text[at - 1], text[at]);
        self.pairs.get(place / 64).is_some_and(|bits| bits >> (place % 64) & 1 == 1)
    }

    /// Returns whether no added token strips white space across a byte, or depends on the character after it.
    fn may_strip_at(&self, text: &str, at: usize) -> bool {
        let (before, after) = text.split_at(at);
        let is_stripped = self.strips_before && before.ends_with(char::is_whitespace);
        let is_dependent = self.needs_space && !after.starts_with(|c: char| c.is_ascii_whitespace());
        !is_stripped && !is_dependent && !self.strip_after.iter().any(|token| before.ends_with(token))
    }
}

/// Returns the place of a pair of bytes among all pairs.
fn place(left: u8, right: u8) -> usize {
    usize::from(left) << 8 | usize::from(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::format_named;

    fn boundaries(text: &str, added: Vec<AddedToken>) -> Vec<usize> {
        let tokenizer = format_named("vocab.txt").unwrap().read(b"[UNK]\nlow\n##er\n").unwrap();
        let (tokenizer, options) = (tokenizer.with_added_tokens(added).unwrap(), Options::default());
        let boundaries = BoundaryFinder::of(&tokenizer, &options).unwrap();
        (1..text.len()).filter(|&at| boundaries.is_at(text, at)).collect()
    }

    #[test]
    fn kinds_of_characters_make_boundaries() {
        assert_eq!(boundaries("low, 中文é", Vec::new()), [3, 4, 5, 8, 11]);
        assert_eq!(boundaries("low  er", Vec::new()), [3, 5]);
    }

    #[test]
    fn added_tokens_exclude_boundaries() {
        let token = |content: &str| AddedToken { content: content.to_owned(), ..AddedToken::default() };
        assert_eq!(boundaries("low,er", vec![token("w,e")]), [0; 0]);
        assert_eq!(boundaries("low er", vec![AddedToken { single_word: true, ..token("x") }]), [3]);
        assert_eq!(boundaries("low er", vec![AddedToken { rstrip: true, ..token("low") }]), [4]);
        assert_eq!(boundaries("low  er", vec![AddedToken { lstrip: true, ..token("x") }]), [3]);
    }

    #[test]
    fn without_a_fast_path_there_are_none() {
        let tokenizer = format_named("vocab.txt").unwrap().read(b"[UNK]\nlow\n").unwrap().model_alone().unwrap();
        assert!(BoundaryFinder::of(&tokenizer, &Options::default()).is_none());
    }
}
