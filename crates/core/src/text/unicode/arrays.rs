//! Arrays out of bytes in little-endian order, made when the core is compiled.
//!
//! So the look-ups know how long they are, and nothing is read when a program begins.

/// Returns `N` bytes from `start` on.
pub(super) const fn u8s<const N: usize>(bytes: &[u8], start: usize) -> [u8; N] {
    let mut items = [0; N];
    let mut at = 0;
    while at < N {
        items[at] = bytes[start + at];
        at += 1;
    }
    items
}

/// Returns `N` numbers of two bytes from byte `start` on.
pub(super) const fn u16s<const N: usize>(bytes: &[u8], start: usize) -> [u16; N] {
    let mut items = [0; N];
    let mut at = 0;
    while at < N {
        items[at] = u16::from_le_bytes(u8s(bytes, start + 2 * at));
        at += 1;
    }
    items
}

/// Returns `N` characters, of four bytes each, from byte `start` on.
pub(super) const fn chars<const N: usize>(bytes: &[u8], start: usize) -> [char; N] {
    let mut items = ['\0'; N];
    let mut at = 0;
    while at < N {
        items[at] = char::from_u32(u32::from_le_bytes(u8s(bytes, start + 4 * at))).expect("a scalar value");
        at += 1;
    }
    items
}
