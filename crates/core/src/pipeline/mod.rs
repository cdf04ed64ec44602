//! The tokenizer: all stages in a row.
//!
//! `encode` is what calls ask for, `tokens` how a text becomes tokens, `cuts` how a long one does in parts, `nbest` what else it could
//! become, `decode` the way back.

mod cuts;
mod decode;
mod encode;
mod fast_path;
mod merges;
mod nbest;
mod tokens;

pub use cuts::{Cuts, Part};
pub use encode::{Input, Options, Road};
pub use nbest::WordScores;
pub use tokens::{Scratch, WordPieces};

use std::sync::Arc;

use crate::added::{AddedToken, AddedTokens};
use crate::decode::Decoder;
use crate::encoding::pad::Padding;
use crate::encoding::truncate::Truncation;
use crate::error::{Error, Result};
use crate::fast::FastPath;
use crate::learn::{Merge, UnigramStep};
use crate::model::{Model, Trainer};
use crate::postprocess::PostProcessor;
use crate::splitter::WordSplitter;
use encode::{Step, steps};

/// What training leaves behind beside the vocabulary.
#[derive(Debug, Clone, PartialEq)]
pub struct Training {
    /// The trainer's settings.
    pub trainer: Trainer,
    /// The fingerprint of the word counts.
    pub counts_sha256: String,
    /// How often each token occurs in them, by id.
    pub token_counts: Vec<u64>,
    /// The merges in their order.
    pub history: Vec<Merge>,
    /// The steps of a training that merges nothing, but prunes.
    pub rounds: Vec<UnigramStep>,
}

/// The parts of a [`Tokenizer`].
#[derive(Debug, Clone)]
pub struct Parts {
    /// Normalization and pre-tokenization.
    pub splitter: WordSplitter,
    /// The model.
    pub model: Model,
    /// Tokens beside the model's, and special ones.
    pub added: Vec<AddedToken>,
    /// Where special tokens go.
    pub post_processor: Option<PostProcessor>,
    /// How tokens become text; `None` joins them with spaces.
    pub decoder: Option<Decoder>,
    /// How encodings are truncated, unless a call says otherwise.
    pub truncation: Option<Truncation>,
    /// How encodings are padded, unless a call says otherwise.
    pub padding: Option<Padding>,
    /// What training left behind.
    pub training: Option<Arc<Training>>,
}

/// A tokenizer, immutable once built; mutable work lives in a [`Scratch`].
#[derive(Debug)]
pub struct Tokenizer {
    parts: Parts,
    added: AddedTokens,
    /// Whether an added token is decoded otherwise than the model's token with its id.
    shadows: bool,
    /// The fast road, or why the stages have none.
    fast: std::result::Result<FastPath, &'static str>,
    /// What post-processing makes of one text and of a pair, without and with special tokens.
    plans: [[Result<Vec<Step>>; 2]; 2],
    /// Tells it from all others, so that what was met with one is never looked up by another.
    identity: Arc<()>,
}

impl Tokenizer {
    /// The tokenizer made of `parts`.
    pub fn new(mut parts: Parts) -> Result<Self> {
        let added = AddedTokens::new(std::mem::take(&mut parts.added), |token| parts.splitter.normalize_token(token))?;
        let vocab = parts.model.vocab();
        parts.model =
            parts.model.with_specials(added.specials().filter_map(|token| vocab.id(&token.content)).collect());
        let counts = parts.training.as_ref().map(|training| &training.token_counts[..]);
        parts.model = parts.model.with_counts(counts)?;
        let plan = |pair, specials| steps(parts.post_processor.as_ref(), pair, specials);
        let plans = [[plan(false, false), plan(false, true)], [plan(true, false), plan(true, true)]];
        let is_shadow = |token: &AddedToken| {
            let own = parts.model.vocab().token(token.id);
            own.is_some() && own != added.token(token.id)
        };
        let shadows = added.tokens().iter().any(is_shadow);
        let fast = FastPath::of(&parts.splitter, &parts.model);
        let mut tokenizer = Self { parts, added, shadows, fast, plans, identity: Arc::default() };
        tokenizer.name_tokens();
        Ok(tokenizer)
    }

    /// The same tokenizer with more added tokens, or with other flags of those there are.
    pub fn with_added_tokens(&self, new: Vec<AddedToken>) -> Result<Self> {
        if new.iter().any(|token| token.content.is_empty()) {
            return Err(Error::Config("an added token is empty; expected a text to look for".to_owned()));
        }
        let added = self.added.numbered(new, self.model().vocab());
        Self::new(Parts { added, ..self.parts.clone() })
    }

    /// The same tokenizer, of whose special tokens just these are control symbols.
    pub fn with_controls(&self, names: &[String]) -> Result<Self> {
        let added = self.added.with_controls(names)?;
        Self::new(Parts { added, ..self.parts.clone() })
    }

