//! Files of lines: numbered lines, and errors that name the line.

use crate::error::{Error, Message, Place, Result};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the error for line `number`.
pub(super) fn error(number: usize, message: impl Into<Message>) -> Error {
    Error::Format { at: Place::Line(number), message: message.into() }
}

/// Returns the lines of `bytes` with their numbers, from 1; the last line end may be missing.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let count = if bytes.is_empty() { 0 } else { usize::MAX };
    (1..).zip(bytes.split(|&byte| byte == b'\n').take(count))
}

/// Returns a line as text; invalid UTF-8 is an error.
pub(super) fn text(number: usize, line: &[u8]) -> Result<&str> {
    std::str::from_utf8(line)
        .map_err(|broken| error(number, format!("invalid UTF-8 at byte {} of the line", broken.valid_up_to())))
}

/// Returns a line as text, without the carriage return of files from Windows.
pub(super) fn plain_text(number: usize, line: &[u8]) -> Result<&str> {
    text(number, line.strip_suffix(b"\r").unwrap_or(line))
}

/// Refuses a byte order mark, which would be read as text.
pub(super) fn refuse_byte_order_mark(bytes: &[u8]) -> Result<()> {
    if !bytes.starts_with(BYTE_ORDER_MARK) {
        return Ok(());
    }
    let message = Message::new("the file begins with a byte order mark, which would be part of the first token");
    Err(error(1, message.hint("save it without (plain UTF-8)")))
}
