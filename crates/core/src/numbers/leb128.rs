//! LEB128: a number as seven bits a byte, the lowest first; the highest bit of a byte says that another follows.

use std::io::{self, Read, Write};

/// Writes a number.
pub(crate) fn write(out: &mut impl Write, mut number: u64) -> io::Result<()> {
    let mut bytes = [0; 10];
    let mut length = 0;
    loop {
        let more = number >= 0x80;
        bytes[length] = (number & 0x7f) as u8 | u8::from(more) << 7;
        length += 1;
        number >>= 7;
        if !more {
            return out.write_all(&bytes[..length]);
        }
    }
}

/// Returns the number of bytes that a number is written in.
pub(crate) fn length(number: u64) -> usize {
    (number | 1).ilog2() as usize / 7 + 1
}

/// Reads a number; `None` if it has more than 64 bits.
pub(crate) fn read(input: &mut impl Read) -> io::Result<Option<u64>> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        input.read_exact(&mut byte)?;
        number |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(Some(number));
        }
    }
    Ok(None)
}
