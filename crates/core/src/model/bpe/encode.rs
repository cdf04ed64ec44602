//! Encodes a word: characters to symbols, and merged symbols to tokens.

use std::ops::Range;

use super::alphabet::{Alphabet, NONE};
use super::backtracking::BacktrackingEncoder;
use super::derivations::{END, InputForm};
use super::merging::{BpeScratch, Part};
use super::{Bpe, Tables};
use crate::error::{Error, Result, shorten};
use crate::memory::Growable;
use crate::model::Token;
use crate::stop::Work;
use crate::text::bytes::byte_to_char;
use crate::text::span::Span;
use crate::vocab::AllowedEntries;

impl Bpe {
    /// Appends the tokens of `word`, with spans in it.
    ///
    /// No text produces a token outside `entries`. The cost is O(n log n) for n characters.
    pub fn encode_word(
        &self,
        word: &str,
        entries: AllowedEntries,
        scratch: &mut BpeScratch,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        self.split_word(word, entries, true, scratch)?;
        push(word, scratch, out);
        Ok(())
    }

    /// Fills `scratch` with the entries of a word; `backtracks` unless the word is known to need merging.
    fn split_word(
        &self,
        word: &str,
        entries: AllowedEntries,
        backtracks: bool,
        scratch: &mut BpeScratch,
    ) -> Result<()> {
        scratch.clear();
        if let Some(id) = self.whole(word, entries, scratch) {
            scratch.push(id, word.len());
            return Ok(());
        }
        let tables = self.tables(entries);
        if !(backtracks && self.encode_text_backtracking(word, tables, scratch)?) {
            scratch.clear();
            self.fill(word, &tables.alphabet, scratch)?;
            scratch.merge(&tables.pairs);
        }
        self.split_unused(word, &tables.alphabet, scratch)
    }

    /// Appends the tokens of a byte-level word; their spans are bytes of the word.
    ///
    /// The tokens are those of [`Self::encode_word`] for the characters that represent the bytes.
    pub fn encode_bytes(
        &self,
        word: &str,
        entries: AllowedEntries,
        scratch: &mut BpeScratch,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        let tables = self.tables(entries);
        let is_plain = scratch.dropout.is_none() && self.settings().unused.is_empty();
        if is_plain && self.encode_bytes_backtracking(word, tables, scratch, out) {
            return Ok(());
        }
        let mut text = std::mem::take(&mut scratch.text);
        text.clear();
        // A character of a byte has at most two bytes.
        text.make_room(2 * word.len());
        text.extend(word.bytes().map(byte_to_char));
        let first = out.len();
        // A word that cannot be encoded as bytes cannot be as characters either, if there is an encoder of bytes.
        let backtracks = !is_plain || self.backtracking(tables, InputForm::Bytes).is_none();
        let encoded = self.split_word(&text, entries, backtracks, scratch);
        if encoded.is_ok() {
            push(&text, scratch, out);
        }
        // A character of the text is a byte of the word. Spans come in order, except where unused entries that contain
        // unknown text were split.
        let (mut at, mut before) = (0, 0);
        let mut characters_before = |byte: usize| {
            if byte < at {
                before -= text[byte..at].chars().count();
            } else if byte > at {
                before += text[at..byte].chars().count();
            }
            at = byte;
            before
        };
        for token in &mut out[first..] {
            let span = token.span.range();
            token.span = Span::new(characters_before(span.start), characters_before(span.end));
        }
        scratch.text = text;
        encoded
    }

    /// Returns the entry that equals the word, if `ignore_merges` applies to it.
    pub(super) fn whole(&self, word: &str, entries: AllowedEntries, scratch: &BpeScratch) -> Option<u32> {
        if !self.settings().ignore_merges || scratch.dropout.is_some() {
            return None;
        }
        let is_token = |id: &u32| self.tables.allows(entries, *id);
        self.vocab().id(word).filter(is_token).filter(|&id| self.is_whole_word(id))
    }

    /// Returns whether `ignore_merges` takes a word for an entry: not for an unused one, or one without a rank.
    pub(super) fn is_whole_word(&self, id: u32) -> bool {
        self.may_be_produced(id) && !self.settings().unused.contains(&id)
    }

