//! Decodes ids to text, and computes the log-likelihood of a text's tokens.

use std::sync::atomic::Ordering;

use super::Tokenizer;
use super::options::{Input, Options};
use super::scratch::Scratch;
use crate::added::SpecialsPolicy;
use crate::decode::{DecodeTable, Stages, StreamOutput, text_of};
use crate::error::{Error, Message, Result};
use crate::model::{PROBABILITY_FLOOR, Probabilities};
use crate::stop;

/// The options of decoding; `true` and `false` say whether special tokens are omitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DecodeOptions {
    /// Whether special tokens are omitted.
    pub skip_special_tokens: bool,
    /// Whether the decoder takes added tokens for entries of the model, as `tokenizers` does, and not for text.
    pub added_as_entries: bool,
}

impl From<bool> for DecodeOptions {
    fn from(skip_special_tokens: bool) -> Self {
        Self { skip_special_tokens, ..Self::default() }
    }
}

/// The number of ids for each token from which on a vocabulary has no table.
const SPARSE: usize = 1 << 10;

impl Tokenizer {
    /// Returns the text of `ids`.
    ///
    /// ```
    /// use piecework_core::format::format_named;
    ///
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?;
    /// assert_eq!(tokenizer.decode(&[1, 2, 1], true)?, "lower low");
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn decode(&self, ids: &[u32], options: impl Into<DecodeOptions>) -> Result<String> {
        let options = options.into();
        let bytes =
            self.table_for(ids.len(), options).and_then(|table| table.text_bytes(ids, options.skip_special_tokens));
        if let Some(Ok(text)) = bytes.map(String::from_utf8) {
            return Ok(text);
        }
        text_of(self.decoder(), &self.decoder_tokens(ids, options)?)
    }

    /// Returns the bytes of tokens in decoded texts.
    pub(super) fn decode_table(&self) -> &DecodeTable {
        let token = |id| Some((self.decoder_input(id)?, self.is_special(id)));
        self.decode_table.get_or_init(|| {
            // Ids far apart would make the table many times as large as the vocabulary.
            let is_sparse = self.id_limit() as usize > SPARSE * (self.vocab_size() + SPARSE);
            if is_sparse { DecodeTable::default() } else { DecodeTable::new(self.decoder(), self.id_limit(), token) }
        })
    }

    /// Returns whether the table is that of decoding with these options.
    pub(super) fn uses_table(&self, options: DecodeOptions) -> bool {
        !options.added_as_entries || self.decoder_inputs().is_empty()
    }

    /// Returns the table, if texts can be decoded by it, and as many ids were decoded as it takes to build it.
    pub(super) fn table_for(&self, ids: usize, options: DecodeOptions) -> Option<&DecodeTable> {
        if !self.uses_table(options) {
            return None;
        }
        let is_worth_it = || {
            let before = self.decoded_ids.fetch_add(ids, Ordering::Relaxed);
            before.saturating_add(ids) >= self.id_limit() as usize
        };
        let table = self.decode_table.get().or_else(|| is_worth_it().then(|| self.decode_table()));
        table.filter(|table| table.decodes())
    }

    /// Returns the bytes of the text of `ids`; bytes of byte tokens are kept, even if they are not UTF-8.
    pub fn decode_bytes(&self, ids: &[u32], options: impl Into<DecodeOptions>) -> Result<Vec<u8>> {
        let options = options.into();
        let table = self.table_for(ids.len(), options).filter(|table| table.has_bytes());
        if let Some(bytes) = table.and_then(|table| table.text_bytes(ids, options.skip_special_tokens)) {
            return Ok(bytes);
        }
        Stages::of(self.decoder(), StreamOutput::Bytes).run(&self.decoder_tokens(ids, options)?, true)
    }

    /// Returns the bytes of the token with `id`, as far as they depend on no other token.
    ///
    /// See [`Decoder::token_bytes`](crate::decode::Decoder::token_bytes).
    ///
    /// ```
    /// use piecework_core::format::format_named;
    ///
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?;
    /// assert_eq!(tokenizer.token_bytes(2)?, b"##er");
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn token_bytes(&self, id: u32) -> Result<Vec<u8>> {
        let token = self.expect_token(id)?;
        self.text_bytes(self.decoder_input(id).unwrap_or(token))
    }

