//! Where a text may be cut so that each part can be encoded by itself, and nothing changes.
//!
//! A *chunk* is what lies between two cuts. The stages that take the fast road look at one character at a time, and the
//! pre-tokenizer at the border of two; only canonical reordering looks further, and never past a character that is no
//! mark. So a text may be cut
//!
//! * before and after a character that divides words and is gone: white space;
//! * before and after a character that is a word by itself: punctuation, an ideograph;
//! * between two ASCII characters of different kinds that the pre-tokenizer parts.
//!
//! Everything else is *glue*: it may be part of a word, may vanish, may change its neighbours. A chunk is no word: it may
//! hold several, or none. It only has to be cut in the same way wherever it stands.

use super::masks::Classifier;
use crate::normalize::{BertNormalizer, Form, Normalizer};
use crate::pretokenize::{Behavior, PreTokenizer};
use crate::unicode::{Class, class};
use crate::words::WordSplitter;

/// What a character is to the cutter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// An ASCII character that goes with others of its kind.
    Word = 0,
    /// The same, of the other kind.
    Other = 1,
    /// A chunk by itself.
    Alone = 2,
    /// Between chunks.
    Space = 3,
    /// Goes with whatever stands beside it but `Alone` and `Space`.
    Glue = 4,
}

/// Tells the kinds of characters for one pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cutter {
    /// The kinds of ASCII characters.
    pub(super) ascii: [Kind; 128],
    rules: Rules,
    /// Whether a chunk of `Word` or `Alone` is one word, and an ASCII one changes in nothing but case.
    pub(super) whole: bool,
    /// Whether that is lower-cased.
    pub(super) lowercase: bool,
}

/// What the stages do, together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Rules {
    /// Control characters vanish.
    clean: bool,
    /// Ideographs stand alone.
    pad: bool,
    /// White space divides.
    spaces: bool,
    /// Punctuation stands alone.
    punctuation: bool,
    /// What is `\w` is parted from what is not.
    words: bool,
}

impl Cutter {
    /// The cutter for a splitter, or why there is none.
    pub(super) fn new(splitter: &WordSplitter) -> Result<Self, &'static str> {
        let Some(pre_tokenizer) = splitter.pre_tokenizer() else {
            return Err("without a pre-tokenizer a text is one word");
        };
        let (mut rules, mut whole, mut lowercase) = (Rules::default(), true, false);
        for step in splitter.normalizer().into_iter().flat_map(Normalizer::steps) {
            match step {
                Normalizer::Bert(BertNormalizer { clean_text, handle_chinese_chars, lowercase: lower, .. }) => {
                    rules.clean |= clean_text;
                    rules.pad |= handle_chinese_chars;
                    lowercase |= lower;
                }
                Normalizer::Lowercase => lowercase = true,
                Normalizer::Form(Form::Nfd) | Normalizer::StripAccents => {}
                _ => return Err("its normalizer looks further than one character"),
            }
        }
        for step in pre_tokenizer.steps() {
            match step {
                PreTokenizer::Bert => (rules.spaces, rules.punctuation) = (true, true),
                PreTokenizer::Whitespace => (rules.spaces, rules.words) = (true, true),
                PreTokenizer::WhitespaceSplit => rules.spaces = true,
                PreTokenizer::Punctuation(Behavior::Isolated) => rules.punctuation = true,
                PreTokenizer::Digits { .. } => whole = false,
                _ => return Err("its pre-tokenizer looks further than one character"),
            }
        }
        if !rules.spaces {
            return Err("its pre-tokenizer does not divide at white space");
        }
        let ascii = std::array::from_fn(|code| rules.ascii(u8::try_from(code).expect("under 128")));
        Ok(Self { ascii, rules, whole, lowercase })
    }

    /// What tells the kinds of ASCII characters: sets for space, alone, other and glue.
    pub(super) fn classifier(&self) -> Classifier<4> {
        let bit = |kind: &Kind| match kind {
            Kind::Word => 0,
            Kind::Space => 1,
            Kind::Alone => 2,
            Kind::Other => 4,
            Kind::Glue => 8,
        };
        Classifier::new(std::array::from_fn(|byte| self.ascii.get(byte).map_or(0, bit)))
    }

    /// The kind of a character.
    #[inline]
    pub(super) fn kind(&self, c: char) -> Kind {
        if c.is_ascii() { self.ascii[c as usize] } else { self.rules.other(class(c)) }
    }
}

impl Rules {
    fn ascii(self, code: u8) -> Kind {
        let class = class(char::from(code));
        match self.other(class) {
            // An ASCII character neither composes nor decomposes, so only cleaning makes it glue.
            Kind::Glue if self.clean && class.is_control() => Kind::Glue,
            Kind::Glue if self.words && !class.is_word() => Kind::Other,
            Kind::Glue => Kind::Word,
            kind => kind,
        }
    }

    /// The kind of a character that is not ASCII.
    #[inline]
    fn other(self, class: Class) -> Kind {
        const CHANGES: Class = Class::ACTIVE_NFD.union(Class::COMBINING_MARK).union(Class::NONSPACING_MARK);
        if self.clean && class.is_control() {
            Kind::Glue
        } else if class.is_whitespace() {
            Kind::Space
        } else if class.intersects(CHANGES) {
            Kind::Glue
        } else if (self.pad && class.is_cjk()) || (self.punctuation && class.is_punctuation()) {
            Kind::Alone
        } else {
            Kind::Glue
        }
    }
}
