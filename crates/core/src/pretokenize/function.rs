//! Splits text by a function of the caller.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Message, Result};
use crate::text::span::Span;

/// The spans of the parts of a text, in bytes, from left to right.
type Parts = Result<Vec<Span>>;

/// A function as a pre-tokenizer; two are equal only if they are identical.
#[derive(Clone)]
pub struct Function {
    identity: usize,
    parts: Arc<dyn Fn(&str) -> Parts + Send + Sync>,
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl Eq for Function {}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function(..)")
    }
}

impl Function {
    /// Returns the function `parts`, whose parts must not overlap, and may omit text; `identity` identifies it.
    pub fn new(identity: usize, parts: impl Fn(&str) -> Parts + Send + Sync + 'static) -> Self {
        Self { identity, parts: Arc::new(parts) }
    }

    pub(super) fn split(&self, text: &str, each: &mut dyn FnMut(Span)) -> Result<()> {
        let mut end = 0;
        for span in (self.parts)(text)? {
            let range = span.range();
            if range.start < end || text.get(range.clone()).is_none() {
                return Err(Error::Config(
                    Message::new(format!(
                        "the pre-tokenizer function gave the bytes {}..{} after byte {end} of a text of {}",
                        range.start,
                        range.end,
                        text.len()
                    ))
                    .hint("parts must follow each other within the text"),
                ));
            }
            end = range.end;
            each(span);
        }
        Ok(())
    }
}
