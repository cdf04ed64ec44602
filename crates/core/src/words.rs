//! Text to words: normalization and pre-tokenization together, as training and encoding both begin.

use crate::added::{Matching, Part};
use crate::error::{Error, Result};
use crate::normalize::{BertNormalizer, Normalized, Normalizer};
use crate::pretokenize::PreTokenizer;
use crate::span::{Span, check_bytes};

/// The two stages that come before every model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WordSplitter {
    normalizer: Option<Normalizer>,
    pre_tokenizer: Option<PreTokenizer>,
    /// Whether what comes out depends on where in the original it came from.
    needs_alignment: bool,
}

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Ordinary text.
    Text,
    /// Ordinary text that is not split further.
    Whole,
    /// An added token, by its id.
    Added(u32),
}

/// A word of the normalized text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Its bytes in the normalized text.
    pub span: Span,
    /// Its bytes in the original; meaningless without alignment.
    pub origin: Span,
    /// What it is.
    pub kind: Kind,
    /// Whether the model may make a special token of it.
    pub specials: bool,
}

/// The words of one text, kept to be filled again.
#[derive(Debug, Default)]
pub struct Words {
    normalized: Normalized,
    words: Vec<Word>,
    /// The part of the text that is being normalized.
    part: Normalized,
    spare: Normalized,
    spare_words: Vec<Word>,
}

impl WordSplitter {
    /// The stages in their order; `None` leaves out one.
    pub fn new(normalizer: Option<Normalizer>, pre_tokenizer: Option<PreTokenizer>) -> Result<Self> {
        if let (Some(normalizer), Some(pre_tokenizer)) = (&normalizer, &pre_tokenizer)
            && pre_tokenizer.steps().any(|step| matches!(step, PreTokenizer::Jieba(_)))
            && normalizer.steps().any(|step| matches!(step, Normalizer::Bert(bert) if bert.handle_chinese_chars))
        {
            return Err(Error::Config(
                "Jieba cannot find words in text whose Chinese characters the normalizer has set apart; pass \
                 BertNormalizer(handle_chinese_chars=False)"
                    .to_owned(),
            ));
        }
        let made_up = normalizer.as_ref().is_some_and(Normalizer::makes_up_characters);
        let needs_alignment = made_up || pre_tokenizer.as_ref().is_some_and(PreTokenizer::asks_for_origin);
        Ok(Self { normalizer, pre_tokenizer, needs_alignment })
    }

    /// BERT's stages, which a `vocab.txt` goes with.
    pub fn bert() -> Result<Self> {
        Self::new(Some(Normalizer::Bert(BertNormalizer::default())), Some(PreTokenizer::Bert))
    }

    /// What the text is changed by; `None` leaves it as it is.
    #[must_use]
    pub fn normalizer(&self) -> Option<&Normalizer> {
        self.normalizer.as_ref()
    }

    /// How it is split; `None` makes it one word.
    #[must_use]
    pub fn pre_tokenizer(&self) -> Option<&PreTokenizer> {
        self.pre_tokenizer.as_ref()
    }

    /// Normalizer and pre-tokenizer.
    #[must_use]
    pub fn into_parts(self) -> (Option<Normalizer>, Option<PreTokenizer>) {
        (self.normalizer, self.pre_tokenizer)
    }

    /// The text after normalization.
    pub fn normalize(&self, text: &str) -> Result<String> {
        let (mut normalized, mut spare) = <(Normalized, Normalized)>::default();
        normalized.start(text, 0, self.needs_alignment);
        if let Some(normalizer) = &self.normalizer {
            normalizer.normalize(&mut normalized, &mut spare)?;
        }
        Ok(normalized.text().to_owned())
    }

    /// The form in which an added token is sought in normalized text.
    pub fn normalize_token(&self, token: &str) -> Result<String> {
        match &self.normalizer {
            Some(Normalizer::SentencePiece(sentencepiece)) => Ok(sentencepiece.form_of(token)),
            _ => self.normalize(token),
        }
    }

    /// Fills `words` with those of `text`, in which nothing is an added token.
    pub fn split(&self, text: &str, aligned: bool, words: &mut Words) -> Result<()> {
        words.reset(aligned || self.needs_alignment);
        words.add_text(self, text, 0, None)?;
        words.pre_tokenize(self)
    }

