//! UTF-8 that comes as bytes, checked before it is used as text.

use piecework_core::Error;

/// The text that bytes are.
pub(crate) fn checked(bytes: &[u8]) -> Result<&str, Error> {
    simdutf8::compat::from_utf8(bytes).map_err(|error| {
        let byte = error.valid_up_to();
        Error::Bytes { byte, value: bytes[byte] }
    })
}