    /// Fills `scratch` with the characters of a word.
    pub(super) fn fill(&self, word: &str, alphabet: &Alphabet, scratch: &mut BpeScratch) -> Result<()> {
        let mut work = Work::default();
        for (start, c) in word.char_indices() {
            work.add(1);
            let end = start + c.len_utf8();
            let id = alphabet.id(c, start == 0, end == word.len());
            if id == NONE {
                self.push_unknown(word, start..end, end - start, alphabet, scratch)?;
            } else {
                scratch.end_unknown();
                scratch.push(id, end - start);
            }
        }
        if let Some(suffix) = self.settings().separate_suffix() {
            self.push_suffix(&suffix, alphabet, scratch)?;
        }
        scratch.end_unknown();
        Ok(())
    }

    /// Adds the suffix as a separate symbol, which has no bytes of the word.
    fn push_suffix(&self, suffix: &str, alphabet: &Alphabet, scratch: &mut BpeScratch) -> Result<()> {
        if let Some(id) = alphabet.suffix() {
            scratch.end_unknown();
            scratch.push(id, 0);
            return Ok(());
        }
        self.push_unknown(suffix, 0..suffix.len(), 0, alphabet, scratch)
    }

    /// Fills `scratch` with the entries of a word by backtracking; returns false if the word needs merging.
    ///
    /// It does if the model is not supported, with dropout, if an unknown character may merge, or if an unordered entry
    /// would be tested.
    fn encode_text_backtracking(&self, word: &str, tables: &Tables, scratch: &mut BpeScratch) -> Result<bool> {
        if scratch.dropout.is_some() {
            return Ok(false);
        }
        // The encoder of bytes, if there is one already, encodes the characters that represent them as well.
        let of_bytes = tables.backtracking[InputForm::Bytes as usize]
            .get()
            .and_then(Option::as_ref)
            .map(|encoder| (InputForm::Bytes, encoder));
        let of_text = || Some((InputForm::Text, self.backtracking(tables, InputForm::Text)?));
        let Some(backtracking) = of_bytes.or_else(of_text) else { return Ok(false) };
        let mut known = 0;
        for (start, c) in word.char_indices() {
            let end = start + c.len_utf8();
            if tables.alphabet.id(c, start == 0, end == word.len()) == NONE {
                if !tables.unknown_never_merges {
                    return Ok(false);
                }
                if !self.push_known(&word[known..start], false, tables, backtracking, scratch) {
                    return Ok(false);
                }
                self.push_unknown(word, start..end, end - start, &tables.alphabet, scratch)?;
                known = end;
            }
        }
        let is_encoded = self.push_known(&word[known..], true, tables, backtracking, scratch);
        scratch.end_unknown();
        Ok(is_encoded)
    }

    /// Adds the entries of a range of known characters, which ends the word if `last` is set; returns false if the range
    /// needs merging.
    fn push_known(
        &self,
        text: &str,
        last: bool,
        tables: &Tables,
        (form, backtracking): (InputForm, &BacktrackingEncoder),
        scratch: &mut BpeScratch,
    ) -> bool {
        if text.is_empty() {
            return true;
        }
        scratch.end_unknown();
        let BpeScratch { parts, backtracking: memory, bytes, .. } = scratch;
        if !form.read(text, bytes) {
            return false;
        }
        if last && !self.settings().end_of_word_suffix.is_empty() {
            bytes.push(END);
        }
        let Some(entries) = backtracking.encode(bytes, &tables.pairs, memory) else { return false };
        let mut at = 0;
        parts.make_room(entries.len());
        parts.extend(entries.iter().map(|&id| {
            let start = at;
            // The suffix has no byte of the word.
            at = text.len().min(form.end(text, start, backtracking.length(id)));
            Part::new(id, at - start)
        }));
        true
    }

