//! The protocol buffer wire format: all fields in their order, known or not.
//!
//! Generated messages would drop unknown fields and reorder the others. A model that is read and written back must keep
//! every byte, so fields stay as they were.

use crate::error::{Error, Place, Result};
use crate::numbers::leb128;

/// A field: its number and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field<'a> {
    pub(super) number: u64,
    pub(super) value: WireValue<'a>,
}

/// The value of a field, by wire type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WireValue<'a> {
    /// An integer, a bool or an enum.
    Varint(u64),
    /// Eight bytes.
    Fixed64([u8; 8]),
    /// A string, bytes or a message.
    Bytes(&'a [u8]),
    /// Four bytes, such as a float.
    Fixed32([u8; 4]),
}

/// Returns the fields of the message `name`.
pub(super) fn fields<'a>(name: &'static str, bytes: &'a [u8]) -> impl Iterator<Item = Result<Field<'a>>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let at = bytes.len() - rest.len();
        let field = take_field(&mut rest);
        if field.is_none() {
            rest = &[];
        }
        Some(field.ok_or_else(|| Error::Format {
            at: Place::Field(name),
            message: format!("not a protocol buffer, or cut short, at byte {at} of {}", bytes.len()).into(),
        }))
    })
}

fn take_field<'a>(rest: &mut &'a [u8]) -> Option<Field<'a>> {
    let key = take_varint(rest)?;
    let value = match key & 7 {
        0 => WireValue::Varint(take_varint(rest)?),
        1 => WireValue::Fixed64(*take_chunk(rest)?),
        2 => {
            let length = usize::try_from(take_varint(rest)?).ok()?;
            let (bytes, after) = rest.split_at_checked(length)?;
            *rest = after;
            WireValue::Bytes(bytes)
        }
        5 => WireValue::Fixed32(*take_chunk(rest)?),
        _ => return None,
    };
    Some(Field { number: key >> 3, value })
}

fn take_chunk<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (chunk, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(chunk)
}

/// Reads a varint; `None` if there is no whole one.
pub(super) fn take_varint(rest: &mut &[u8]) -> Option<u64> {
    leb128::read(rest).ok().flatten()
}

/// Appends a field.
pub(super) fn put(to: &mut Vec<u8>, Field { number, value }: Field<'_>) {
    let key = |kind| number << 3 | kind;
    match value {
        WireValue::Varint(value) => {
            put_varint(to, key(0));
            put_varint(to, value);
        }
        WireValue::Fixed64(bytes) => {
            put_varint(to, key(1));
            to.extend(bytes);
        }
        WireValue::Bytes(bytes) => {
            put_varint(to, key(2));
            put_varint(to, bytes.len() as u64);
            to.extend(bytes);
        }
        WireValue::Fixed32(bytes) => {
            put_varint(to, key(5));
            to.extend(bytes);
        }
    }
}

fn put_varint(to: &mut Vec<u8>, value: u64) {
    leb128::write(to, value).expect("a vector takes all bytes");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_round_trip() {
        let all = [
            Field { number: 1, value: WireValue::Varint(u64::MAX) },
            Field { number: 300, value: WireValue::Fixed64([1; 8]) },
            Field { number: 2, value: WireValue::Bytes(b"text") },
            Field { number: 1, value: WireValue::Fixed32([9; 4]) },
        ];
        let mut bytes = Vec::new();
        all.iter().for_each(|&field| put(&mut bytes, field));
        assert_eq!(fields("m", &bytes).collect::<Result<Vec<_>>>().unwrap(), all);
    }

    #[test]
    fn truncated_or_unknown_fields_are_errors() {
        for bytes in
            [&b"\x0a"[..], b"\x0a\x05ab", b"\x0b", b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", b"\x0d\0"]
        {
            let all: Vec<Result<Field<'_>>> = fields("m", bytes).collect();
            assert!(all.last().unwrap().is_err() && all.len() == 1, "{bytes:?}");
        }
    }
}
