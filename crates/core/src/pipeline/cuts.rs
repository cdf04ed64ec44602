//! Splits long texts at safe split points, so that the parts can be encoded separately.
//!
//! The ids of a text are the concatenated ids of its parts under two conditions (`spec/pipeline.md`, P51 to P57):
//!
//! * The pipeline has a fast path, whose plan knows the safe split points ([`CutPlan::is_safe_split_point`]). There are three
//!   cases:
//!   1. White space separates words and is dropped, and no stage reads across it. White space may begin a part.
//!      Normalization of the parts equals that of the text, because it reads one character at a time, and canonical
//!      reordering ends at a character that is not a combining mark.
//!   2. Words are the matches of a known split pattern. A part may begin where a match begins in every context.
//!   3. Spaces are written as metaspaces, and the model encodes words. White space may begin a part if the character
//!      before it is stable.
//!
//!   The encoding path of the call does not matter.
//! * No added token contains white space of any kind. So no match spans a split point, and a search that begins there
//!   finds the same matches. A match that strips adjacent white space never removes a part of another match.
//!
//! The flag `single_word` does not matter: it tests whether a word character is next to a match, and neither white
//! space nor the end of a part is one. `lstrip` and `rstrip` extend a match over adjacent white space. If a split point
//! lies in this white space, the match strips less of it, and the rest is at an end of a part. In case 1 the rest
//! becomes no token, since it is dropped (white space) or removed by cleaning (control characters). In the other cases
//! it becomes tokens, so no added token may have these two flags.
//!
//! Special tokens are added to the first part and the last. If a part fails, the caller encodes the whole text, which
//! decides the error and its place.

use super::Tokenizer;
use super::encode::IdPart;
use super::options::{Input, Options};
use super::scratch::Scratch;
use crate::added::AddedToken;
use crate::error::{Error, Result};
use crate::fast::CutPlan;
use crate::text::span::check_length;
use crate::text::unicode::Class;

/// Finds the safe split points of texts under the options of one call, and encodes the parts.
#[derive(Debug, Clone, Copy)]
pub struct TextCutter<'a> {
    tokenizer: &'a Tokenizer,
    fast: &'a CutPlan,
    options: &'a Options,
    /// The special tokens before and after a text.
    around: [&'a [u32]; 2],
}

/// A part of a long text, between two safe split points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitPart<'a> {
    /// The text of the part.
    pub text: &'a str,
    /// Whether the part begins the text.
    pub is_first: bool,
    /// Whether the part ends the text.
    pub is_last: bool,
}

impl Tokenizer {
    /// Returns the safe split points for a call that returns only ids.
    ///
    /// `None` if the call truncates or samples, or if the pipeline does not allow splitting.
    ///
    /// ```
    /// use piecework_core::format::format_named;
    /// use piecework_core::pipeline::{Options, Scratch};
    ///
    /// let (tokenizer, options) = (format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?, Options::default());
    /// let cuts = tokenizer.cuts(&options).expect("a pipeline with a fast path");
    /// let (mut scratch, mut ids) = (Scratch::default(), Vec::new());
    /// for part in cuts.parts("low lower low", 4) {
    ///     cuts.encode(part, &mut scratch, &mut ids)?;
    /// }
    /// assert_eq!(ids, [1, 1, 2, 1]);
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    #[must_use]
    pub fn cuts<'a>(&'a self, options: &'a Options) -> Option<TextCutter<'a>> {
        let may = options.truncation.is_none() && self.regularization(options).is_none();
        let fast = self.fast.as_ref().ok().filter(|_| may)?;
        let around = match self.plan(false, options).ok()? {
            [IdPart::Text(0)] => [&[][..], &[]],
            [IdPart::Special(before), IdPart::Text(0)] => [before, &[][..]],
            [IdPart::Text(0), IdPart::Special(after)] => [&[][..], after],
            [IdPart::Special(before), IdPart::Text(0), IdPart::Special(after)] => [&before[..], after],
            _ => return None,
        };
        let cuts = TextCutter { tokenizer: self, fast, options, around };
        let tokens = self.added.cutting();
        let mut sought = tokens.filter_map(|token| self.added.token(token.id));
        let has_space = |text: &str| text.chars().any(|c| Class::WHITESPACE.contains(c));
        let is_taken = |token: &AddedToken| self.added.takes_metaspaces(token) || !fast.drops_spaces;
        let takes_space = |token: &AddedToken| (token.lstrip || token.rstrip) && is_taken(token);
        (!sought.any(has_space) && !self.added.cutting().any(takes_space)).then_some(cuts)
    }
}

