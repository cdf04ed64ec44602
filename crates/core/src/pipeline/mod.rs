//! The tokenizer: all stages in order.
//!
//! `encode` has the entry points, `tokens` the generic path, `fast_path` the fast path, `cuts` the safe split points of
//! long texts, `boundaries` positions that no token spans, `word_ends` the words at whose ends a text may be cut,
//! `truncate_text` the longest part of a text with a number of tokens, `nbest` alternative segmentations, `explain` the
//! stages of a text, `measure` sums over texts, `decode` decoding, `decode_offsets` where the text of each
//! id starts, `stream` decoding id by id, and `decoder_inputs` what decoders receive for added
//! tokens.
//!
//! The tables of a model are built by [`Tokenizer::build_tables`], or by the first call that needs them. Loading a file
//! builds them. Training, unpickling and changes do not, since a chain of changes would build the tables of each step.
//! Copies of a model share its tables, so a change of other parts keeps them.

pub(crate) mod added_entries;
mod boundaries;
mod cuts;
mod decode;
mod decode_offsets;
mod decoder_inputs;
mod encode;
mod explain;
mod fast_path;
mod measure;
mod merges;
mod nbest;
mod options;
mod scratch;
mod sizes;
mod stream;
mod symbols;
mod tokens;
mod truncate_text;
mod unreachable;
mod windows;
mod word_characters;
mod word_ends;

pub use cuts::{SplitPart, TextCutter};
pub use decode::DecodeOptions;
pub use decode_offsets::{DecodedText, TokensBytes};
pub use explain::{ExplainLimits, ExplainedText, ExplainedToken, ExplainedWord};
pub use measure::{LENGTHS, Measures, Meter, TEXT_LENGTHS};
pub use options::{EncodingPath, Input, Options};
pub use scratch::Scratch;
pub use sizes::Sizes;
pub use stream::{IdStream, MetStop, StepPositions, Stop, Stops, StreamSettings};
pub use truncate_text::{TextLimit, TruncatedText};
pub use windows::Windows;
pub use word_characters::WordCharacters;

use std::collections::HashSet;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use crate::added::{AddedToken, AddedTokens, SpecialsPolicy};
use crate::decode::{DecodeTable, Decoder, byte_of};
use crate::encoding::pad::Padding;
use crate::encoding::truncate::Truncation;
use crate::error::{Error, Result};
use crate::fast::{CutPlan, NormalizedTokenSearch};
use crate::learn::{Merge, UnigramStep};
use crate::model::{Model, ModelTraits, Trainer};
use crate::postprocess::PostProcessor;
use crate::splitter::WordSplitter;
use crate::vocab::ReservedEntries;
use decoder_inputs::DecoderInputs;
use encode::{IdPart, steps};

/// The record of a training: its settings, and its results except the vocabulary.
#[derive(Debug, Clone, PartialEq)]
pub struct Training {
    /// The trainer's settings.
    pub trainer: Trainer,
    /// The SHA-256 fingerprint of the word counts.
    pub counts_sha256: String,
    /// The number of occurrences of each token in the counted words, by id.
    pub token_counts: Vec<u64>,
    /// The merges in the order of training; empty for Unigram.
    pub history: Vec<Merge>,
    /// The EM and pruning steps of a Unigram training; empty for WordPiece and BPE.
    pub rounds: Vec<UnigramStep>,
}

impl Training {
    /// Returns the record for a vocabulary of `limit` ids; new entries occur in no counted word.
    fn for_ids(self: &Arc<Self>, limit: u32) -> Arc<Self> {
        let mut token_counts = self.token_counts.clone();
        token_counts.resize(limit as usize, 0);
        Arc::new(Self { token_counts, ..self.as_ref().clone() })
    }
}

