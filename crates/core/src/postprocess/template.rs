//! Templates such as `[CLS] $A [SEP]`: special tokens and type ids.

use std::collections::{BTreeMap, HashMap};

use crate::encoding::{Encoding, NamedToken, truncate};
use crate::error::{Error, Message, Result};
use crate::vocab::Vocab;

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePart {
    /// The tokens of the first (0) or second (1) text.
    Sequence {
        /// The index of the text.
        index: usize,
        /// The type id of its tokens.
        type_id: u32,
    },
    /// Special tokens, by their name in the template.
    Special {
        /// The name.
        name: String,
        /// Their type id.
        type_id: u32,
    },
}

/// The special tokens that a template names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateToken {
    /// The id in the file, usually equal to the name.
    pub id: String,
    /// The tokens.
    pub tokens: Vec<NamedToken>,
}

/// The parts for one text and for a pair.
///
/// ```
/// use piecework_core::postprocess::{PostProcessor, Template};
///
/// let bert = PostProcessor::Template(Template::bert(("[CLS]", 2), ("[SEP]", 3)));
/// assert_eq!((bert.added_tokens(false), bert.added_tokens(true)), (2, 3));
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The parts for one text.
    pub single: Vec<TemplatePart>,
    /// The parts for a pair.
    pub pair: Vec<TemplatePart>,
    /// The special tokens by name.
    pub specials: BTreeMap<String, TemplateToken>,
}

/// Returns an error if the combinations of overflowing windows would take too much memory.
fn check_combined(parts: &[TemplatePart], encodings: &[Encoding]) -> Result<()> {
    let texts = parts.iter().filter_map(|part| match part {
        TemplatePart::Sequence { index, .. } => encodings.get(*index),
        TemplatePart::Special { .. } => None,
    });
    let texts: Vec<_> = texts.map(Encoding::part_sizes).collect();
    // The parts of one text are not combined.
    if texts.len() > 1 { truncate::check_combined(&texts) } else { Ok(()) }
}

impl TemplatePart {
    /// Returns the type id of the part's tokens.
    fn type_id(&self) -> u32 {
        match self {
            Self::Sequence { type_id, .. } | Self::Special { type_id, .. } => *type_id,
        }
    }

    /// Returns whether the part is the text with this index.
    fn is_sequence(&self, number: usize) -> bool {
        matches!(self, Self::Sequence { index, .. } if *index == number)
    }
}

impl Template {
    /// Returns BERT's template: `[CLS] A [SEP]` and `[CLS] A [SEP] B [SEP]`, the second text with type id 1.
    #[must_use]
    pub fn bert(cls: (&str, u32), sep: (&str, u32)) -> Self {
        let special = |name: &str, type_id| TemplatePart::Special { name: name.to_owned(), type_id };
        let single = vec![special(cls.0, 0), TemplatePart::Sequence { index: 0, type_id: 0 }, special(sep.0, 0)];
        let mut pair = single.clone();
        pair.extend([TemplatePart::Sequence { index: 1, type_id: 1 }, special(sep.0, 1)]);
        let specials = [cls, sep].map(|(name, id)| {
            (name.to_owned(), TemplateToken { id: name.to_owned(), tokens: vec![NamedToken::new(name, id)] })
        });
        Self { single, pair, specials: specials.into() }
    }

    /// Returns BERT's template if `[CLS]` and `[SEP]` are among `specials`, all of which are in `vocab`.
    #[must_use]
    pub fn bert_of(vocab: &Vocab, specials: &[impl AsRef<str>]) -> Option<Self> {
        let named = |name: &'static str| {
            let id = vocab.id(specials.iter().find(|special| special.as_ref() == name)?.as_ref())?;
            Some((name, id))
        };
        Some(Self::bert(named("[CLS]")?, named("[SEP]")?))
    }

    /// Returns the parts for one text or for a pair.
    #[must_use]
    pub fn parts(&self, pair: bool) -> &[TemplatePart] {
        if pair { &self.pair } else { &self.single }
    }

    /// Returns the number of special tokens that the template adds.
    pub(super) fn added_tokens(&self, pair: bool) -> usize {
        self.added(pair, |special| special.tokens.len())
    }

    /// Returns the number of special tokens that the template adds, long ones as several.
    pub(super) fn added_units(&self, pair: bool) -> usize {
        self.added(pair, |special| special.tokens.iter().map(NamedToken::units).sum())
    }

    /// Returns a size of the special tokens that the template adds, by the size of each special.
    fn added(&self, pair: bool, size: impl Fn(&TemplateToken) -> usize) -> usize {
        let sizes: HashMap<&String, usize> =
            self.specials.iter().map(|(name, special)| (name, size(special))).collect();
        let size_of = |part: &TemplatePart| match part {
            TemplatePart::Sequence { .. } => 0,
            TemplatePart::Special { name, .. } => sizes.get(name).copied().unwrap_or(0),
        };
        self.parts(pair).iter().map(size_of).fold(0, usize::saturating_add)
    }

    /// Returns the type id of all parts for one text, or `None` if they differ.
    pub(super) fn single_type_id(&self) -> Option<u32> {
        let mut type_ids = self.single.iter().map(TemplatePart::type_id);
        let first = type_ids.next()?;
        type_ids.all(|other| other == first).then_some(first)
    }

    /// Returns all special tokens of the template.
    pub(super) fn tokens(&self) -> impl Iterator<Item = &NamedToken> {
        self.specials.values().flat_map(|special| &special.tokens)
    }

    /// Returns all special tokens of the template, to be changed.
    pub(super) fn tokens_mut(&mut self) -> impl Iterator<Item = &mut NamedToken> {
        self.specials.values_mut().flat_map(|special| &mut special.tokens)
    }

    /// Replaces the encodings of the texts with those of the template's parts.
    pub(super) fn process(&self, mut encodings: Vec<Encoding>, add_special_tokens: bool) -> Result<Vec<Encoding>> {
        let count = encodings.len();
        if !(1..=2).contains(&count) {
            return Err(Error::Config(
                Message::new(format!(
                    "a template takes one or two encodings, and the post-processor before it gives {count}"
                ))
                .hint("put the template first"),
            ));
        }
        let mut list = Vec::new();
        let parts = self.parts(count == 2);
        check_combined(parts, &encodings)?;
        for (place, part) in parts.iter().enumerate() {
            match part {
                TemplatePart::Sequence { index, type_id } => {
                    let Some(encoding) = encodings.get_mut(*index) else {
                        return Err(Error::Config("the template for one text asks for a second one".into()));
                    };
                    encoding.set_type_ids(*type_id);
                    encoding.set_sequence(*index);
                    // A text that a later part repeats is copied, with the changes made so far.
                    let again = parts[place + 1..].iter().any(|part| part.is_sequence(*index));
                    list.push(if again { encoding.clone() } else { std::mem::take(encoding) });
                }
                TemplatePart::Special { name, type_id } if add_special_tokens => {
                    let Some(special) = self.specials.get(name) else {
                        return Err(Error::Config(format!("the template does not say what {name:?} is").into()));
                    };
                    list.push(Encoding::of_special_tokens(&special.tokens, *type_id));
                }
                TemplatePart::Special { .. } => {}
            }
        }
        Ok(list)
    }
}
