//! The stages that training and encoding share: normalization and pre-tokenization of a text into words.

use crate::text::pattern::Pattern;
use std::collections::HashSet;

use crate::added::AddedTokenSearch;
use crate::error::{Error, Message, Result};
use crate::normalize::locality::Locality;
use crate::normalize::{BertNormalizer, Normalized, Normalizer, SentencePiece, Strip};
use crate::pretokenize::PreTokenizer;
use crate::pretokenize::boundary::Boundary;
use crate::pretokenize::words::Words;
use crate::text::span::Span;

/// The normalizer and the pre-tokenizer.
///
/// ```
/// use piecework_core::pretokenize::words::Words;
/// use piecework_core::splitter::WordSplitter;
///
/// let mut words = Words::default();
/// WordSplitter::bert()?.split("Low, lower", false, &mut words)?;
/// assert_eq!(words.iter().collect::<Vec<_>>(), ["low", ",", "lower"]);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WordSplitter {
    normalizer: Option<Normalizer>,
    pre_tokenizer: Option<PreTokenizer>,
    /// Whether the output depends on the alignment with the original.
    needs_alignment: bool,
}

impl WordSplitter {
    /// Returns a splitter with these stages; `None` omits a stage.
    pub fn new(normalizer: Option<Normalizer>, pre_tokenizer: Option<PreTokenizer>) -> Result<Self> {
        if let (Some(normalizer), Some(pre_tokenizer)) = (&normalizer, &pre_tokenizer)
            && pre_tokenizer.segments_chinese()
            && normalizer.separates_chinese()
        {
            return Err(Error::Config(
                Message::new("Jieba cannot find words in text whose Chinese characters the normalizer has set apart")
                    .hint("with BertNormalizer, pass `handle_chinese_chars=False`"),
            ));
        }
        let made_up = normalizer.as_ref().is_some_and(Normalizer::makes_up_characters);
        let needs_alignment = made_up || pre_tokenizer.as_ref().is_some_and(PreTokenizer::needs_origin);
        Ok(Self { normalizer, pre_tokenizer, needs_alignment })
    }

    /// Returns a splitter by pre-tokenizers in a row.
    pub(crate) fn of_steps(mut steps: Vec<PreTokenizer>) -> Self {
        let pre_tokenizer = match steps.len() {
            0 | 1 => steps.pop(),
            _ => Some(PreTokenizer::Sequence(steps)),
        };
        let needs_alignment = pre_tokenizer.as_ref().is_some_and(PreTokenizer::needs_origin);
        Self { normalizer: None, pre_tokenizer, needs_alignment }
    }

    /// Returns the splitter with a limit of Oniguruma's retries in a text.
    pub(crate) fn with_retries(self, retries: Option<u64>) -> Result<Self> {
        let (normalizer, pre_tokenizer) = self.into_parts();
        Self::new(
            normalizer.map(|normalizer| normalizer.with_retries(retries)),
            pre_tokenizer.map(|pre_tokenizer| pre_tokenizer.with_retries(retries)),
        )
    }

    /// Builds the automata of the patterns, which are otherwise built on first use.
    pub(crate) fn build_patterns(&self) {
        self.patterns().for_each(Pattern::build);
    }

