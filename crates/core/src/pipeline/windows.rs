//! The parts of a text that truncation cuts off, each made when it is asked for: where they share most of their tokens, all of
//! them together are a thousand times as long as the text.

use std::ops::Range;

use super::encode::Inputs;
use super::{Input, Options, Scratch, Tokenizer};
use crate::encoding::Encoding;
use crate::error::Result;

/// The tokens of a text before post-processing, and the ranges that truncation makes of them.
#[derive(Debug)]
pub struct Windows {
    whole: Encoding,
    /// The range that is kept.
    first: Range<usize>,
    /// The ranges that are cut off, which overlap.
    others: Vec<Range<usize>>,
}

impl Windows {
    /// Returns the number of parts that are cut off.
    #[must_use]
    pub fn len(&self) -> usize {
        self.others.len()
    }

    /// Whether nothing is cut off.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.others.is_empty()
    }
}

impl Tokenizer {
    /// Returns the windows of a text; `None` without truncation, and if the post-processor repeats the text, so that parts are
    /// combined with each other.
    ///
    /// ```
    /// use piecework_core::encoding::Direction;
    /// use piecework_core::encoding::truncate::{Truncation, TruncationStrategy};
    /// use piecework_core::format::format_named;
    /// use piecework_core::pipeline::{Input, Options, Scratch};
    ///
    /// let strategy = TruncationStrategy::LongestFirst;
    /// let truncation = Truncation { max_length: 2, stride: 1, strategy, direction: Direction::Right };
    /// let options = Options { truncation: Some(truncation), ..Options::default() };
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\na\nb\nc\n")?;
    /// let text = Input::Text("a b c c");
    /// let windows = tokenizer.windows(text, &options, &mut Scratch::default())?.unwrap();
    /// assert_eq!(windows.len(), 2);
    /// assert_eq!(tokenizer.window(&windows, 0, text, &options)?.ids, [2, 3]);
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn windows(&self, text: Input<'_>, options: &Options, scratch: &mut Scratch) -> Result<Option<Windows>> {
        let texts = self.text_count(false, options)?;
        let Some(truncation) = options.truncation.as_ref().filter(|_| texts == 1) else { return Ok(None) };
        self.begin(options, scratch);
        let whole = self.encode_input(text, 0, options, scratch)?;
        let (length, _) = truncation.kept(whole.len(), None, self.added_tokens(false, options))?;
        let first = truncation.kept_range(whole.len(), length)?;
        let others = truncation.cut_off(whole.len(), length);
        Ok(Some(Windows { whole, first, others }))
    }

    /// Returns the part with a number, from 0, post-processed and padded as beside the part that is kept.
    pub fn window(&self, windows: &Windows, number: usize, text: Input<'_>, options: &Options) -> Result<Encoding> {
        let mut first = windows.whole.slice(windows.first.clone());
        first.overflowing.push(windows.whole.slice(windows.others[number].clone()));
        let texts = Inputs { tokenizer: self, inputs: [text, Input::Text("")] };
        let mut encoding = self.post_process(vec![first], &texts, options)?;
        if let Some(padding) = &options.padding {
            padding.pad(&mut encoding)?;
        }
        Ok(encoding.overflowing.pop().unwrap_or_default())
    }
}
