//! The sizes of a tokenizer that decide what it costs, so that a caller can refuse one of somebody else.

use crate::decode::Decoder;
use crate::pipeline::Tokenizer;
use crate::postprocess::PostProcessor;

/// The sizes of a tokenizer, each the largest or the whole number of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The number of entries, added tokens included.
    pub entries: usize,
    /// The length of the longest of them in bytes.
    pub entry_bytes: usize,
    /// The number of normalizers, pre-tokenizers, decoders and parts of a template; those of a sequence count one by one.
    pub components: usize,
    /// The length of the longest regular expression in bytes.
    pub pattern_bytes: usize,
    /// The number of tokens that padding or post-processing adds to a text.
    pub padding: usize,
}

impl Tokenizer {
    /// Returns the sizes of the tokenizer.
    ///
    /// ```
    /// use piecework_core::format::format_named;
    ///
    /// let sizes = format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?.sizes();
    /// assert_eq!((sizes.entries, sizes.entry_bytes, sizes.padding), (3, 5, 0));
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        let (vocab, splitter) = (self.model().vocab(), self.splitter());
        let is_new = |content: &str| vocab.id(content).is_none();
        let added = self.added().tokens().iter().map(|token| token.content.as_str());
        let patterns = splitter.patterns().chain(self.decoder().into_iter().flat_map(Decoder::patterns));
        let steps = [
            splitter.normalizer().map_or(0, |normalizer| normalizer.steps().count()),
            splitter.pre_tokenizer().map_or(0, |pre_tokenizer| pre_tokenizer.steps().count()),
            self.decoder().map_or(0, |decoder| decoder.steps().count()),
            self.post_processor().map_or(0, PostProcessor::part_count),
        ];
        Sizes {
            entries: vocab.len() + added.clone().filter(|content| is_new(content)).count(),
            entry_bytes: vocab.iter().map(|(token, _)| token).chain(added).map(str::len).max().unwrap_or(0),
            components: steps.iter().sum(),
            pattern_bytes: patterns.filter(|p| p.is_regex()).map(|p| p.source().len()).max().unwrap_or(0),
            padding: self.largest_padding(),
        }
    }

    /// Returns the largest number of tokens that are added to a text, as far as it does not depend on the text.
    fn largest_padding(&self) -> usize {
        let processor = self.post_processor();
        let inserted = [false, true].map(|pair| processor.map_or(0, |processor| processor.added_tokens(pair)));
        let padding = self.padding().map(|padding| [padding.length, padding.pad_to_multiple_of]);
        let lengths = padding.into_iter().flatten().flatten();
        inserted.into_iter().chain(lengths).max().unwrap_or(0)
    }
}
