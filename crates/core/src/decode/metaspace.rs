//! The character that stands for a space, back to a space.

use super::{Parts, replaced};
use crate::settings::{Metaspace, PrependScheme};

/// Makes spaces of the character that stands for them. Unless it is never prepended, the first token loses it wherever
/// it stands in it.
pub(super) fn decode_chain<'a>(metaspace: &Metaspace, parts: Parts<'a>) -> Parts<'a> {
    let mut buffer = [0; 4];
    let replacement = &*metaspace.replacement.encode_utf8(&mut buffer);
    let prepended = metaspace.prepend_scheme != PrependScheme::Never;
    let by = |place| if place == 0 && prepended { "" } else { " " };
    parts.into_iter().enumerate().map(|(place, part)| replaced(part, replacement, by(place))).collect()
}