    /// Fills `words` with those of the `segments` of `text`, each with the added tokens that are sought in it.
    pub(crate) fn split_segments<'a>(
        &self,
        text: &str,
        segments: impl IntoIterator<Item = (Span, Matching<'a>)>,
        aligned: bool,
        words: &mut Words,
    ) -> Result<()> {
        words.reset(aligned || self.needs_alignment);
        for (segment, matching) in segments {
            words.add_segment(self, text, segment, matching)?;
        }
        words.pre_tokenize(self)
    }
}

impl Words {
    /// The words from left to right.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| self.text_of(word))
    }

    /// The words from left to right, with all that is known of them.
    #[must_use]
    pub fn as_slice(&self) -> &[Word] {
        &self.words
    }

    /// The text of a word.
    #[must_use]
    pub fn text_of(&self, word: &Word) -> &str {
        &self.normalized.text()[word.span.range()]
    }

    /// The original bytes behind a non-empty span of the normalized text.
    #[must_use]
    pub fn original(&self, span: Span) -> Span {
        self.normalized.original(span)
    }

    /// The bytes or words that there is room for, whichever are more.
    pub(crate) fn capacity(&self) -> usize {
        let Self { normalized, words, part, spare, spare_words } = self;
        let texts = [normalized, part, spare].map(Normalized::capacity);
        texts.into_iter().fold(words.capacity().max(spare_words.capacity()), usize::max)
    }

    /// Refuses what normalization has made too long for a next step, which makes at most four bytes of one.
    pub(crate) fn check_length(&self) -> Result<()> {
        check_bytes(self.normalized.text().len())
    }

    fn reset(&mut self, aligned: bool) {
        self.normalized.reset(aligned);
        self.words.clear();
    }

    /// The added tokens that are sought before normalization, and what lies between them.
    fn add_segment(
        &mut self,
        splitter: &WordSplitter,
        text: &str,
        segment: Span,
        matching: Matching<'_>,
    ) -> Result<()> {
        let part = &text[segment.range()];
        matching.raw(part, segment.start, |found| {
            let (Part::Text(span) | Part::Token(_, span)) = found;
            let (here, span) = (&part[span.range()], span.shifted(segment.start));
            match found {
                Part::Text(_) => self.add_text(splitter, here, span.start, Some(matching)),
                Part::Token(id, _) => {
                    self.part.start(here, span.start, self.normalized.is_aligned());
                    self.add_part(Span::new(0, here.len()), Kind::Added(id), true);
                    // Tokens that take white space along may all take the same, each anew.
                    self.check_length()
                }
            }
        })
    }

    /// Normalizes `text`, which begins at byte `base`, and finds the added tokens that are sought after that.
    fn add_text(
        &mut self,
        splitter: &WordSplitter,
        text: &str,
        base: u32,
        matching: Option<Matching<'_>>,
    ) -> Result<()> {
        self.check_length()?;
        self.part.start(text, base, self.normalized.is_aligned());
        if let Some(normalizer) = &splitter.normalizer {
            normalizer.normalize(&mut self.part, &mut self.spare)?;
        }
        let Some(matching) = matching else {
            self.add_part(Span::new(0, self.part.text().len()), Kind::Text, true);
            return Ok(());
        };
        let specials = matching.may_match();
        if !matching.seeks_normalized() {
            self.add_part(Span::new(0, self.part.text().len()), Kind::Text, specials);
            return Ok(());
        }
        let part = std::mem::take(&mut self.part);
        let origin = |at: usize| part.origin_of(at).unwrap_or(base) as usize;
        let found = matching.normalized(part.text(), origin, |found| {
            match found {
                Part::Text(span) => self.add_from(&part, span, Kind::Text, specials),
                Part::Token(id, span) => self.add_from(&part, span, Kind::Added(id), specials),
            }
            self.check_length()
        });
        self.part = part;
        found
    }

    /// Makes a word of a span of the part.
    fn add_part(&mut self, span: Span, kind: Kind, specials: bool) {
        if span.start == span.end {
            return;
        }
        if self.normalized.text().is_empty() && span.range().len() == self.part.text().len() {
            std::mem::swap(&mut self.normalized, &mut self.part);
            self.push(span, kind, specials);
        } else {
            let part = std::mem::take(&mut self.part);
            self.add_from(&part, span, kind, specials);
            self.part = part;
        }
    }

    fn add_from(&mut self, part: &Normalized, span: Span, kind: Kind, specials: bool) {
        if span.start < span.end {
            let span = self.normalized.append(part, span);
            self.push(span, kind, specials);
        }
    }

    fn push(&mut self, span: Span, kind: Kind, specials: bool) {
        let origin = self.normalized.origin(span);
        self.words.push(Word { span, origin, kind, specials });
    }

    fn pre_tokenize(&mut self, splitter: &WordSplitter) -> Result<()> {
        match &splitter.pre_tokenizer {
            Some(pre_tokenizer) => pre_tokenizer.pre_tokenize(self),
            None => Ok(()),
        }
    }

    /// Splits each word of ordinary text by `split`, which tells the spans of its parts in the word; empty ones are
    /// left out.
    pub(crate) fn split(&mut self, mut split: impl FnMut(&str, &mut dyn FnMut(Span)) -> Result<()>) -> Result<()> {
        self.split_into(|text, each| split(text, &mut |span| each(span, Kind::Text)))
    }

    /// The same, where the parts say of what kind they are.
    pub(crate) fn split_into(
        &mut self,
        mut split: impl FnMut(&str, &mut dyn FnMut(Span, Kind)) -> Result<()>,
    ) -> Result<()> {
        let Self { normalized, words, spare_words, .. } = self;
        spare_words.clear();
        for &word in words.iter() {
            if word.kind != Kind::Text {
                spare_words.push(word);
                continue;
            }
            split(&normalized.text()[word.span.range()], &mut |span, kind| {
                if span.start < span.end {
                    let span = span.shifted(word.span.start);
                    spare_words.push(Word { span, origin: normalized.origin(span), kind, ..word });
                }
            })?;
        }
        std::mem::swap(words, spare_words);
        Ok(())
    }

    /// Writes the text anew: `write` gets each word but the added tokens, and appends its text.
    pub(crate) fn rewrite(&mut self, write: impl Fn(&Normalized, &Word, &mut Normalized) -> Span) {
        let Self { normalized, words, spare, .. } = self;
        spare.reset(normalized.is_aligned());
        for word in words {
            word.span = match word.kind {
                Kind::Added(_) => spare.append(normalized, word.span),
                Kind::Text | Kind::Whole => write(normalized, word, spare),
            };
        }
        std::mem::swap(normalized, spare);
    }

    /// Puts `prefix` before each word for which `wanted` and which does not begin with it.
    pub(crate) fn prepend(&mut self, prefix: char, wanted: impl Fn(&Word, &str) -> bool) {
        let lacks = |word: &Word, text: &str| {
            !matches!(word.kind, Kind::Added(_)) && !text.starts_with(prefix) && wanted(word, text)
        };
        if !self.words.iter().any(|word| lacks(word, self.text_of(word))) {
            return;
        }
        self.rewrite(|from, word, to| {
            let text = &from.text()[word.span.range()];
            if !lacks(word, text) {
                return to.append(from, word.span);
            }
            let start = word.span.start as usize;
            let first = text.chars().next().map_or(0, char::len_utf8);
            let at = to.text().len();
            to.push(prefix, from.origin(Span::new(start, start + first)));
            let rest = to.append(from, word.span);
            Span::new(at, rest.range().end)
        });
    }

    /// Every `old` becomes a `new`, which stands for the same.
    pub(crate) fn replace_char(&mut self, old: char, new: char) {
        if old == new {
            return;
        }
        self.rewrite(|from, word, to| {
            let at = to.text().len();
            let mut kept = word.span.range().start;
            for (found, _) in from.text()[word.span.range()].match_indices(old) {
                let found = word.span.range().start + found;
                let end = found + old.len_utf8();
                to.append(from, Span::new(kept, found));
                to.push(new, from.origin(Span::new(found, end)));
                kept = end;
            }
            to.append(from, Span::new(kept, word.span.range().end));
            Span::new(at, to.text().len())
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::added::{AddedToken, AddedTokens, Allowed, Specials};
    use crate::normalize::Form;
    use crate::pretokenize::{Behavior, Dictionary, Jieba};
    use crate::settings::{ByteLevel, Metaspace};

    fn splitter(normalizer: Option<Normalizer>, steps: Vec<PreTokenizer>) -> WordSplitter {
        WordSplitter::new(normalizer, Some(PreTokenizer::Sequence(steps))).unwrap()
    }

    fn dictionary(phrase: &str) -> PreTokenizer {
        PreTokenizer::Dictionary(Arc::new(Dictionary::new(vec![phrase.to_owned()], false).unwrap()))
    }

    /// What became of `text`, whose segments end where it is said and are trusted or not; `[X]` is a special token, and
    /// `Yo` a token that is sought after normalization.
    fn split(splitter: &WordSplitter, text: &str, ends: &[(usize, bool)]) -> Words {
        let token = AddedToken { id: 8, content: "Yo".to_owned(), normalized: true, ..AddedToken::default() };
        let added = AddedTokens::new(vec![AddedToken::special(7, "[X]"), token], |text| splitter.normalize(text));
        let (added, mut allowed) = (added.unwrap(), Allowed::default());
        let matching = added.matching(text, &Specials::Match, &mut allowed).unwrap();
        let mut start = 0;
        let segments = ends.iter().map(|&(end, trusted)| {
            let segment = Span::new(start, end);
            start = end;
            (segment, matching.trusting(trusted))
        });
        let mut words = Words::default();
        splitter.split_segments(text, segments, true, &mut words).unwrap();
        words
    }

    /// The words; added tokens in angle brackets, and whole ones in round ones.
    fn marked(words: &Words) -> Vec<String> {
        let marked = |word: &Word| match (word.kind, words.text_of(word)) {
            (Kind::Text, text) => text.to_owned(),
            (Kind::Whole, text) => format!("({text})"),
            (Kind::Added(id), text) => format!("<{id}:{text}>"),
        };
        words.as_slice().iter().map(marked).collect()
    }

    #[test]
    fn a_segment_is_trusted_or_not() {
        let plain = WordSplitter::default();
        let words = split(&plain, "a[X]b[X]Yo", &[(4, true), (10, false)]);
        assert_eq!(marked(&words), ["a", "<7:[X]>", "b[X]", "<8:Yo>"], "a token that is not special is always matched");
        let specials: Vec<bool> = words.as_slice().iter().map(|word| word.specials).collect();
        assert_eq!(specials, [true, true, false, false], "nor may the model make [X] of what is not trusted");
        let words = split(&plain, "a[X]b", &[(2, true), (2, true), (5, true)]);
        assert_eq!(marked(&words), ["a[", "X]b"], "no token lies across the seam, and no word is empty");
    }

    #[test]
    fn added_tokens_are_never_split_nor_rewritten() {
        let punctuation = PreTokenizer::Punctuation(Behavior::Isolated);
        let bytes = PreTokenizer::ByteLevel(ByteLevel { use_regex: false, ..ByteLevel::default() });
        let marks = PreTokenizer::Metaspace(Metaspace { split: false, ..Metaspace::default() });
        let every = splitter(None, vec![punctuation, bytes, marks, PreTokenizer::FixedLength(2)]);
        assert_eq!(marked(&split(&every, "é![X]Yo", &[(8, true)])), ["▁Ġ", "Ã©", "▁Ġ", "!", "<7:[X]>", "<8:Yo>"]);
    }

    #[test]
    fn phrases_stay_whole_but_may_be_rewritten() {
        let sequence = vec![dictionary("new york"), PreTokenizer::WhitespaceSplit, PreTokenizer::FixedLength(3)];
        let words = split(&splitter(None, sequence.clone()), "in new york now", &[(15, true)]);
        assert_eq!(marked(&words), ["in", "(new york)", "now"]);
        let bytes = PreTokenizer::ByteLevel(ByteLevel { add_prefix_space: false, ..ByteLevel::default() });
        let words = split(&splitter(None, [sequence, vec![bytes]].concat()), "in new york now", &[(15, true)]);
        assert_eq!(marked(&words), ["in", "(newĠyork)", "now"]);
    }

    #[test]
    fn words_know_where_they_came_from() {
        let normalizer = Normalizer::Sequence(vec![Normalizer::Form(Form::Nfd), Normalizer::Lowercase]);
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
    fn words_are_filled_anew() {
        let splitter = splitter(None, vec![PreTokenizer::Whitespace]);
        let mut words = split(&splitter, "a[X]", &[(4, true)]);
        for (text, found) in [("x, y", &["x", ",", "y"][..]), ("  ", &[]), ("", &[])] {
            splitter.split(text, false, &mut words).unwrap();
            assert_eq!(words.iter().collect::<Vec<_>>(), found);
        }
    }

    #[test]
    fn jieba_needs_its_words_in_one_piece() {
        let jieba =
            || Some(PreTokenizer::Sequence(vec![PreTokenizer::Jieba(Arc::new(Jieba::new(true, vec![]).unwrap()))]));
        let apart = |handle_chinese_chars| {
            let bert = BertNormalizer { handle_chinese_chars, ..Default::default() };
            Some(Normalizer::Sequence(vec![Normalizer::Bert(bert)]))
        };
        assert!(matches!(WordSplitter::new(apart(true), jieba()), Err(Error::Config(_))));
        assert!(WordSplitter::new(apart(false), jieba()).is_ok());
    }
}