    /// Adds the fallback entries of an unknown character, or its unknown token with `bytes` bytes of the word.
    ///
    /// Without an `unk_token` the character is dropped.
    fn push_unknown(
        &self,
        word: &str,
        character: Range<usize>,
        bytes: usize,
        alphabet: &Alphabet,
        scratch: &mut BpeScratch,
    ) -> Result<()> {
        if !self.fall_back(word, character, alphabet, scratch) && self.settings().unk_token.is_some() {
            let unk = self.unk_id().ok_or_else(|| Error::NoUnknownToken { word: shorten(word) })?;
            scratch.push_unknown(unk, bytes, self.settings().fuse_unk);
        }
        Ok(())
    }

    /// Adds the fallback entries of a character's bytes, with its prefix and suffix; returns false unless all exist.
    fn fall_back(&self, word: &str, character: Range<usize>, alphabet: &Alphabet, scratch: &mut BpeScratch) -> bool {
        if !self.settings().byte_fallback {
            return false;
        }
        let prefix = if character.start == 0 { "" } else { &self.settings().continuing_subword_prefix };
        let suffix = if character.end == word.len() { self.settings().attached_suffix() } else { "" };
        let whole = [prefix, &word[character], suffix].concat();
        let Some(ids) = alphabet.fallback(&whole) else { return false };
        ids.for_each(|id| scratch.push(id, 1));
        true
    }

    /// Encodes the bytes of a word by backtracking; returns false if the model does not support that.
    #[inline]
    fn encode_bytes_backtracking(
        &self,
        word: &str,
        tables: &Tables,
        scratch: &mut BpeScratch,
        out: &mut Vec<Token>,
    ) -> bool {
        let Some(backtracking) = self.backtracking(tables, InputForm::Bytes) else { return false };
        if let Some(id) = backtracking.whole_word(word.as_bytes()) {
            out.push(Token { id, span: Span::new(0, word.len()) });
            return true;
        }
        let BpeScratch { backtracking: memory, bytes, .. } = scratch;
        let mut text = word.as_bytes();
        if !self.settings().end_of_word_suffix.is_empty() {
            bytes.clear();
            bytes.make_room(text.len() + 1);
            bytes.extend_from_slice(text);
            bytes.push(END);
            text = bytes;
        }
        let Some(ids) = backtracking.encode(text, &tables.pairs, memory) else { return false };
        let mut at = 0;
        out.make_room(ids.len());
        out.extend(ids.iter().map(|&id| {
            let start = at;
            at = word.len().min(start + backtracking.length(id));
            Token { id, span: Span::new(start, at) }
        }));
        true
    }
}

