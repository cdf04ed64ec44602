//! From text to words with the white space before them, for pipelines that write spaces as a mark before each word.
//!
//! White space that becomes plain spaces *divides*. A text may be cut where it begins, if what stands before is *steady*: a character
//! that stays as it is, so that no normalizer and no piece has to do with both sides. The first chunk of a text begins as the text
//! does, and may get a mark of its own; all others begin with white space, and so with a mark.
//!
//! Either the pre-tokenizer splits before each mark, and all models see single words; or, as in SentencePiece, the text is one word to
//! the model. Then no piece may hold a mark behind something else, and the scores are added up from word to word: see
//! [`crate::model::unigram::margin`].

use super::masks::{BLOCK, Classifier, Masks};
use super::seams::is_mark;
use super::walk::{List, Stretch};
use crate::model::Model;
use crate::model::unigram::{Precision, Unigram, marks};
use crate::normalize::{Normalizer, Precompiled, SPACE, SentencePiece, SentencePieceSettings, Strip};
use crate::pretokenize::PreTokenizer;
use crate::settings::{Metaspace, PrependScheme};
use crate::unicode::{CharSet, Class, class};
use crate::words::WordSplitter;

/// Cuts texts before white space.
#[derive(Debug, Clone)]
pub(super) struct Spaced {
    classifier: Classifier<2>,
    /// What ASCII characters are.
    ascii: [Kind; 128],
    rules: Option<Precompiled>,
    /// What is asked of characters that are not ASCII.
    asked: Asked,
    /// Whether words change by nothing but the rules.
    is_plain: bool,
    /// Whether of white space in a row one mark stays.
    joins: bool,
    /// Whether a mark is put before a text that begins with none; and if only before what begins the input.
    prefix: bool,
    pub(super) only_first: bool,
    /// What splits all chunks but the first, where a text is one word.
    later: Option<WordSplitter>,
}

/// What an ASCII character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Steady,
    Divides,
    /// Anything else.
    Moving,
}

/// What is asked of characters that are not ASCII, beside that no rule changes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Asked {
    /// That they are no white space.
    not_blank: bool,
    /// That no normalization form changes them.
    inert: bool,
}

impl Spaced {
    /// The way of a pipeline that normalizes as SentencePiece does, and whose model sees the text as one word.
    pub(super) fn of_text(splitter: &WordSplitter, model: &Model) -> Option<Self> {
        let may = splitter.pre_tokenizer().is_none()
            && model.vocab().id_limit() <= marks::FREE
            && model.as_unigram().is_some_and(parts_before_marks);
        let steps: Vec<_> = splitter.normalizer().filter(|_| may)?.steps().collect();
        let (later, prefix) = match &steps[..] {
            [Normalizer::SentencePiece(normalizer)] => return Self::of_sentencepiece(normalizer.settings()),
            [replace] if is_mark(replace) => (*replace, false),
            [Normalizer::Prepend(prefix), replace] if is_mark(replace) && prefix == SPACE => (*replace, true),
            _ => return None,
        };
        let later = Some(WordSplitter::new(Some(later.clone()), None).ok()?);
        Some(Self { prefix, later, ..Self::new(None, |_| false, Asked::default())? })
    }

    fn of_sentencepiece(settings: &SentencePieceSettings) -> Option<Self> {
        let joins = settings.remove_extra_whitespaces;
        let later = SentencePieceSettings { add_dummy_prefix: joins, ..settings.clone() };
        let later = Normalizer::SentencePiece(SentencePiece::new(later).ok()?);
        let spaced = Self {
            joins,
            prefix: settings.add_dummy_prefix,
            later: Some(WordSplitter::new(Some(later), None).ok()?),
            ..Self::new(settings.rules.clone(), |_| false, Asked::default())?
        };
        let divides = |byte: u8| spaced.kind(byte) == Some(Kind::Divides);
        let has_divider = settings.user_defined_symbols.iter().flat_map(|symbol| symbol.bytes()).any(divides);
        let may = settings.escape_whitespaces && !settings.treat_whitespace_as_suffix && !has_divider;
        may.then_some(spaced)
    }