impl TextCutter<'_> {
    /// Returns the last safe split point of a text (a byte offset), or `None` if it has none.
    ///
    /// It is never 0. It stays safe if `text` is only a prefix of a longer text.
    #[must_use]
    pub fn last(&self, text: &[u8]) -> Option<usize> {
        (1..text.len()).rev().find(|&at| self.fast.is_safe_split_point(text, at))
    }

    /// Returns whether byte `at`, which is not 0, is a safe split point of a text.
    #[must_use]
    pub fn is_safe(&self, text: &str, at: usize) -> bool {
        self.fast.is_safe_split_point(text.as_bytes(), at)
    }

    /// Returns the parts of a text: each ends at the first safe split point from byte `size` on.
    ///
    /// A text over the length limit of [`check_length`] is one part, whose encoding returns the error.
    #[must_use]
    pub fn parts<'a>(&self, text: &'a str, size: usize) -> Vec<SplitPart<'a>> {
        let mut parts = Vec::new();
        let mut start = 0;
        let size = if check_length(text).is_ok() { size.max(1) } else { text.len() };
        while start < text.len() || parts.is_empty() {
            let rest = &text.as_bytes()[start..];
            let end = (size..rest.len())
                .find(|&at| self.fast.is_safe_split_point(rest, at))
                .map_or(text.len(), |at| start + at);
            parts.push(SplitPart { text: &text[start..end], is_first: start == 0, is_last: end == text.len() });
            start = end;
        }
        parts
    }

    /// Appends the ids of a part to `ids`, with the special tokens before the first and after the last part.
    ///
    /// The position in an error is relative to the part; see [`Error::shifted`]. If several parts have errors, the
    /// whole text may return another of them.
    pub fn encode(&self, part: SplitPart<'_>, scratch: &mut Scratch, ids: &mut Vec<u32>) -> Result<()> {
        // The memory may come from a call with dropout or sampling.
        self.tokenizer.begin(self.options, scratch);
        if part.is_first {
            ids.extend_from_slice(self.around[0]);
        }
        self.tokenizer.token_ids(Input::Text(part.text), self.options, scratch, ids)?;
        if part.is_last {
            ids.extend_from_slice(self.around[1]);
        }
        Ok(())
    }
}

