//! An encoding with offsets in characters, and the parts that truncation cut off.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use piecework_core::Error;
use piecework_core::encoding::{self, NONE};
use piecework_core::memory::with_room;
use piecework_core::pipeline::{self, Scratch, Windows};
use piecework_core::text::span::Span;

use crate::call::Call;
use crate::char_map::CharMaps;
use crate::input::InputRow;

/// An encoding with its offsets in characters and its overflowing parts.
pub(crate) struct AlignedEncoding {
    pub(crate) encoding: encoding::Encoding,
    pub(crate) offsets: Vec<(u32, u32)>,
    pub(crate) names: Names,
    /// The parts that truncation cut off, computed on first access: they are rarely used, and can be large.
    overflowing: OnceLock<Vec<Arc<Self>>>,
    /// The tokens that the parts are made of, and the maps of the text; `None` if parts are combined with each other.
    windows: OnceLock<Option<Box<(Windows, CharMaps)>>>,
    input: Option<TruncatedInput>,
    /// See [`Self::ascending`].
    ascending: OnceLock<[Ascending; 2]>,
}

/// The tokens of a text without those at its ends that have no characters, or no word, if the others are in ascending order,
/// so that they can be bisected.
struct Ascending {
    offsets: Option<Range<usize>>,
    words: Option<Range<usize>>,
}

/// Returns a range of places without those at its ends that are not `wanted`.
fn trimmed(range: Range<usize>, wanted: impl Fn(usize) -> bool) -> Range<usize> {
    let start = range.clone().find(|&place| wanted(place)).unwrap_or(range.end);
    let end = (start..range.end).rev().find(|&place| wanted(place)).map_or(start, |place| place + 1);
    start..end
}

/// The input and settings with which a text is encoded again.
pub(crate) struct TruncatedInput {
    row: InputRow,
    options: pipeline::Options,
    tokenizer: Arc<pipeline::Tokenizer>,
    /// Whether the encoding has tokens, words and offsets.
    columns: bool,
}

impl PartialEq for TruncatedInput {
    fn eq(&self, other: &Self) -> bool {
        let same = self.row == other.row && self.options == other.options && self.columns == other.columns;
        same && Arc::ptr_eq(&self.tokenizer, &other.tokenizer)
    }
}

impl TruncatedInput {
    /// Takes a row of a call, with the options of this row.
    pub(crate) fn new(call: Call<'_>, row: InputRow, options: pipeline::Options) -> Self {
        Self { row, options, tokenizer: Arc::clone(call.tokenizer), columns: call.columns }
    }

    /// Returns what the overflowing parts are made of; `None` if they are combined with each other.
    fn windows(&self) -> Result<Option<Windows>, Error> {
        let Self { row, options, tokenizer, .. } = self;
        row.with_inputs(|text, pair| match pair {
            Some(_) => Ok(None),
            None => tokenizer.windows(text, options, &mut Scratch::default()),
        })
    }

    /// Returns an overflowing part.
    fn part(&self, windows: &Windows, number: usize, maps: &CharMaps) -> Result<AlignedEncoding, Error> {
        let Self { row, options, tokenizer, columns } = self;
        let part = row.with_inputs(|text, _| tokenizer.window(windows, number, text, options))?;
        let part = if *columns { part } else { without_text(part) };
        Ok(AlignedEncoding::new(part, maps, tokenizer, None))
    }

    /// Returns the overflowing parts.
    fn overflowing(&self) -> Result<Vec<Arc<AlignedEncoding>>, Error> {
        let Self { row, options, tokenizer, columns } = self;
        let options = pipeline::Options { overflow: true, ..options.clone() };
        let encoded = row.with_inputs(|text, pair| tokenizer.encode(text, pair, &options, &mut Scratch::default()))?;
        let encoded = if *columns { encoded } else { without_text(encoded) };
        Ok(AlignedEncoding::parts(encoded.overflowing, &row.maps(), tokenizer))
    }
}

/// The names of the tokens.
pub(crate) enum Names {
    /// The vocabulary of this tokenizer.
    Of(Arc<pipeline::Tokenizer>),
    /// The names in the order of the tokens, of an encoding without a tokenizer.
    Listed(Vec<String>),
}