    /// The way of a pipeline that splits before marks.
    pub(super) fn of_words(splitter: &WordSplitter) -> Option<Self> {
        let steps: Vec<_> = splitter.pre_tokenizer()?.steps().collect();
        let (metaspace, splits) = match &steps[..] {
            [PreTokenizer::Metaspace(metaspace)] => (metaspace, false),
            [PreTokenizer::WhitespaceSplit, PreTokenizer::Metaspace(metaspace)] => (metaspace, true),
            _ => return None,
        };
        let (mut rules, mut asked, mut is_plain, mut joins) = (None, Asked::default(), true, splits);
        for step in splitter.normalizer().into_iter().flat_map(Normalizer::steps) {
            match step {
                Normalizer::Precompiled(precompiled) if rules.is_none() => rules = Some(precompiled.clone()),
                Normalizer::Strip(Strip { left: false, .. }) => asked.not_blank = true,
                Normalizer::Replace { pattern, content } if pattern.is_regex() && pattern.source() == " {2,}" => {
                    if content != " " && content != SPACE {
                        return None;
                    }
                    joins = true;
                }
                Normalizer::Replace { pattern, content } if !pattern.is_regex() => {
                    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
                    if !is_word(pattern.source()) || !is_word(content) {
                        return None;
                    }
                    is_plain = false;
                }
                Normalizer::Form(_) | Normalizer::Lowercase | Normalizer::StripAccents => {
                    (is_plain, asked) = (false, Asked { not_blank: true, inert: true });
                }
                _ => return None,
            }
        }
        let Metaspace { replacement, prepend_scheme, split } = *metaspace;
        if !SPACE.chars().eq([replacement]) || !split {
            return None;
        }
        let is_blank = |byte: u8| splits && class(char::from(byte)).is_whitespace();
        Some(Self {
            is_plain,
            joins,
            prefix: prepend_scheme != PrependScheme::Never,
            only_first: prepend_scheme == PrependScheme::First,
            ..Self::new(rules, is_blank, asked)?
        })
    }

    /// Cuts where characters stand that are `blank` or become a space by the rules; `None` if that is not enough to tell.
    fn new(rules: Option<Precompiled>, is_blank: impl Fn(u8) -> bool, asked: Asked) -> Option<Self> {
        let active = match &rules {
            Some(rules) => Some(rules.active()?),
            None => None,
        };
        let kind = |byte: u8| {
            let is_active = active.is_some_and(|active| active.contains(char::from(byte)));
            let becomes_space = match &rules {
                Some(rules) if is_active => rules.becomes(byte, " "),
                _ => byte == b' ' || is_blank(byte),
            };
            match () {
                () if becomes_space && !rules.as_ref().is_some_and(|rules| rules.joins(byte)) => Kind::Divides,
                () if is_active || asked.not_blank && !byte.is_ascii_graphic() => Kind::Moving,
                () => Kind::Steady,
            }
        };
        let ascii: [Kind; 128] = std::array::from_fn(|byte| kind(u8::try_from(byte).unwrap_or_default()));
        let bits = |kind: &Kind| match kind {
            Kind::Steady => 0,
            Kind::Divides => 1,
            Kind::Moving => 2,
        };
        let classifier = Classifier::new(std::array::from_fn(|byte| ascii.get(byte).map_or(0, bits)));
        // A space that something else becomes of is none.
        let is_plain = active.is_none_or(|active| !active.contains(' '));
        let (joins, prefix, only_first, later) = (false, false, false, None);
        let spaced = Self { classifier, ascii, rules, asked, is_plain, joins, prefix, only_first, later };
        (is_plain && spaced.kind(b' ') == Some(Kind::Divides)).then_some(spaced)
    }

    /// The same with the kernel of that name, if it runs here.
    pub(super) fn with_kernel(self, name: &str) -> Option<Self> {
        Some(Self { classifier: self.classifier.with_kernel(name)?, ..self })
    }