impl Error {
    /// Returns the error with its position moved by `characters` characters.
    #[must_use]
    pub fn shifted(self, characters: usize) -> Self {
        match self {
            Self::SpecialToken { token, is_special, character } => {
                Self::SpecialToken { token, is_special, character: character + characters }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::added::{SpecialsPolicy, TextTokens};
    use crate::encoding::Direction;
    use crate::encoding::truncate::{Truncation, TruncationStrategy};
    use crate::model::Model;
    use crate::model::word_level::WordLevel;
    use crate::normalize::{BertNormalizer, Normalizer, UnicodeForm};
    use crate::pipeline::{EncodingPath, TokenizerParts};
    use crate::postprocess::{PostProcessor, Template};
    use crate::pretokenize::{Behavior, PreTokenizer, Split};
    use crate::splitter::WordSplitter;
    use crate::text::grammar::Grammar;
    use crate::text::pattern::Pattern;
    use crate::vocab::Vocab;

    const ALPHABET: [&str; 22] = [
        "a", "a", "b", "é", " ", " ", "\n", "\t", "\r", "\u{301}", "\u{323}", ".", "中", "\u{a0}", "\u{b}", "\u{1c}",
        "\u{85}", "\u{0}", "[A]", "[B]", "A", "\u{1e69}",
    ];

    /// Returns a pseudo-random number (linear congruential generator).
    fn random(state: &mut u64) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(*state >> 40).unwrap()
    }

    fn text(state: &mut u64, longest: usize) -> String {
        (0..random(state) % longest).map(|_| ALPHABET[random(state) % ALPHABET.len()]).collect()
    }

    fn splitters() -> Vec<WordSplitter> {
        let bert = |flags: usize| {
            Normalizer::Bert(BertNormalizer {
                clean_text: flags & 1 > 0,
                handle_chinese_chars: flags & 2 > 0,
                strip_accents: Some(flags & 4 > 0),
                lowercase: flags & 8 > 0,
            })
        };
        let mut normalizers: Vec<_> = (0..16).map(|flags| Some(bert(flags))).collect();
        normalizers.extend([None, Some(Normalizer::Form(UnicodeForm::Nfd))]);
        normalizers.push(Some(Normalizer::Sequence(vec![Normalizer::Form(UnicodeForm::Nfd), bert(1)])));
        let ways = [PreTokenizer::Bert, PreTokenizer::Whitespace, PreTokenizer::WhitespaceSplit];
        let all = normalizers
            .iter()
            .flat_map(|normalizer| ways.clone().map(|way| WordSplitter::new(normalizer.clone(), Some(way)).unwrap()));
        let grammars = ["gpt2", "cl100k", "llama3", "qwen2", "o200k", "clip"];
        all.chain(grammars.map(|name| by_grammar(Grammar::named(name).unwrap()))).collect()
    }

    /// Returns a splitter that splits by a grammar.
    fn by_grammar(grammar: Grammar) -> WordSplitter {
        let invert = grammar == Grammar::CLIP;
        let behavior = if invert { Behavior::Removed } else { Behavior::Isolated };
        let split = Split { pattern: Pattern::regex(grammar.pattern()).unwrap(), behavior, invert };
        WordSplitter::new(None, Some(PreTokenizer::Split(split))).unwrap()
    }

    fn tokenizer(splitter: &WordSplitter, added: Vec<AddedToken>) -> Tokenizer {
        let words = ["[UNK]", "[X]", "a", "b", ".", "中", "ab", "aa", "[A]", " a", " ", "\n", ".\n", " .", " \n"]
            .map(str::to_owned);
        let model = Model::WordLevel(WordLevel::new(Vocab::from_tokens(words).unwrap(), "[UNK]".to_owned()));
        let tokenizer = Tokenizer::new(TokenizerParts {
            added: vec![AddedToken::special(1, "[X]")],
            post_processor: Some(PostProcessor::Template(Template::bert(("[X]", 1), ("[X]", 1)))),
            ..TokenizerParts::new(splitter.clone(), model)
        });
        tokenizer.unwrap().with_added_tokens(added).unwrap()
    }

    fn added(state: &mut u64) -> AddedToken {
        let content = loop {
            let content = text(state, 4);
            if !content.is_empty() {
                break content;
            }
        };
        let flags = random(state);
        let flag = |place: usize| flags >> place & 1 > 0;
        AddedToken {
            id: 0,
            content,
            single_word: flag(0),
            lstrip: flag(1),
            rstrip: flag(2),
            normalized: flag(3),
            special: flag(4),
            control: flag(4) && flag(5),
        }
    }

    /// Returns the ids of a text part by part, or the first error with its position in the text.
    fn in_parts(cuts: &TextCutter<'_>, text: &str, size: usize) -> Result<Vec<u32>> {
        let (mut ids, mut before) = (Vec::new(), 0);
        for part in cuts.parts(text, size) {
            cuts.encode(part, &mut Scratch::default(), &mut ids).map_err(|error| error.shifted(before))?;
            before += part.text.chars().count();
        }
        Ok(ids)
    }

    #[test]
    fn concatenated_parts_have_the_ids_of_the_text() {
        let mut state = 7;
        let [mut cut, mut refused, mut failed] = [0; 3];
        let splitters = splitters();
        for trial in 0..12_000 {
            let added: Vec<_> = (0..random(&mut state) % 4).map(|_| added(&mut state)).collect();
            let is_mixed = added.iter().any(|token| token.normalized);
            let tokenizer = tokenizer(&splitters[trial % splitters.len()], added);
            let specials = [
                SpecialsPolicy::AsFormat,
                SpecialsPolicy::Match,
                SpecialsPolicy::Text(TextTokens::Special),
                SpecialsPolicy::Text(TextTokens::Untrusted),
                SpecialsPolicy::Unmatched,
                SpecialsPolicy::Error(TextTokens::Special),
                SpecialsPolicy::Error(TextTokens::Untrusted),
                SpecialsPolicy::Allowed(TextTokens::Special, vec!["[X]".to_owned()]),
            ];
            let path = [EncodingPath::Fast, EncodingPath::Uncached, EncodingPath::Generic][random(&mut state) % 3];
            let add_special_tokens = random(&mut state).is_multiple_of(2);
            let specials = specials[random(&mut state) % 6].clone();
            let options = Options { add_special_tokens, specials, path, ..Options::default() };
            let text = text(&mut state, 40);
            let mut whole = Vec::new();
            let done = tokenizer.encode_ids(Input::Text(&text), None, &options, &mut Scratch::default(), &mut whole);
            let Some(cuts) = tokenizer.cuts(&options) else {
                refused += 1;
                continue;
            };
            let size = 1 + random(&mut state) % 9;
            let parts = cuts.parts(&text, size);
            assert_eq!(parts.iter().map(|part| part.text).collect::<String>(), text);
            cut += usize::from(parts.len() > 1);
            failed += usize::from(done.is_err());
            let (parts, done) = (in_parts(&cuts, &text, size), done.map(|()| whole));
            // Of several errors the whole may return another: tokens that are not normalized are searched first.
            let same = parts == done || (is_mixed && parts.is_err() && done.is_err());
            assert!(same, "{text:?} {size} {options:?}: {parts:?} {done:?}");
        }
        assert!(cut > 2000 && refused > 500 && failed > 50, "{cut} {refused} {failed}");
    }

    #[test]
    fn every_path_finds_the_same_added_tokens() {
        let mut state = 11;
        let splitters = splitters();
        for trial in 0..3000 {
            // Some are white space alone, all of which the token before may strip.
            let mut added: Vec<_> = (0..1 + random(&mut state) % 3).map(|_| added(&mut state)).collect();
            let spaces = &mut added[0];
            (spaces.content, spaces.normalized) = (" ".repeat(1 + random(&mut state) % 2), false);
            let tokenizer = tokenizer(&splitters[trial % splitters.len()], added);
            let text = text(&mut state, 20).replace('b', "   ");
            let ids = |path| {
                let (mut ids, options) = (Vec::new(), Options { path, ..Options::default() });
                let input = Input::Text(&text);
                tokenizer.encode_ids(input, None, &options, &mut Scratch::default(), &mut ids).map(|()| ids)
            };
            assert_eq!(ids(EncodingPath::Fast), ids(EncodingPath::Generic), "{text:?} {:?}", tokenizer.added());
            assert_eq!(ids(EncodingPath::Uncached), ids(EncodingPath::Generic), "{text:?} {:?}", tokenizer.added());
        }
    }

    #[test]
    fn parts_are_encoded_without_the_dropout_of_a_call_before() {
        let tokenizer =
            crate::format::format_named("vocab.txt").unwrap().read(b"[UNK]\nlow\n##er\nl\n##o\n##w\n##e\n##r\n");
        let (tokenizer, options) = (tokenizer.unwrap(), Options::default());
        let (mut scratch, mut ids) = (Scratch::default(), Vec::new());
        let dropout = Options { dropout: Some(1.0), ..Options::default() };
        tokenizer.encode_ids(Input::Text("low"), None, &dropout, &mut scratch, &mut ids).unwrap();
        assert_eq!(ids, [3, 4, 5]);
        ids.clear();
        let cuts = tokenizer.cuts(&options).unwrap();
        let part = SplitPart { text: "lower", is_first: true, is_last: true };
        cuts.encode(part, &mut scratch, &mut ids).unwrap();
        assert_eq!(ids, [1, 2]);
    }

    #[test]
    fn safe_split_points() {
        let tokenizer = tokenizer(&splitters()[0], Vec::new());
        let options = Options::default();
        let cuts = tokenizer.cuts(&options).unwrap();
        assert_eq!(cuts.last(b"ab cd\nef"), Some(5));
        assert_eq!((cuts.last(b" ab"), cuts.last(b""), cuts.last("é\u{a0}".as_bytes())), (None, None, None));
        let texts = |text, size| cuts.parts(text, size).iter().map(|part| part.text.to_owned()).collect::<Vec<_>>();
        assert_eq!(texts("ab cd ef", 3), ["ab cd", " ef"]);
        assert_eq!((texts("", 3), texts("abcdef", 0)), (vec![String::new()], vec!["abcdef".to_owned()]));
    }

    #[test]
    fn safe_split_points_by_grammars() {
        let places = |grammar, text: &str| {
            let tokenizer = tokenizer(&by_grammar(grammar), Vec::new());
            let options = Options::default();
            let cuts = tokenizer.cuts(&options).unwrap();
            let ends = (2..=text.len()).filter_map(|end| cuts.last(&text.as_bytes()[..end]));
            ends.collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>()
        };
        let text = "a b\n\nc.\n é 1 . 中\n";
        assert_eq!(places(Grammar::GPT2, text), [1, 3, 7, 11, 13, 15, 19]);
        assert_eq!(places(Grammar::CL100K, text), [1, 3, 5, 11, 13, 15, 19]);
        assert_eq!(places(Grammar::O200K, "中\r\n中。\n中 \n"), [3, 5, 12, 15]);
        assert_eq!(places(Grammar::CLIP, "a  b\u{3000} c"), [1]);
    }

    #[test]
    fn nowhere() {
        let splitter = &splitters()[0];
        let whole = |tokenizer: &Tokenizer, options: &Options| tokenizer.cuts(options).is_none();
        let options = Options::default();
        let with_space = AddedToken { content: "a b".to_owned(), ..AddedToken::default() };
        assert!(!whole(&tokenizer(splitter, Vec::new()), &options));
        assert!(whole(&tokenizer(splitter, vec![with_space]), &options));
        let (strategy, direction) = (TruncationStrategy::LongestFirst, Direction::Right);
        let truncation = Some(Truncation { max_length: 5, stride: 0, strategy, direction });
        let truncated = Options { truncation, ..options.clone() };
        assert!(whole(&tokenizer(splitter, Vec::new()), &truncated));
        let strips = AddedToken { content: "b".to_owned(), lstrip: true, ..AddedToken::default() };
        assert!(!whole(&tokenizer(splitter, vec![strips.clone()]), &options));
        assert!(whole(&tokenizer(&by_grammar(Grammar::GPT2), vec![strips]), &options));
        let unsplit = WordSplitter::new(None, None).unwrap();
        assert!(whole(&tokenizer(&unsplit, Vec::new()), &options));
    }
}
