//! Checks of UTF-8 in bytes.

use piecework_core::Error;

/// Returns the text of bytes; invalid UTF-8 is an error.
pub(crate) fn checked(bytes: &[u8]) -> Result<&str, Error> {
    simdutf8::compat::from_utf8(bytes).map_err(|error| {
        let byte = error.valid_up_to();
        Error::Bytes { byte, value: bytes[byte] }
    })
}