    /// What classifies the bytes of a text here.
    pub(super) fn kernel(&self) -> &'static str {
        self.classifier.name()
    }

    /// Whether the model sees the text as one word.
    pub(super) fn is_one_word(&self) -> bool {
        self.later.is_some()
    }

    /// What splits a chunk, if not what splits a text.
    pub(super) fn splitter(&self, begins: bool) -> Option<&WordSplitter> {
        self.later.as_ref().filter(|_| !begins)
    }

    /// The control characters that divide as a space does, a bit each.
    pub(super) fn spaces(&self) -> u32 {
        (0..32).filter(|&byte| self.ascii[byte] == Kind::Divides).fold(0, |spaces, byte| spaces | 1 << byte)
    }

    /// Whether a text may be cut at a byte, which is not the first.
    pub(super) fn may_cut(&self, text: &[u8], at: usize) -> bool {
        self.kind(text[at]) == Some(Kind::Divides) && self.is_steady(&text[..at])
    }

    /// Writes the word that a chunk is as the model sees it, if nothing changes but that; gives how many bytes the mark has more than
    /// what stood there, or nothing if a chunk that is `aligned` has no such number.
    pub(super) fn write(&self, chunk: &str, begins: bool, aligned: bool, room: &mut String) -> Option<u32> {
        let is_space = |byte: &u8| self.kind(*byte) == Some(Kind::Divides);
        let spaces = chunk.bytes().take_while(|byte| is_space(byte)).count();
        let has_mark = match spaces {
            0 => self.prefix && begins && !aligned,
            1 => !begins || !self.is_one_word(),
            _ => self.joins && !aligned && !begins,
        };
        if !self.is_plain || !has_mark && (spaces > 0 || self.prefix && begins) {
            return None;
        }
        let word = &chunk[spaces..];
        if word.is_empty() || !self.stays(word) {
            return None;
        }
        room.clear();
        room.push_str(if has_mark { SPACE } else { "" });
        room.push_str(word);
        Some(if has_mark { 2 } else { 0 })
    }

    /// Whether no character of a word changes, and none divides.
    fn stays(&self, word: &str) -> bool {
        let is_steady = |byte: u8| self.ascii.get(usize::from(byte)) == Some(&Kind::Steady);
        word.bytes().all(is_steady) || word.chars().all(|c| if c.is_ascii() { is_steady(c as u8) } else { self.is_still(c) })
    }

    /// Whether what stands before a cut has nothing to do with what stands behind.
    #[inline]
    fn is_steady(&self, before: &[u8]) -> bool {
        match before.last() {
            Some(byte) if byte.is_ascii() => self.kind(*byte) == Some(Kind::Steady),
            _ => last(before).is_some_and(|c| self.is_still(c)),
        }
    }

    /// Whether a character that is not ASCII stays as it is and is no mark.
    #[inline]
    fn is_still(&self, c: char) -> bool {
        const MOVES: Class = Class::COMBINING_MARK.union(Class::NONSPACING_MARK).union(Class::CONTROL);
        let Asked { not_blank, inert } = self.asked;
        let moves = |c| {
            let class = class(c);
            not_blank && class.is_whitespace()
                || inert && (class.intersects(MOVES) || !class.is_inert_nfkc() || !class.is_inert_nfkd())
        };
        c != '▁' && !self.active().is_some_and(|active| active.contains(c)) && !((not_blank || inert) && moves(c))
    }

    fn active(&self) -> Option<&CharSet> {
        self.rules.as_ref().and_then(Precompiled::active)
    }

    #[inline]
    fn kind(&self, byte: u8) -> Option<Kind> {
        self.ascii.get(usize::from(byte)).copied()
    }
}

impl Stretch for Spaced {
    /// A text that begins with white space is one word with what follows, but for the mark before it.
    fn first(&self, text: &str) -> usize {
        let begins = text.bytes().next().is_some_and(|byte| self.kind(byte) == Some(Kind::Divides));
        if !begins || !self.is_one_word() {
            return 0;
        }
        (1..text.len()).find(|&at| self.may_cut(text.as_bytes(), at)).unwrap_or(text.len())
    }

    #[inline]
    fn list(&self, text: &str, at: usize, list: &mut List) -> usize {
        let bytes = text.as_bytes();
        let rest = &bytes[at..];
        let (Masks { sets: [space, moving], high, .. }, length) = match rest.first_chunk::<BLOCK>() {
            Some(block) => (self.classifier.masks(block), BLOCK),
            None => {
                let mut block = [b'a'; BLOCK];
                block[..rest.len()].copy_from_slice(rest);
                (self.classifier.masks(&block), rest.len())
            }
        };
        let mut starts = space & !(space << 1) & !(moving << 1);
        // What stands before is not in the block, or is not ASCII.
        let mut unsure = starts & (high << 1 | 1);
        while unsure != 0 {
            let place = unsure.trailing_zeros();
            if at + place as usize == 0 || !self.is_steady(&bytes[..at + place as usize]) {
                starts &= !(1 << place);
            }
            unsure &= unsure - 1;
        }
        list.add_pieces(at, starts);
        if length == rest.len() {
            list.begin(bytes.len());
        }
        at + length
    }
}

/// The last character.
fn last(bytes: &[u8]) -> Option<char> {
    let starts = (bytes.len().saturating_sub(4)..bytes.len()).rev();
    starts.into_iter().find_map(|start| str::from_utf8(&bytes[start..]).ok()).and_then(|text| text.chars().next())
}

/// Whether words between which marks stand, each with one at its front, are encoded as by themselves, but for the sum of the scores
/// before them.
fn parts_before_marks(model: &Unigram) -> bool {
    let holds = |text: &str| text.chars().zip(text.chars().skip(1)).any(|(one, other)| one != '▁' && other == '▁');
    model.settings().precision == Precision::Float32
        && model.is_piece(SPACE)
        && !model.vocab().iter().any(|(text, _)| holds(text))
}
