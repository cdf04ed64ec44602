//! Changes of finished encodings, each of which returns a new one.

use super::pad::check_length;
use super::truncate::{Truncation, TruncationStrategy, check_combined};
use super::{Direction, Encoding, NamedToken};
use crate::error::Result;

impl Encoding {
    /// Returns the first `max_length` tokens (or the last), and the rest as overflowing windows that share `stride` tokens.
    ///
    /// ```
    /// use piecework_core::encoding::{Direction, Encoding};
    /// use piecework_core::format::format_named;
    /// use piecework_core::pipeline::{Input, Options, Scratch};
    ///
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\na\nb\nc\n")?;
    /// let encoding = tokenizer.encode(Input::Text("a b c"), None, &Options::default(), &mut Scratch::default())?;
    /// let short = encoding.truncated(2, 1, Direction::Right)?;
    /// assert_eq!((short.ids, short.overflowing[0].ids.as_slice()), (vec![1, 2], &[2, 3][..]));
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn truncated(mut self, max_length: usize, stride: usize, direction: Direction) -> Result<Self> {
        let truncation = Truncation { max_length, stride, strategy: TruncationStrategy::LongestFirst, direction };
        truncation.truncate(&mut self, Some(max_length), true)?;
        Ok(self)
    }

    /// Returns the encoding and its overflowing windows, padded to `length` tokens.
    ///
    /// ```
    /// use piecework_core::encoding::{Direction, Encoding, NamedToken};
    ///
    /// let padded = Encoding::default().padded(2, &NamedToken::new("[PAD]", 7), 0, Direction::Right)?;
    /// assert_eq!((padded.ids, padded.attention_mask), (vec![7, 7], vec![0, 0]));
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn padded(mut self, length: usize, token: &NamedToken, type_id: u32, direction: Direction) -> Result<Self> {
        check_length(length)?;
        self.pad(length, token, type_id, direction);
        Ok(self)
    }

    /// Returns an error if the overflowing parts of encodings, combined with each other by [`Self::merged`], have too many tokens.
    pub fn check_merged(encodings: &[Self]) -> Result<()> {
        check_combined(&encodings.iter().map(Self::part_sizes).collect::<Vec<_>>())
    }

    /// Returns the concatenation of encodings; with `growing_offsets` the spans of each count from the end of the last.
    ///
    /// ```
    /// use piecework_core::encoding::Encoding;
    /// use piecework_core::text::span::Span;
    ///
    /// let token = Encoding { ids: vec![1], spans: vec![Span::new(0, 2)], ..Encoding::default() };
    /// let both = Encoding::merged(vec![token.clone(), token], true);
    /// assert_eq!((both.ids, both.spans[1]), (vec![1, 1], Span::new(2, 4)));
    /// ```
    #[must_use]
    pub fn merged(encodings: Vec<Self>, growing_offsets: bool) -> Self {
        encodings.into_iter().fold(Self::default(), |mut all, encoding| {
            all.append(encoding, growing_offsets);
            all
        })
    }

    /// Returns the encoding with all its tokens assigned to the text with the index `sequence`.
    ///
    /// ```
    /// use piecework_core::encoding::Encoding;
    ///
    /// let second = Encoding { ids: vec![1], ..Encoding::default() }.with_sequence(1);
    /// assert_eq!(second.token_to_sequence(0), Some(1));
    /// ```
    #[must_use]
    pub fn with_sequence(mut self, sequence: usize) -> Self {
        self.set_sequence(sequence);
        self
    }
}