    /// Returns the patterns of normalizers and pre-tokenizers.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let of_normalizer = self.normalizer.iter().flat_map(Normalizer::steps).filter_map(|step| match step {
            Normalizer::Replace { pattern, .. } => Some(pattern),
            _ => None,
        });
        let of_pre_tokenizer = self.pre_tokenizer.iter().flat_map(PreTokenizer::steps).filter_map(|step| match step {
            PreTokenizer::Split(split) => Some(&split.pattern),
            _ => None,
        });
        of_normalizer.chain(of_pre_tokenizer)
    }

    /// Returns the stages of BERT, which a `vocab.txt` implies.
    pub fn bert() -> Result<Self> {
        Self::new(Some(Normalizer::Bert(BertNormalizer::default())), Some(PreTokenizer::Bert))
    }

    /// Returns the normalizer; `None` leaves the text unchanged.
    #[must_use]
    pub fn normalizer(&self) -> Option<&Normalizer> {
        self.normalizer.as_ref()
    }

    /// Returns the pre-tokenizer; `None` makes the text one word.
    #[must_use]
    pub fn pre_tokenizer(&self) -> Option<&PreTokenizer> {
        self.pre_tokenizer.as_ref()
    }

    /// Returns the normalizer, if it is the whole normalization of a `SentencePiece` model.
    pub(crate) fn sentencepiece(&self) -> Option<&SentencePiece> {
        self.normalizer.as_ref().and_then(Normalizer::sentencepiece)
    }

    /// Returns the symbols that the normalization of `SentencePiece` leaves unchanged.
    pub(crate) fn user_defined_symbols(&self) -> HashSet<&str> {
        let own = self.sentencepiece().into_iter();
        own.flat_map(|own| own.settings().user_defined_symbols.iter().map(String::as_str)).collect()
    }

    /// Returns the normalizer's locality; `None` without a normalizer, or with an empty sequence of them.
    pub(crate) fn locality(&self) -> Option<Locality<'_>> {
        self.normalizer.as_ref().filter(|normalizer| normalizer.steps().next().is_some()).map(Normalizer::locality)
    }

    /// Returns what decides where words end; `None` if a text is one word.
    pub(crate) fn boundary(&self) -> Option<Boundary> {
        let has_no_spaces = || self.locality().is_some_and(|locality| locality.metaspaces.is_some());
        let splits = |pre_tokenizer: &&PreTokenizer| !(pre_tokenizer.splits_at_spaces_alone() && has_no_spaces());
        self.pre_tokenizer.as_ref().filter(splits).map(PreTokenizer::boundary)
    }

    /// Returns the strip with which the normalizer begins, and the splitter without it; `None` unless it strips the start.
    pub(crate) fn without_leading_strip(&self) -> Option<(Strip, Self)> {
        let (strip, rest) = self.normalizer.as_ref()?.leading_strip().filter(|(strip, _)| strip.left)?;
        Some((strip, Self::new(rest, self.pre_tokenizer.clone()).ok()?))
    }

    /// Returns whether compiled rules are the first normalizer, except for a strip.
    pub(crate) fn rewrites_first(&self) -> bool {
        self.normalizer.as_ref().is_some_and(Normalizer::rewrites_first)
    }

    /// Returns the normalizer and the pre-tokenizer.
    #[must_use]
    pub fn into_parts(self) -> (Option<Normalizer>, Option<PreTokenizer>) {
        (self.normalizer, self.pre_tokenizer)
    }

    /// Returns the text after normalization.
    pub fn normalize(&self, text: &str) -> Result<String> {
        let (mut normalized, mut spare) = <(Normalized, Normalized)>::default();
        self.normalize_into(text, false, &mut normalized, &mut spare)?;
        Ok(normalized.text().to_owned())
    }

    /// Returns the text after normalization with the origin of each byte.
    ///
    /// ```
    /// use piecework_core::splitter::WordSplitter;
    /// use piecework_core::text::span::Span;
    ///
    /// let normalized = WordSplitter::bert()?.normalize_aligned("É")?;
    /// assert_eq!((normalized.text(), normalized.original(Span::new(0, 1))), ("e", Span::new(0, 2)));
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn normalize_aligned(&self, text: &str) -> Result<Normalized> {
        let (mut normalized, mut spare) = <(Normalized, Normalized)>::default();
        self.normalize_into(text, true, &mut normalized, &mut spare)?;
        Ok(normalized)
    }

    /// Replaces `normalized` with the text after normalization; `spare` is a buffer.
    pub(crate) fn normalize_into(
        &self,
        text: &str,
        aligned: bool,
        normalized: &mut Normalized,
        spare: &mut Normalized,
    ) -> Result<()> {
        normalized.start(text, 0, aligned || self.needs_alignment);
        self.normalizer.as_ref().map_or(Ok(()), |normalizer| normalizer.normalize(normalized, spare))
    }

    /// Returns the form of an added token that is matched in normalized text.
    pub fn normalize_token(&self, token: &str) -> Result<String> {
        self.sentencepiece().map_or_else(|| self.normalize(token), |own| Ok(own.form_of(token)))
    }

    /// Replaces `words` with the words of `text`, without matching added tokens.
    pub fn split(&self, text: &str, aligned: bool, words: &mut Words) -> Result<()> {
        self.split_from(text, 0, aligned, words)
    }

    /// Replaces `words` with the words of `text`, which begins at byte `base` of the original.
    pub(crate) fn split_from(&self, text: &str, base: u32, aligned: bool, words: &mut Words) -> Result<()> {
        words.reset(text.len(), aligned || self.needs_alignment);
        words.add_text(self.normalizer.as_ref(), text, base, None)?;
        self.pre_tokenize(words)
    }

    /// Replaces `words` with the words of the `segments` of `text`, each with its search for added tokens.
    pub(crate) fn split_segments<'a>(
        &self,
        text: &str,
        segments: impl IntoIterator<Item = (Span, AddedTokenSearch<'a>)>,
        aligned: bool,
        words: &mut Words,
    ) -> Result<()> {
        words.reset(text.len(), aligned || self.needs_alignment);
        for (segment, matching) in segments {
            words.add_segment(self.normalizer.as_ref(), text, segment, matching)?;
        }
        self.pre_tokenize(words)
    }

    /// Replaces `words` with the words of a range of `text`, in which only the tokens of normalized text are matched.
    pub(crate) fn split_normalized(
        &self,
        text: &str,
        range: Span,
        search: AddedTokenSearch<'_>,
        aligned: bool,
        words: &mut Words,
    ) -> Result<()> {
        words.reset(range.range().len(), aligned || self.needs_alignment);
        words.add_text(self.normalizer.as_ref(), &text[range.range()], range.start, Some(search))?;
        self.pre_tokenize(words)
    }

    /// Replaces `words` with the words of `text`, whose origins are spans of the normalized text, which `words` keeps.
    pub(crate) fn split_with_base(&self, text: &str, matching: AddedTokenSearch<'_>, words: &mut Words) -> Result<()> {
        words.reset(text.len(), true);
        words.add_segment(self.normalizer.as_ref(), text, Span::new(0, text.len()), matching)?;
        words.rebase();
        self.pre_tokenize(words)
    }

    /// Applies the pre-tokenizer.
    fn pre_tokenize(&self, words: &mut Words) -> Result<()> {
        self.pre_tokenizer.as_ref().map_or(Ok(()), |pre_tokenizer| pre_tokenizer.pre_tokenize(words))
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::Arc;

    use super::*;
    use crate::added::{AddedToken, AddedTokens, AllowedFinders, SegmentTrust, SpecialsPolicy, TextTokens};
    use crate::normalize::UnicodeForm;
    #[cfg(feature = "jieba")]
    use crate::pretokenize::Jieba;
    use crate::pretokenize::words::{Word, WordKind};
    use crate::pretokenize::{Behavior, Dictionary};
    use crate::settings::{ByteLevel, Metaspace, PrependScheme};
    use crate::vocab::AllowedEntries;

    fn splitter(normalizer: Option<Normalizer>, steps: Vec<PreTokenizer>) -> WordSplitter {
        WordSplitter::new(normalizer, Some(PreTokenizer::Sequence(steps))).unwrap()
    }

    fn dictionary(phrase: &str) -> PreTokenizer {
        PreTokenizer::Dictionary(Arc::new(Dictionary::new(vec![phrase.to_owned()], false).unwrap()))
    }

    /// Returns the words of `text`. Its segments have the given ends and are trusted or not; `[X]` is a special token,
    /// and `Yo` a token that is matched after normalization.
    fn split(splitter: &WordSplitter, text: &str, ends: &[(usize, bool)]) -> Words {
        let token = AddedToken { id: 8, content: "Yo".to_owned(), normalized: true, ..AddedToken::default() };
        let added = AddedTokens::new(vec![AddedToken::special(7, "[X]"), token], |text| splitter.normalize(text));
        let (added, mut allowed) = (added.unwrap(), AllowedFinders::default());
        let specials = SpecialsPolicy::Text(TextTokens::Special);
        let matching = added.matching(text, &specials, &mut allowed).unwrap();
        let mut start = 0;
        let segments = ends.iter().map(|&(end, trusted)| {
            let segment = Span::new(start, end);
            start = end;
            (segment, matching.of_segment(if trusted { SegmentTrust::Full } else { SegmentTrust::AsOptions }))
        });
        let mut words = Words::default();
        splitter.split_segments(text, segments, true, &mut words).unwrap();
        words
    }

    /// Returns the words; added tokens in angle brackets, and whole ones in parentheses.
    fn marked(words: &Words) -> Vec<String> {
        let marked = |word: &Word| match (word.kind, words.text_of(word)) {
            (WordKind::Text, text) => text.to_owned(),
            (WordKind::Whole, text) => format!("({text})"),
            (WordKind::Added(id), text) => format!("<{id}:{text}>"),
        };
        words.as_slice().iter().map(marked).collect()
    }

    #[test]
    fn segments_may_be_untrusted() {
        let plain = WordSplitter::default();
        let words = split(&plain, "a[X]b[X]Yo", &[(4, true), (10, false)]);
        assert_eq!(marked(&words), ["a", "<7:[X]>", "b[X]", "<8:Yo>"], "a token that is not special is matched");
        let entries: Vec<AllowedEntries> = words.as_slice().iter().map(|word| word.entries).collect();
        assert_eq!(
            entries,
            [AllowedEntries::All, AllowedEntries::All, AllowedEntries::Ordinary, AllowedEntries::Ordinary],
            "nor may the model make [X] of what is not trusted"
        );
        let words = split(&plain, "a[X]b", &[(2, true), (2, true), (5, true)]);
        assert_eq!(marked(&words), ["a[", "X]b"], "no token lies across the segment boundary, and no word is empty");
    }

    #[test]
    fn added_tokens_are_not_split_or_rewritten() {
        let punctuation = PreTokenizer::Punctuation(Behavior::Isolated);
        let bytes = PreTokenizer::ByteLevel(ByteLevel { use_regex: false, ..ByteLevel::default() });
        let marks = PreTokenizer::Metaspace(Metaspace { split: false, ..Metaspace::default() });
        let every = splitter(
            None,
            vec![punctuation, bytes, marks, PreTokenizer::FixedLength(NonZeroUsize::MIN.saturating_add(1))],
        );
        assert_eq!(marked(&split(&every, "é![X]Yo", &[(8, true)])), ["▁Ġ", "Ã©", "▁Ġ", "!", "<7:[X]>", "<8:Yo>"]);
    }

    #[test]
    fn phrases_stay_whole_but_may_be_rewritten() {
        let sequence = vec![
            dictionary("new york"),
            PreTokenizer::WhitespaceSplit,
            PreTokenizer::FixedLength(NonZeroUsize::MIN.saturating_add(2)),
        ];
        let words = split(&splitter(None, sequence.clone()), "in new york now", &[(15, true)]);
        assert_eq!(marked(&words), ["in", "(new york)", "now"]);
        let bytes = PreTokenizer::ByteLevel(ByteLevel { add_prefix_space: false, ..ByteLevel::default() });
        let words = split(&splitter(None, [sequence, vec![bytes]].concat()), "in new york now", &[(15, true)]);
        assert_eq!(marked(&words), ["in", "(newĠyork)", "now"]);
    }

    #[test]
    fn words_have_original_spans() {
        let normalizer = Normalizer::Sequence(vec![Normalizer::Form(UnicodeForm::Nfd), Normalizer::Lowercase]);
        let words =
            split(&splitter(Some(normalizer), vec![PreTokenizer::WhitespaceSplit]), "É yo[X] Éyo", &[(13, true)]);
        assert_eq!(marked(&words), ["e\u{301}", "<8:yo>", "<7:[X]>", "e\u{301}", "<8:yo>"]);
        let origins: Vec<Span> = words.as_slice().iter().map(|word| word.origin).collect();
        assert_eq!(origins, [(0, 2), (3, 5), (5, 8), (9, 11), (11, 13)].map(|(start, end)| Span::new(start, end)));
        for word in words.as_slice() {
            assert_eq!(words.original(word.span), word.origin);
        }
    }

    #[test]
    fn origins_in_two_steps_are_those_of_one() {
        let normalizer = || {
            let steps = [Normalizer::Form(UnicodeForm::Nfd), Normalizer::Strip(Strip { left: true, right: true })];
            Some(Normalizer::Sequence(steps.to_vec()))
        };
        let marks = |prepend_scheme| PreTokenizer::Metaspace(Metaspace { prepend_scheme, ..Metaspace::default() });
        let added = AddedTokens::new(vec![AddedToken::special(7, "[X]")], |text| Ok(text.to_owned())).unwrap();
        let steps = [
            marks(PrependScheme::First),
            marks(PrependScheme::Always),
            PreTokenizer::ByteLevel(ByteLevel::default()),
            PreTokenizer::Punctuation(Behavior::Isolated),
        ];
        for step in steps {
            let splitter = splitter(normalizer(), vec![step]);
            for text in ["É yo, [X] Éyo", "  a[X]b  ", "[X]", "", "\u{301}e", "ﬁ \u{1f600}!"] {
                let (mut allowed, mut direct, mut rebased) = <(AllowedFinders, Words, Words)>::default();
                let matching = added.matching(text, &SpecialsPolicy::Match, &mut allowed).unwrap();
                splitter.split_segments(text, [(Span::new(0, text.len()), matching)], true, &mut direct).unwrap();
                splitter.split_with_base(text, matching, &mut rebased).unwrap();
                let base = rebased.take_base();
                assert_eq!(marked(&rebased), marked(&direct), "{text:?}");
                for (one, two) in rebased.as_slice().iter().zip(direct.as_slice()) {
                    assert_eq!(base.original(one.origin), two.origin, "{text:?}");
                    assert_eq!(base.original(rebased.original(one.span)), direct.original(two.span), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn words_are_reset_between_texts() {
        let splitter = splitter(None, vec![PreTokenizer::Whitespace]);
        let mut words = split(&splitter, "a[X]", &[(4, true)]);
        for (text, found) in [("x, y", &["x", ",", "y"][..]), ("  ", &[]), ("", &[])] {
            splitter.split(text, false, &mut words).unwrap();
            assert_eq!(words.iter().collect::<Vec<_>>(), found);
        }
    }

    #[cfg(feature = "jieba")]
    #[test]
    fn jieba_conflicts_with_padding_of_chinese_characters() {
        let jieba =
            || Some(PreTokenizer::Sequence(vec![PreTokenizer::Jieba(Arc::new(Jieba::new(true, vec![]).unwrap()))]));
        let splitter_settings = |handle_chinese_chars| {
            let bert = BertNormalizer { handle_chinese_chars, ..Default::default() };
            Some(Normalizer::Sequence(vec![Normalizer::Bert(bert)]))
        };
        assert!(matches!(WordSplitter::new(splitter_settings(true), jieba()), Err(Error::Config(_))));
        assert!(WordSplitter::new(splitter_settings(false), jieba()).is_ok());
    }
}