    /// Returns the bytes of a part of a word, written as in tokens of the model.
    ///
    /// See [`Decoder::token_bytes`](crate::decode::Decoder::token_bytes).
    pub fn text_bytes(&self, text: &str) -> Result<Vec<u8>> {
        self.decoder().map_or_else(|| Ok(text.as_bytes().to_vec()), |decoder| decoder.token_bytes(text))
    }

    /// Returns what the decoder receives for a token.
    fn decoder_input(&self, id: u32) -> Option<&str> {
        let Some(token) = self.added.token(id) else { return self.model().vocab().token(id) };
        Some(self.decoder_inputs().get(&id).map_or(token, String::as_str))
    }

    /// Returns what the decoder receives for tokens.
    pub(super) fn decoder_tokens(&self, ids: &[u32], options: DecodeOptions) -> Result<Vec<&str>> {
        // SentencePiece never joins bytes on two sides of a control symbol to one character: an empty token
        // separates them.
        let leaves_gap = self.decoder().is_some_and(|decoder| decoder.sentencepiece().is_some());
        let inputs = (!options.added_as_entries).then(|| self.decoder_inputs()).filter(|inputs| !inputs.is_empty());
        let mut tokens = Vec::with_capacity(ids.len());
        for &id in stop::blocks(ids).flatten() {
            let token = self.expect_token(id)?;
            if !(options.skip_special_tokens && self.added.is_special(token)) {
                tokens.push(inputs.and_then(|inputs| inputs.get(&id)).map_or(token, String::as_str));
            } else if leaves_gap {
                tokens.push("");
            }
        }
        Ok(tokens)
    }

    /// Returns the log-likelihood of a text in nats: the sum of ln p over the tokens of its encoding.
    ///
    /// The tokens count as independent, whatever the model. Special tokens are not added, and dropout is off. p is the
    /// given probability of a token, or its share of all tokens counted in training. It is [`PROBABILITY_FLOOR`] if
    /// there is neither or the token is unknown, so the sum is finite.
    pub fn log_likelihood(&self, text: &str, specials: &SpecialsPolicy, scratch: &mut Scratch) -> Result<f64> {
        let probabilities = self.probabilities().ok_or_else(|| {
            Error::NoCounts(
                Message::new("the tokenizer has no token counts, so its tokens have no probabilities")
                    .hint("load a tokenizer.json that piecework saved after training; a vocab.txt contains no counts"),
            )
        })?;
        let options =
            Options { add_special_tokens: false, specials: specials.clone(), dropout: Some(0.0), ..Options::default() };
        self.begin(&options, scratch);
        let mut sum = 0.0;
        self.each_token(Input::Text(text), &options, false, scratch, |found, _| {
            sum += self.log_probability_of(found.id, &probabilities);
        })?;
        Ok(sum)
    }

    /// Returns ln p of tokens: Unigram's scores, or the p of [`Self::log_likelihood`]; `None` if the model has neither.
    pub fn log_probabilities(&self, ids: &[u32]) -> Option<Vec<f64>> {
        self.model().entry_scores(ids).or_else(|| {
            let probabilities = self.probabilities()?;
            Some(ids.iter().map(|&id| self.log_probability_of(id, &probabilities)).collect())
        })
    }

    /// Returns the probabilities of tokens: given ones, or the shares in training; `None` if there are neither.
    fn probabilities(&self) -> Option<Probabilities<'_>> {
        let given = self.model().probabilities();
        let counts = self.parts.training.as_ref().map(|training| &training.token_counts[..]);
        (given.is_some() || counts.is_some()).then(|| Probabilities::new(given, counts))
    }

    fn log_probability_of(&self, id: u32, probabilities: &Probabilities<'_>) -> f64 {
        let is_unknown = self.traits().unk_id == Some(id);
        libm::log(if is_unknown { PROBABILITY_FLOOR } else { probabilities.of(id) })
    }
}