/// The parts of a [`Tokenizer`].
#[derive(Debug, Clone)]
pub struct TokenizerParts {
    /// The normalizer and the pre-tokenizer.
    pub splitter: WordSplitter,
    /// The model.
    pub model: Model,
    /// Tokens added to the model's, and special ones.
    pub added: Vec<AddedToken>,
    /// The added tokens that untrusted text may spell, besides those of white space alone.
    pub kept: HashSet<String>,
    /// The post-processor, which adds special tokens.
    pub post_processor: Option<PostProcessor>,
    /// The decoder; `None` joins tokens with spaces.
    pub decoder: Option<Decoder>,
    /// The default truncation of calls.
    pub truncation: Option<Truncation>,
    /// The default padding of calls.
    pub padding: Option<Padding>,
    /// The record of the training.
    pub training: Option<Arc<Training>>,
    /// The number of retries of Oniguruma in a text, from which on it is an error; `None` for no limit.
    pub regex_retries: Option<u64>,
}

impl TokenizerParts {
    /// Returns the parts of a tokenizer with no others than a splitter and a model.
    #[must_use]
    pub fn new(splitter: WordSplitter, model: Model) -> Self {
        Self {
            splitter,
            model,
            added: Vec::new(),
            kept: HashSet::new(),
            post_processor: None,
            decoder: None,
            truncation: None,
            padding: None,
            training: None,
            regex_retries: None,
        }
    }
}

/// A tokenizer, immutable once built; mutable state lives in a [`Scratch`].
///
/// ```
/// use piecework_core::format::format_named;
/// use piecework_core::pipeline::{Input, Options, Scratch};
///
/// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?;
/// let encoding = tokenizer.encode(Input::Text("Lower"), None, &Options::default(), &mut Scratch::default())?;
/// assert_eq!(encoding.ids, [1, 2]);
/// assert_eq!(tokenizer.decode(&encoding.ids, true)?, "lower");
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Tokenizer {
    parts: TokenizerParts,
    traits: ModelTraits,
    added: AddedTokens,
    /// Whether an added token and the model's token with its id are decoded differently.
    shadows: bool,
    /// The fast path, or the reason why the stages have none.
    fast: std::result::Result<CutPlan, &'static str>,
    /// For added tokens that are matched in normalized text: the texts in which they are found without normalizing.
    forms: Option<NormalizedTokenSearch>,
    /// The steps of post-processing for one text and for a pair, without and with special tokens.
    plans: [[Result<Vec<IdPart>>; 2]; 2],
    /// The parts that the decoder receives for added tokens, made on first use.
    decoder_inputs: OnceLock<DecoderInputs>,
    /// The bytes of tokens in texts, made on first use.
    decode_table: OnceLock<DecodeTable>,
    /// The number of ids that were decoded without that table.
    decoded_ids: AtomicUsize,
    /// The identity of this tokenizer, so that a cache is used only with the tokenizer that filled it.
    identity: Arc<()>,
}

impl Tokenizer {
    /// Returns the tokenizer made of `parts`.
    pub fn new(mut parts: TokenizerParts) -> Result<Self> {
        parts.splitter = parts.splitter.with_retries(parts.regex_retries)?;
        parts.decoder = parts.decoder.map(|decoder| decoder.with_retries(parts.regex_retries));
        let added = AddedTokens::for_model(
            std::mem::take(&mut parts.added),
            parts.kept.clone(),
            |token| parts.splitter.normalize_token(token),
            |id| parts.model.is_user_defined(id),
            parts.splitter.sentencepiece().is_some(),
        )?;
        let vocab = parts.model.vocab();
        let special = added.specials().filter_map(|token| vocab.id(&token.content)).collect();
        // A character or a byte is itself, whether it is an added token or text.
        let is_spelled = |token: &&AddedToken| token.special || !is_one(&token.content);
        let untrusted = added.untrusted().filter(is_spelled).filter_map(|token| vocab.id(&token.content)).collect();
        parts.model = parts.model.with_reserved(ReservedEntries { special, untrusted });
        let counts = parts.training.as_ref().map(|training| &training.token_counts[..]);
        parts.model = parts.model.with_counts(counts)?;
        let plan = |pair, add_special_tokens| steps(parts.post_processor.as_ref(), pair, add_special_tokens);
        let plans = [[plan(false, false), plan(false, true)], [plan(true, false), plan(true, true)]];
        let is_shadow = |token: &AddedToken| {
            let own = parts.model.vocab().token(token.id);
            own.is_some() && own != added.token(token.id)
        };
        let shadows = added.tokens().iter().any(is_shadow);
        let fast = CutPlan::of(&parts.splitter, &parts.model);
        // Those that the model finds are searched for, too, where they are errors.
        let is_normalized = added.tokens().iter().any(|token| token.normalized);
        let forms = is_normalized.then(|| NormalizedTokenSearch::of(&parts.splitter));
        let (decoder_inputs, decode_table, identity) = (OnceLock::new(), OnceLock::new(), Arc::default());
        let decoded_ids = AtomicUsize::new(0);
        let traits = parts.model.traits();
        let mut tokenizer = Self {
            parts,
            traits,
            added,
            shadows,
            fast,
            forms,
            plans,
            decoder_inputs,
            decode_table,
            decoded_ids,
            identity,
        };
        tokenizer.compare_token_names();
        Ok(tokenizer)
    }