    /// The same tokenizer with another model over the same tokens.
    pub fn with_model(&self, model: Model) -> Result<Self> {
        Self::new(Parts { model, ..self.parts() })
    }

    /// The padding with its token called as the vocabulary calls it.
    #[must_use]
    pub fn settled(&self, mut padding: Padding) -> Padding {
        let token = &mut padding.token;
        token.compare(self.token(token.id));
        padding
    }

    /// Tells the tokens that are added to encodings what the vocabulary calls them.
    fn name_tokens(&mut self) {
        let Self { parts: Parts { post_processor, padding, model, .. }, added, .. } = self;
        let specials = post_processor.iter_mut().flat_map(PostProcessor::tokens_mut);
        for token in specials.chain(padding.iter_mut().map(|padding| &mut padding.token)) {
            token.compare(added.token(token.id).or_else(|| model.vocab().token(token.id)));
        }
    }

    /// The parts it was made of.
    #[must_use]
    pub fn parts(&self) -> Parts {
        Parts { added: self.added.tokens().to_vec(), ..self.parts.clone() }
    }

    /// Normalization and pre-tokenization.
    #[must_use]
    pub fn splitter(&self) -> &WordSplitter {
        &self.parts.splitter
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.parts.model
    }

    /// The added tokens.
    #[must_use]
    pub fn added(&self) -> &AddedTokens {
        &self.added
    }

    /// Where special tokens go.
    #[must_use]
    pub fn post_processor(&self) -> Option<&PostProcessor> {
        self.parts.post_processor.as_ref()
    }

    /// How tokens become text.
    #[must_use]
    pub fn decoder(&self) -> Option<&Decoder> {
        self.parts.decoder.as_ref()
    }

    /// How encodings are truncated, unless a call says otherwise.
    #[must_use]
    pub fn truncation(&self) -> Option<&Truncation> {
        self.parts.truncation.as_ref()
    }

    /// How encodings are padded, unless a call says otherwise.
    #[must_use]
    pub fn padding(&self) -> Option<&Padding> {
        self.parts.padding.as_ref()
    }

    /// What training left behind.
    #[must_use]
    pub fn training(&self) -> Option<&Arc<Training>> {
        self.parts.training.as_ref()
    }

    /// The vector instructions with which texts take the fast road, or why they take the general one.
    pub fn road(&self) -> std::result::Result<&'static str, &'static str> {
        let fast = self.fast.as_ref().map_err(|reason| *reason)?;
        if self.added.searches_normalized() {
            return Err("an added token is sought in the normalized text");
        }
        Ok(fast.kernel())
    }

    /// The same tokenizer with the kernel of that name, if it takes the fast road and the machine can run it: tests try
    /// them all.
    #[doc(hidden)]
    #[must_use]
    pub fn with_kernel(mut self, name: &str) -> Option<Self> {
        self.fast = Ok(self.fast.ok()?.with_kernel(name)?);
        Some(self)
    }

    /// The token with `id`, added or the model's.
    #[must_use]
    pub fn token(&self, id: u32) -> Option<&str> {
        self.added.token(id).or_else(|| self.model().vocab().token(id))
    }

    /// The token with `id`, or an error that says how far ids go.
    pub fn expect_token(&self, id: u32) -> Result<&str> {
        self.token(id).ok_or_else(|| Error::Id { id, last: self.id_limit().saturating_sub(1) })
    }

    /// The id of a token, added or the model's.
    #[must_use]
    pub fn id(&self, token: &str) -> Option<u32> {
        self.added.id(token).or_else(|| self.model().vocab().id(token))
    }

    /// One past the largest id.
    #[must_use]
    pub fn id_limit(&self) -> u32 {
        let added = self.added.last_id().map_or(0, |last| last.saturating_add(1));
        self.model().vocab().id_limit().max(added)
    }

    /// How many tokens there are, the model's and the added ones that it lacks.
    #[must_use]
    pub fn vocab_size(&self) -> usize {
        let vocab = self.model().vocab();
        vocab.len() + self.added.tokens().iter().filter(|token| vocab.id(&token.content).is_none()).count()
    }

    /// All tokens with their ids, in order of these; added tokens by what they are sought as in the text.
    #[must_use]
    pub fn vocab(&self) -> Vec<(&str, u32)> {
        let vocab = self.model().vocab();
        let added = self.added.tokens().iter().map(|token| (token.content.as_str(), token.id));
        let mut tokens: Vec<_> = vocab.iter().chain(added.filter(|(content, _)| vocab.id(content).is_none())).collect();
        tokens.sort_by_key(|&(_, id)| id);
        tokens
    }

    /// Whether the token with `id` is special.
    #[must_use]
    pub fn is_special(&self, id: u32) -> bool {
        self.token(id).is_some_and(|token| self.added.is_special(token))
    }
}