/// Appends the parts of the word as tokens, with spans.
///
/// A token's span covers the characters that its bytes belong to; a token without bytes has the last character.
pub(super) fn push(word: &str, scratch: &BpeScratch, out: &mut Vec<Token>) {
    let mut end = 0;
    out.make_room(scratch.parts.len());
    out.extend(scratch.parts.iter().map(|part| {
        let start = end;
        end += part.bytes as usize;
        let span = if start == end { Span::new(word.len(), word.len()) } else { Span::new(start, end) };
        Token { id: part.id, span: span.of_characters(word) }
    }));
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::model::bpe::backtracking::BacktrackingScratch;
    use crate::model::bpe::{BpeSettings, Merges, NO_RANK};
    use crate::vocab::Vocab;

    /// A generator of pseudo-random numbers (linear congruential).
    pub(in super::super) struct Random(pub(in super::super) u64);

    impl Random {
        pub(in super::super) fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % limit
        }

        fn word(&mut self, alphabet: &[char], longest: usize) -> String {
            (0..=self.below(longest)).map(|_| alphabet[self.below(alphabet.len())]).collect()
        }
    }

    fn ids(model: &Bpe, word: &str, scratch: &mut BpeScratch) -> Vec<u32> {
        let mut out = Vec::new();
        model.encode_word(word, AllowedEntries::All, scratch, &mut out).unwrap();
        out.iter().map(|token| token.id).collect()
    }

    /// Returns the ids by the definition: merges the leftmost pair of the lowest rank, until none is left.
    fn encode_by_definition(model: &Bpe, word: &str) -> Vec<u32> {
        let tables = model.tables(AllowedEntries::All);
        let mut parts: Vec<u32> = word
            .char_indices()
            .map(|(at, c)| tables.alphabet.id(c, at == 0, at + c.len_utf8() == word.len()))
            .collect();
        loop {
            let ranks = parts.windows(2).map(|pair| tables.pairs.get(pair[0], pair[1]));
            let Some((at, (rank, id))) = ranks.enumerate().min_by_key(|(_, (rank, _))| *rank) else { return parts };
            if rank == NO_RANK {
                return parts;
            }
            parts.splice(at..at + 2, [id]);
        }
    }

    fn random_model(random: &mut Random, suffix: &str) -> Bpe {
        let mut vocab = Vocab::default();
        for c in ["a", "b", "c", "d"] {
            vocab.insert_next(c).unwrap();
            if !suffix.is_empty() {
                vocab.insert_next(&format!("{c}{suffix}")).unwrap();
            }
        }
        let mut merges = Vec::new();
        for _ in 0..random.below(40) {
            let (left, right) = (random.below(vocab.len()), random.below(vocab.len()));
            let pair = (u32::try_from(left).unwrap(), u32::try_from(right).unwrap());
            let text = format!("{}{}", vocab.token(pair.0).unwrap(), vocab.token(pair.1).unwrap());
            if text.len() > 12 || (!suffix.is_empty() && vocab.token(pair.0).unwrap().ends_with(suffix)) {
                continue;
            }
            if vocab.id(&text).is_none() {
                vocab.insert_next(&text).unwrap();
            }
            let at = if random.below(3) == 0 { random.below(merges.len() + 1) } else { merges.len() };
            merges.insert(at, pair);
        }
        let settings = BpeSettings { end_of_word_suffix: suffix.to_owned(), ..BpeSettings::default() };
        if suffix.is_empty() && random.below(2) == 0 {
            let ranks = (0..vocab.len())
                .map(|_| if random.below(9) == 0 { NO_RANK } else { u32::try_from(random.below(60)).unwrap() });
            let ranks = ranks.collect();
            return Bpe::implied(vocab, ranks, settings).unwrap();
        }
        Bpe::listed(vocab, merges, settings).unwrap()
    }

    #[test]
    fn every_encoder_equals_the_definition() {
        let (mut random, mut backtracking) = (Random(11), 0);
        for round in 0..3000 {
            let model = random_model(&mut random, if round % 3 == 0 { "</w>" } else { "" });
            backtracking += u32::from(model.backtracking(model.tables(AllowedEntries::All), InputForm::Text).is_some());
            let (mut scratch, mut never) = (BpeScratch::default(), BpeScratch::default());
            // Dropout with probability 0 selects the heap.
            never.dropout = Some(crate::numbers::random::Dropout::new(0.0, 0, 0));
            for longest in [1, 3, 8, 20, 70] {
                let word = random.word(&['a', 'b', 'c', 'd'], longest);
                let wanted = encode_by_definition(&model, &word);
                assert_eq!(ids(&model, &word, &mut scratch), wanted, "{word:?} {model:?}");
                assert_eq!(ids(&model, &word, &mut never), wanted, "{word:?} {model:?}");
            }
        }
        assert!((100..2900).contains(&backtracking), "both ways were taken: {backtracking}");
    }

    #[test]
    fn an_excluded_entry_encodes_no_word() {
        let vocab = Vocab::from_tokens(["S", "Y", "SYS"].map(String::from)).unwrap();
        let settings = BpeSettings { ignore_merges: true, ..BpeSettings::default() };
        let model = Bpe::listed(vocab, Vec::new(), settings).unwrap().with_reserved(HashSet::from([2]).into());
        let mut scratch = BpeScratch::default();
        for (entries, wanted) in [(AllowedEntries::All, vec![2]), (AllowedEntries::Ordinary, vec![0, 1, 0])] {
            let [mut word, mut bytes] = [Vec::new(), Vec::new()];
            model.encode_word("SYS", entries, &mut scratch, &mut word).unwrap();
            model.encode_bytes("SYS", entries, &mut scratch, &mut bytes).unwrap();
            for found in [word, bytes] {
                assert_eq!(found.iter().map(|token| token.id).collect::<Vec<_>>(), wanted, "{entries:?}");
            }
        }
    }

    #[test]
    fn an_entry_without_a_rank_encodes_no_word() {
        let vocab = Vocab::from_tokens(["S", "Y", "SYS", "YY"].map(String::from)).unwrap();
        let settings = BpeSettings { ignore_merges: true, ..BpeSettings::default() };
        let model = Bpe::implied(vocab, vec![0, 1, NO_RANK, 2], settings).unwrap();
        let mut scratch = BpeScratch::default();
        for (text, wanted) in [("SYS", vec![0, 1, 0]), ("YY", vec![3])] {
            assert_eq!(ids(&model, text, &mut scratch), wanted);
            let mut bytes = Vec::new();
            model.encode_bytes(text, AllowedEntries::All, &mut scratch, &mut bytes).unwrap();
            assert_eq!(bytes.iter().map(|token| token.id).collect::<Vec<_>>(), wanted);
        }
    }

    #[test]
    fn words_with_an_entry_whose_part_merges_later_are_merged() {
        let tokens = ["a", "b", "c", "d", "e", "f", "ab", "abc", "cd", "de", "ef"];
        let vocab = Vocab::from_tokens(tokens.map(String::from)).unwrap();
        // "abc" has a lower rank than its part "ab".
        let model = Bpe::listed(vocab, vec![(6, 2), (0, 1), (2, 3), (3, 4), (4, 5)], BpeSettings::default()).unwrap();
        let tables = model.tables(AllowedEntries::All);
        let backtracking = model.backtracking(tables, InputForm::Text).unwrap();
        let (mut memory, mut scratch) = (BacktrackingScratch::default(), BpeScratch::default());
        for (word, is_decided) in [("abc", false), ("cdabcd", false), ("cdabd", true), ("cdefab", true), ("fab", true)]
        {
            let decided = backtracking.encode(word.as_bytes(), &tables.pairs, &mut memory).map(<[u32]>::to_vec);
            let wanted = encode_by_definition(&model, word);
            assert_eq!(decided, is_decided.then(|| wanted.clone()), "{word}");
            assert_eq!(ids(&model, word, &mut scratch), wanted, "{word}");
        }
    }

    /// Returns the ids by the definition of ranks.
    ///
    /// Two adjacent entries merge if their text has a rank, the lowest first.
    fn encode_by_ranks(vocab: &Vocab, ranks: &[u32], word: &str) -> Vec<u32> {
        let mut parts: Vec<String> = word.chars().map(String::from).collect();
        let rank = |text: &String| vocab.id(text).map_or(NO_RANK, |id| ranks[id as usize]);
        loop {
            let joined: Vec<String> = parts.windows(2).map(<[String]>::concat).collect();
            match joined.iter().enumerate().min_by_key(|(_, text)| rank(text)) {
                Some((at, text)) if rank(text) != NO_RANK => _ = parts.splice(at..at + 2, [text.clone()]),
                _ => return parts.iter().map(|part| vocab.id(part).unwrap()).collect(),
            }
        }
    }

    #[test]
    fn inferred_merges_equal_ranks() {
        let (mut random, mut distinct, mut tied) = (Random(5), 0, 0);
        while distinct.min(tied) < 200 {
            let model = random_model(&mut random, "");
            let Merges::Implied(ranks) = model.merges() else { continue };
            let mut sorted: Vec<u32> = ranks.iter().copied().filter(|&rank| rank != NO_RANK).collect();
            sorted.sort_unstable();
            let is_tied = sorted.windows(2).any(|pair| pair[0] == pair[1]);
            *(if is_tied { &mut tied } else { &mut distinct }) += 1;
            let listed = Bpe::listed(model.vocab().clone(), model.merge_list(), BpeSettings::default()).unwrap();
            let mut scratch = BpeScratch::default();
            for longest in [2, 5, 12, 40] {
                let word = random.word(&['a', 'b', 'c', 'd'], longest);
                let wanted = encode_by_ranks(model.vocab(), ranks, &word);
                assert_eq!(ids(&model, &word, &mut scratch), wanted, "{word:?} {model:?}");
                if !is_tied {
                    assert_eq!(ids(&listed, &word, &mut scratch), wanted, "{word:?} {model:?}");
                }
            }
        }
    }
}