    /// Returns the tokenizer with more added tokens, or with other flags of existing ones.
    pub fn with_added_tokens(&self, new: Vec<AddedToken>) -> Result<Self> {
        if new.iter().any(|token| token.content.is_empty()) {
            return Err(Error::Config("an added token is empty; expected a text to look for".into()));
        }
        let added = self.added.numbered(new, self.model().vocab());
        Self::new(TokenizerParts { added, ..self.parts.clone() })
    }

    /// Returns the tokenizer whose untrusted text may spell these added tokens, besides those of white space alone.
    pub fn with_kept(&self, kept: Vec<String>) -> Result<Self> {
        self.added.expect_added(&kept, "keep")?;
        Self::new(TokenizerParts { kept: kept.into_iter().collect(), ..self.parts() })
    }

    /// Returns the tokenizer with exactly these special tokens as control symbols.
    pub fn with_controls(&self, names: &[String]) -> Result<Self> {
        let added = self.added.with_controls(names)?;
        Self::new(TokenizerParts { added, ..self.parts.clone() })
    }

    /// Returns the tokenizer with another model over an equal vocabulary.
    pub fn with_model(&self, model: Model) -> Result<Self> {
        Self::new(TokenizerParts { model, ..self.parts() })
    }

    /// Returns a tokenizer with the same model, without other parts and added tokens.
    ///
    /// ```
    /// use piecework_core::format::format_named;
    ///
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\n[SEP]\nlow\n")?;
    /// assert_eq!(tokenizer.model_alone()?.added().tokens().len(), 0);
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn model_alone(&self) -> Result<Self> {
        let TokenizerParts { model, training, .. } = self.parts.clone();
        Self::new(TokenizerParts { training, ..TokenizerParts::new(WordSplitter::default(), model) })
    }

    /// Returns the padding with a record of whether its token's name differs from the vocabulary's.
    #[must_use]
    pub fn compare_padding(&self, mut padding: Padding) -> Padding {
        let token = &mut padding.token;
        token.compare(self.token(token.id));
        padding
    }

    /// Records for each post-processing and padding token whether its name differs from the vocabulary's.
    fn compare_token_names(&mut self) {
        let Self { parts: TokenizerParts { post_processor, padding, model, .. }, added, .. } = self;
        let specials = post_processor.iter_mut().flat_map(PostProcessor::tokens_mut);
        for token in specials.chain(padding.iter_mut().map(|padding| &mut padding.token)) {
            token.compare(added.token(token.id).or_else(|| model.vocab().token(token.id)));
        }
    }

    /// Returns a copy of the parts.
    #[must_use]
    pub fn parts(&self) -> TokenizerParts {
        TokenizerParts { added: self.added.tokens().to_vec(), ..self.parts.clone() }
    }

    /// Returns the number of retries of Oniguruma in a text, from which on it is an error.
    #[must_use]
    pub fn regex_retries(&self) -> Option<u64> {
        self.parts.regex_retries
    }

    /// Returns the normalizer and the pre-tokenizer.
    #[must_use]
    pub fn splitter(&self) -> &WordSplitter {
        &self.parts.splitter
    }