impl PartialEq for AlignedEncoding {
    fn eq(&self, other: &Self) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        let same = self.encoding == other.encoding && self.offsets == other.offsets;
        // Equal inputs have equal overflowing parts; otherwise the parts are compared.
        let overflows =
            || matches!((self.overflowing(), other.overflowing()), (Ok(ours), Ok(theirs)) if ours == theirs);
        same && ((self.input.is_some() && self.input == other.input) || overflows())
    }
}

impl AlignedEncoding {
    /// Returns an encoding; `input` is its input if anything was cut off.
    pub(crate) fn new(
        mut encoding: encoding::Encoding,
        maps: &CharMaps,
        tokenizer: &Arc<pipeline::Tokenizer>,
        input: Option<TruncatedInput>,
    ) -> Self {
        // The input replaces this flag, and a pickle has no input.
        encoding.is_truncated = false;
        let offsets = maps.characters(&encoding).collect();
        Self::with_offsets(encoding, offsets, tokenizer, input)
    }

    /// Sets the input of which the encoding is a part.
    pub(crate) fn set_input(&mut self, input: TruncatedInput) {
        self.input = Some(input);
    }

    /// Returns an encoding whose offsets in characters are known.
    pub(crate) fn with_offsets(
        encoding: encoding::Encoding,
        offsets: Vec<(u32, u32)>,
        tokenizer: &Arc<pipeline::Tokenizer>,
        input: Option<TruncatedInput>,
    ) -> Self {
        Self::alone(encoding, offsets, Names::Of(Arc::clone(tokenizer)), input)
    }

    /// Returns an encoding whose overflowing parts are made of its input, if it has any.
    fn alone(
        encoding: encoding::Encoding,
        offsets: Vec<(u32, u32)>,
        names: Names,
        input: Option<TruncatedInput>,
    ) -> Self {
        let (overflowing, windows, ascending) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { encoding, offsets, names, overflowing, windows, input, ascending }
    }

    /// Returns an encoding of columns that were changed after they were made.
    pub(crate) fn of_columns(
        encoding: encoding::Encoding,
        offsets: Vec<(u32, u32)>,
        names: Names,
        overflowing: Vec<Arc<Self>>,
    ) -> Self {
        Self { overflowing: overflowing.into(), ..Self::alone(encoding, offsets, names, None) }
    }

    /// Returns the names of the tokens.
    pub(crate) fn tokens(&self) -> Vec<&str> {
        let mut tokens: Vec<&str> = with_room(self.encoding.len());
        match &self.names {
            Names::Of(tokenizer) => {
                tokens.extend(self.encoding.ids.iter().map(|&id| tokenizer.token(id).unwrap_or_default()));
            }
            Names::Listed(names) => tokens.extend(names.iter().map(String::as_str)),
        }
        for (place, name) in &self.encoding.renamed {
            tokens[*place] = name;
        }
        tokens
    }

    /// Returns overflowing parts, with their own overflowing parts.
    fn parts(parts: Vec<encoding::Encoding>, maps: &CharMaps, tokenizer: &Arc<pipeline::Tokenizer>) -> Vec<Arc<Self>> {
        let whole = |mut part: encoding::Encoding| {
            let more = std::mem::take(&mut part.overflowing);
            let aligned = Self::new(part, maps, tokenizer, None);
            Arc::new(Self { overflowing: OnceLock::from(Self::parts(more, maps, tokenizer)), ..aligned })
        };
        parts.into_iter().map(whole).collect()
    }

    /// Returns the parts that truncation cut off.
    pub(crate) fn overflowing(&self) -> Result<&[Arc<Self>], Error> {
        if let Some(done) = self.overflowing.get() {
            return Ok(done);
        }
        let parts = self.input.as_ref().map_or(Ok(Vec::new()), TruncatedInput::overflowing)?;
        Ok(self.overflowing.get_or_init(|| parts))
    }

    /// Returns the number of parts that truncation cut off.
    pub(crate) fn part_count(&self) -> Result<usize, Error> {
        match self.windows()? {
            Some((windows, _)) => Ok(windows.len()),
            None => self.overflowing().map(<[_]>::len),
        }
    }

