//! The words of a table as encoding would cut them: at added tokens (P70 of `spec/pipeline.md`).

use std::collections::HashSet;

use super::check_splitter;
use crate::added::AddedToken;
use crate::counts::{CountedWord, WordCounts};
use crate::error::Result;
use crate::learn::cut::{CutToken, Occurrences};
use crate::learn::{CountedWords, WordTable};
use crate::pretokenize::words::Words;
use crate::pretokenize::{PreTokenizer, Substitution};
use crate::splitter::WordSplitter;

impl WordTable for WordCounts {
    fn word(&self, index: u32) -> (&str, u64) {
        let CountedWord { word, count, .. } = self.counted(index);
        (word, count)
    }

    fn number(&self) -> usize {
        self.len()
    }
}

/// Returns the words of a table in the order of their first occurrence.
pub(super) fn words_of(counts: &WordCounts) -> CountedWords<'_> {
    match counts.order_by_first_occurrence() {
        Some(order) => CountedWords::of_table(counts, order),
        None => CountedWords::all_of(counts),
    }
}

/// Returns where `tokens` are in the words of a table; `splitter` makes words of a text.
///
/// An error if the table was made by another splitter. A table that was cut at a token has it as a word alone. If it is none of `tokens`, it is ordinary text.
pub(super) fn tokens_in_words(
    counts: &WordCounts,
    splitter: &WordSplitter,
    tokens: &[AddedToken],
) -> Result<Vec<CutToken>> {
    check_splitter(counts, splitter)?;
    let cut_at = counts.splitter().map_or(&[][..], |made_with| made_with.added());
    let cut_contents: HashSet<&str> = cut_at.iter().map(|token| token.content.as_str()).collect();
    let contents: HashSet<&str> = tokens.iter().map(|token| token.content.as_str()).collect();
    let mut found = Vec::new();
    for token in tokens.iter().filter(|token| !token.control) {
        let content = &token.content;
        let mut add = |spelling, occurrences| {
            found.push(CutToken { spelling, words: vec![content.clone()], occurrences });
        };
        add(content.clone(), Occurrences::Whole);
        if !cut_contents.contains(content.as_str()) {
            let occurrences = if token.single_word { Occurrences::Alone } else { Occurrences::Inside };
            add(written(content.clone(), splitter), occurrences);
            add(written(splitter.normalize_token(content)?, splitter), occurrences);
        }
    }
    let mut words = Words::default();
    for token in cut_at.iter().filter(|token| !contents.contains(token.content.as_str())) {
        splitter.split(&token.content, false, &mut words)?;
        let words = words.iter().map(str::to_owned).collect();
        found.push(CutToken { spelling: token.content.clone(), words, occurrences: Occurrences::Whole });
    }
    Ok(found)
}

/// Returns the text of a token as the pre-tokenizer writes it inside words.
fn written(text: String, splitter: &WordSplitter) -> String {
    let substitutions = splitter.pre_tokenizer().into_iter().flat_map(PreTokenizer::substitutions);
    substitutions.fold(text, |text, substitution| match substitution {
        Substitution::Bytes => CutToken::special(&text).in_bytes().spelling,
        Substitution::Spaces(metaspace) => text.replace(' ', metaspace.replacement.encode_utf8(&mut [0; 4])),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Counter, TextSplitter};
    use crate::learn::cut::cut_words;
    use crate::normalize::Normalizer;
    use crate::settings::ByteLevel;

    fn cut(made_at: Vec<AddedToken>, tokens: &[AddedToken], text: &str) -> Vec<(String, u64)> {
        let bytes = ByteLevel { use_regex: false, add_prefix_space: false, trim_offsets: true };
        let splitter = WordSplitter::new(Some(Normalizer::Lowercase), Some(PreTokenizer::ByteLevel(bytes))).unwrap();
        let mut counter = Counter::new(TextSplitter::new(splitter.clone(), made_at).unwrap());
        counter.add_text(0, text).unwrap();
        let counts = counter.finish().unwrap();
        let found = tokens_in_words(&counts, &splitter, tokens).unwrap();
        let words = words_of(&counts);
        cut_words(&words, &found).unwrap().iter().map(|(word, count)| (word.to_owned(), count)).collect()
    }

    #[test]
    fn tables_of_any_tokens_are_cut_alike() {
        let special = AddedToken::special(0, "<É>");
        let other = AddedToken { content: "é".to_owned(), normalized: true, ..AddedToken::default() };
        let words = |words: &[(&str, u64)]| words.iter().map(|&(word, n)| (word.to_owned(), n)).collect::<Vec<_>>();
        let wanted = words(&[("a", 1), ("<É>", 1), ("b", 1)]);
        assert_eq!(cut(vec![special.clone()], std::slice::from_ref(&special), "A<É>b"), wanted);
        assert_eq!(cut(Vec::new(), std::slice::from_ref(&special), "A<É>b"), wanted, "word by word");
        assert_eq!(
            cut(vec![other.clone()], std::slice::from_ref(&special), "xé"),
            words(&[("x", 1), ("Ã©", 1)]),
            "é is text"
        );
        assert_eq!(cut(vec![other], &[], "é"), words(&[("Ã©", 1)]));
    }
}
