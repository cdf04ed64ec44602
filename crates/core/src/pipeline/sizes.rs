//! The sizes of a tokenizer that decide what it costs, so that a caller can refuse one of somebody else.

use crate::decode::Decoder;
use crate::normalize::Normalizer;
use crate::pipeline::Tokenizer;
use crate::postprocess::PostProcessor;
use crate::pretokenize::PreTokenizer;

/// The sizes of a tokenizer, each the largest or the whole number of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The number of entries, added tokens and phrases included.
    pub entries: usize,
    /// The length of all of them together in bytes.
    pub vocabulary_bytes: usize,
    /// The length in bytes of the longest of them, and of the texts that normalizers, decoders and padding insert.
    pub entry_bytes: usize,
    /// The number of normalizers, pre-tokenizers, decoders and parts of a template; those of a sequence count one by one.
    pub components: usize,
    /// The length of all regular expressions together in bytes; each counts 100 more, since an automaton is built for it.
    pub pattern_bytes: usize,
    /// The number of tokens that padding or post-processing adds to a text; a long token counts by its length.
    pub padding: usize,
}

/// The number of bytes that a regular expression counts besides its length.
const PATTERN_BYTES: usize = 100;

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
        let entries = || vocab.iter().map(|(token, _)| token);
        let is_new = |content: &&str| vocab.id(content).is_none();
        let added = self.added().tokens().iter().map(|token| token.content.as_str());
        let patterns = splitter.patterns().chain(self.decoder().into_iter().flat_map(Decoder::patterns));
        let phrases = || {
            let steps = splitter.pre_tokenizer().into_iter().flat_map(PreTokenizer::steps);
            steps.flat_map(PreTokenizer::phrases).map(String::as_str)
        };
        let steps = [
            splitter.normalizer().map_or(0, |normalizer| normalizer.steps().count()),
            splitter.pre_tokenizer().map_or(0, |pre_tokenizer| pre_tokenizer.steps().count()),
            self.decoder().map_or(0, |decoder| decoder.steps().count()),
            self.post_processor().map_or(0, PostProcessor::part_count),
        ];
        Sizes {
            entries: vocab.len() + added.clone().filter(is_new).count() + phrases().count(),
            vocabulary_bytes: entries().chain(added.clone().filter(is_new)).chain(phrases()).map(str::len).sum(),
            entry_bytes: entries().chain(added).chain(self.inserted_texts()).map(str::len).max().unwrap_or(0),
            components: steps.iter().sum(),
            pattern_bytes: patterns.filter(|p| p.is_regex()).map(|p| p.source().len() + PATTERN_BYTES).sum(),
            padding: self.largest_padding(),
        }
    }

    /// Returns the largest number of tokens that are added to a text, as far as it does not depend on the text.
    fn largest_padding(&self) -> usize {
        let processor = self.post_processor();
        let inserted = [false, true].map(|pair| processor.map_or(0, |processor| processor.added_units(pair)));
        let padded = self.padding().map_or(0, |padding| {
            let multiple = padding.pad_to_multiple_of.unwrap_or(0);
            let length = padding.length.map_or(multiple, |length| padding.target(length).unwrap_or(usize::MAX));
            length.saturating_mul(padding.token.units())
        });
        inserted.into_iter().chain([padded]).max().unwrap_or(0)
    }

    /// Returns the texts that normalizers, decoders and padding insert.
    fn inserted_texts(&self) -> impl Iterator<Item = &str> {
        let normalizers = self.splitter().normalizer().into_iter().flat_map(Normalizer::steps);
        let written = normalizers.filter_map(|step| match step {
            Normalizer::Replace { content, .. } => Some(content),
            Normalizer::Prepend(text) => Some(text),
            _ => None,
        });
        let decoders = self.decoder().into_iter().flat_map(Decoder::steps);
        let decoded =
            decoders.filter_map(|step| if let Decoder::Replace(own) = step { Some(&own.content) } else { None });
        let padding = self.padding().map(|padding| &padding.token.name);
        written.chain(decoded).chain(padding).map(String::as_str)
    }
}
