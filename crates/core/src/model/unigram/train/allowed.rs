//! Decides which strings may be pieces (U10 of `spec/unigram.md`).

use std::collections::HashSet;

use super::UnigramTrainerConfig;
use super::segments::{Corpus, SPACE, Symbol};
use crate::text::unicode::{Script, script};

/// The properties of a character that matter for pieces.
#[derive(Clone, Copy)]
struct Class {
    /// Its script, or [`Script::ANY`] if it combines with any.
    script: Script,
    is_space: bool,
    is_digit: bool,
}

/// The properties of a string, updated character by character.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    length: usize,
    /// The script of its characters that have one.
    script: Script,
    /// Whether an excluded digit or a mix of scripts excludes this string and all longer ones from the pieces.
    is_barred: bool,
    /// The number of its `▁`, and of those that are not at its front.
    spaces: usize,
    inner_spaces: usize,
    ends_with_space: bool,
}

impl Shape {
    pub(super) const EMPTY: Self =
        Self { length: 0, script: Script::ANY, is_barred: false, spaces: 0, inner_spaces: 0, ends_with_space: false };

    pub(super) fn is_barred(&self) -> bool {
        self.is_barred
    }
}

/// Which substrings of words may become pieces.
pub(super) struct Rules<'a> {
    config: &'a UnigramTrainerConfig,
    classes: Vec<Class>,
    /// Reserved entries; whether one begins with a symbol.
    reserved: HashSet<Vec<Symbol>>,
    begins: Vec<bool>,
}

impl<'a> Rules<'a> {
    pub(super) fn new(config: &'a UnigramTrainerConfig, corpus: &Corpus) -> Self {
        let reserved: HashSet<Vec<Symbol>> =
            config.reserved().iter().filter_map(|entry| corpus.symbols_of(entry)).collect();
        let mut begins = vec![false; corpus.alphabet.len()];
        for entry in &reserved {
            begins[entry[0] as usize] = true;
        }
        let classes = corpus.alphabet.iter().map(|&(character, _)| class(character, config)).collect();
        Self { config, classes, reserved, begins }
    }

    /// Returns the shape of a string with one more character.
    pub(super) fn longer(&self, shape: Shape, symbol: Symbol) -> Shape {
        let class = self.classes[symbol as usize];
        let mixed = shape.script != Script::ANY && class.script != Script::ANY && shape.script != class.script;
        Shape {
            length: shape.length + 1,
            script: if class.script == Script::ANY { shape.script } else { class.script },
            is_barred: shape.is_barred
                || (mixed && self.config.split_by_unicode_script)
                || (class.is_digit && self.config.split_digits),
            spaces: shape.spaces + usize::from(class.is_space),
            inner_spaces: shape.inner_spaces + usize::from(class.is_space && shape.length > 0),
            ends_with_space: class.is_space,
        }
    }

    /// Returns whether a string of this shape, of two characters or more, may be a piece.
    pub(super) fn allow(&self, shape: &Shape, text: &[Symbol]) -> bool {
        !shape.is_barred
            && shape.length <= self.config.max_piece_length
            && self.spaces_fit(shape)
            && !(self.begins[text[0] as usize] && self.reserved.contains(text))
    }

    fn spaces_fit(&self, shape: &Shape) -> bool {
        let at_front = shape.spaces > shape.inner_spaces;
        (self.config.allow_whitespace_only_pieces && shape.spaces == shape.length)
            || match (self.config.split_by_whitespace, self.config.treat_whitespace_as_suffix) {
                (true, false) => shape.inner_spaces == 0,
                (true, true) => shape.spaces == usize::from(shape.ends_with_space),
                (false, false) => !shape.ends_with_space,
                (false, true) => !at_front,
            }
    }
}

fn class(character: char, config: &UnigramTrainerConfig) -> Class {
    /// A combining mark: its script (Inherited) is compatible with any script.
    const ACUTE: char = '\u{301}';
    let is_digit = matches!(character, '0'..='9' | '０'..='９');
    let is_space = character == SPACE;
    let goes_with_any = is_space || (is_digit && !config.split_by_number) || script(character) == script(ACUTE);
    Class { script: if goes_with_any { Script::ANY } else { script(character) }, is_space, is_digit }
}