    /// Returns a part that truncation cut off.
    pub(crate) fn part(&self, number: usize) -> Result<Arc<Self>, Error> {
        match (self.windows()?, &self.input) {
            (Some((windows, maps)), Some(input)) => input.part(windows, number, maps).map(Arc::new),
            _ => self.overflowing().map(|parts| Arc::clone(&parts[number])),
        }
    }

    /// Returns what the parts are made of one by one; `None` if they are there, or combined with each other.
    fn windows(&self) -> Result<Option<&(Windows, CharMaps)>, Error> {
        let Some(input) = self.input.as_ref().filter(|_| self.overflowing.get().is_none()) else { return Ok(None) };
        if self.windows.get().is_none() {
            let windows = input.windows()?;
            self.windows.get_or_init(|| windows.map(|windows| Box::new((windows, input.row.maps()))));
        }
        Ok(self.windows.get().and_then(Option::as_deref))
    }

    /// Returns the index of the token that contains a character of text `sequence`.
    pub(crate) fn char_to_token(&self, character: u32, sequence: usize) -> Option<usize> {
        let contains = |&place: &usize| {
            let (start, end) = self.offsets[place];
            start <= character && character < end
        };
        match self.ascending(sequence).and_then(|ascending| ascending.offsets.clone()) {
            Some(range) => {
                let before = self.offsets[range.clone()].partition_point(|&(_, end)| end <= character);
                Some(range.start + before).filter(|place| range.contains(place) && contains(place))
            }
            None => self.encoding.sequence(sequence).find(contains),
        }
    }

    /// Returns the tokens of a word of text `sequence`.
    pub(crate) fn word_to_tokens(&self, word: u32, sequence: usize) -> Option<Range<usize>> {
        let Some(range) = self.ascending(sequence).and_then(|ascending| ascending.words.clone()) else {
            return self.encoding.word_to_tokens(word, sequence);
        };
        let words = &self.encoding.word_ids[range.clone()];
        let [first, end] =
            [words.partition_point(|&other| other < word), words.partition_point(|&other| other <= word)];
        (first < end).then(|| range.start + first..range.start + end)
    }

    /// Returns the columns of a text that can be bisected; `None` for a number that no text has.
    fn ascending(&self, sequence: usize) -> Option<&Ascending> {
        let all = self.ascending.get_or_init(|| {
            [0, 1].map(|sequence| {
                let range = self.encoding.sequence(sequence);
                let words = &self.encoding.word_ids;
                let is_sorted = |one: &(u32, u32), next: &(u32, u32)| one.0 <= next.0 && one.1 <= next.1;
                let of_offsets = trimmed(range.clone(), |place| self.offsets[place].0 < self.offsets[place].1);
                let of_words = trimmed(range, |place| words[place] != NONE);
                Ascending {
                    offsets: Some(of_offsets).filter(|range| self.offsets[range.clone()].is_sorted_by(is_sorted)),
                    words: Some(of_words).filter(|range| words[range.clone()].is_sorted()),
                }
            })
        });
        all.get(sequence)
    }

    /// Returns the word of a token, or `None` for a token that is not from a text.
    pub(crate) fn token_to_word(&self, place: usize) -> Option<u32> {
        self.encoding.token_to_sequence(place).and_then(|_| self.encoding.token_to_word(place))
    }
}

/// Returns an encoding with ids and masks alone: offsets are 0, and tokens of the text have no name and no word.
pub(crate) fn without_text(mut encoding: encoding::Encoding) -> encoding::Encoding {
    encoding.spans.fill(Span::default());
    encoding.word_ids.fill(NONE);
    let mut named = std::mem::take(&mut encoding.renamed).into_iter().peekable();
    for (place, is_special) in encoding.special_tokens_mask.iter().enumerate() {
        let name = named.next_if(|(at, _)| *at == place);
        if *is_special == 0 {
            encoding.renamed.push((place, String::new()));
        } else {
            encoding.renamed.extend(name);
        }
    }
    // No text means offsets of 0 in characters, too.
    encoding.texts.fill(NONE);
    let parts = std::mem::take(&mut encoding.overflowing);
    encoding.overflowing = parts.into_iter().map(without_text).collect();
    encoding
}