    /// Returns the model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.parts.model
    }

    /// Returns what is true of the model, whatever word it encodes.
    #[must_use]
    pub fn traits(&self) -> &ModelTraits {
        &self.traits
    }

    /// Returns the added tokens.
    #[must_use]
    pub fn added(&self) -> &AddedTokens {
        &self.added
    }

    /// Returns the post-processor.
    #[must_use]
    pub fn post_processor(&self) -> Option<&PostProcessor> {
        self.parts.post_processor.as_ref()
    }

    /// Returns the decoder.
    #[must_use]
    pub fn decoder(&self) -> Option<&Decoder> {
        self.parts.decoder.as_ref()
    }

    /// Returns the default truncation of calls.
    #[must_use]
    pub fn truncation(&self) -> Option<&Truncation> {
        self.parts.truncation.as_ref()
    }

    /// Returns the default padding of calls.
    #[must_use]
    pub fn padding(&self) -> Option<&Padding> {
        self.parts.padding.as_ref()
    }

    /// Returns the record of the training.
    #[must_use]
    pub fn training(&self) -> Option<&Arc<Training>> {
        self.parts.training.as_ref()
    }

    /// Builds the tables that encode texts with such a treatment of special tokens, which the first call builds otherwise.
    pub fn build_tables(&self, specials: &SpecialsPolicy) {
        let entries = self.added.entries(specials);
        self.splitter().build_patterns();
        match &self.fast {
            Ok(plan) => plan.build_tables(self.model(), entries),
            Err(_) => self.model().build_tables(entries, false, false),
        }
    }

    /// Returns the name of the kernel that classifies bytes on this machine, or why there is no fast path.
    pub fn fast_path_kernel(&self) -> std::result::Result<&'static str, &'static str> {
        Ok(self.fast.as_ref().map_err(|reason| *reason)?.kernel())
    }

    /// Returns the tokenizer with the kernel of that name, for tests.
    ///
    /// `None` if the pipeline has no fast path, or if the machine cannot run the kernel.
    #[doc(hidden)]
    #[must_use]
    pub fn with_kernel(mut self, name: &str) -> Option<Self> {
        self.fast = Ok(self.fast.ok()?.with_kernel(name)?);
        Some(self)
    }

    /// Returns the token with `id`, added or the model's.
    #[must_use]
    pub fn token(&self, id: u32) -> Option<&str> {
        self.added.token(id).or_else(|| self.model().vocab().token(id))
    }

    /// Returns the token with `id`, or an error with the largest id.
    pub fn expect_token(&self, id: u32) -> Result<&str> {
        self.token(id).ok_or_else(|| Error::Id { id, last: self.id_limit().saturating_sub(1) })
    }

    /// Returns the id of a token, added or the model's.
    #[must_use]
    pub fn id(&self, token: &str) -> Option<u32> {
        self.added.id(token).or_else(|| self.model().vocab().id(token))
    }

    /// Returns the largest id plus one.
    #[must_use]
    pub fn id_limit(&self) -> u32 {
        let added = self.added.last_id().map_or(0, |last| last.saturating_add(1));
        self.model().vocab().id_limit().max(added)
    }

    /// Returns the number of tokens: the model's, and the added ones that it lacks.
    #[must_use]
    pub fn vocab_size(&self) -> usize {
        let vocab = self.model().vocab();
        vocab.len() + self.added.tokens().iter().filter(|token| vocab.id(&token.content).is_none()).count()
    }

    /// Returns all tokens with their ids, in ascending order of ids; added tokens have their original content.
    #[must_use]
    pub fn vocab(&self) -> Vec<(&str, u32)> {
        let vocab = self.model().vocab();
        let added = self.added.tokens().iter().map(|token| (token.content.as_str(), token.id));
        let mut tokens: Vec<_> = vocab.iter().chain(added.filter(|(content, _)| vocab.id(content).is_none())).collect();
        tokens.sort_by_key(|&(_, id)| id);
        tokens
    }

    /// Returns whether the token with `id` is special.
    #[must_use]
    pub fn is_special(&self, id: u32) -> bool {
        self.token(id).is_some_and(|token| self.added.is_special(token))
    }
}

/// Returns whether a token is one character, or one byte.
fn is_one(token: &str) -> bool {
    token.chars().nth(1).is_none() || byte_of(token).is_some()
}
