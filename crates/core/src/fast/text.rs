//! Lines of a text, and characters at its edges.

/// Returns the byte after the end of the line that holds the byte at `start`.
pub(super) fn line_end(text: &[u8], start: usize) -> usize {
    memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |length| start + length + 1)
}

/// Returns the first character, if it is whole.
pub(super) fn first(bytes: &[u8]) -> Option<char> {
    (1..=bytes.len().min(4)).find_map(|end| str::from_utf8(&bytes[..end]).ok()).and_then(|text| text.chars().next())
}

/// Returns the last character, if it is whole.
pub(super) fn last(bytes: &[u8]) -> Option<char> {
    let bytes = &bytes[bytes.len().saturating_sub(4)..];
    let start = bytes.iter().rposition(|byte| byte & 0xC0 != 0x80)?;
    str::from_utf8(&bytes[start..]).ok()?.chars().next()
}

/// Returns the characters that begin with a byte, if it is ASCII or the first of two or three bytes.
pub(super) fn characters_of(byte: u8) -> impl Iterator<Item = char> {
    let first = u32::from(byte);
    match byte {
        0..=0x7F => first..first + 1,
        0xC2..=0xDF => (first & 0x1F) << 6..((first & 0x1F) + 1) << 6,
        0xE1..=0xEF => (first & 0xF) << 12..((first & 0xF) + 1) << 12,
        _ => 0..0,
    }
    .filter_map(char::from_u32)
}
