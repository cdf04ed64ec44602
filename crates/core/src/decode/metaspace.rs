//! The Metaspace decoder.

use super::{Parts, replaced};
use crate::settings::{Metaspace, PrependScheme};

/// Replaces the metaspace with a space. In the first token it is removed, unless the scheme is `never`.
pub(super) fn decode_chain<'a>(metaspace: &Metaspace, parts: Parts<'a>) -> Parts<'a> {
    let mut buffer = [0; 4];
    let replacement = &*metaspace.replacement.encode_utf8(&mut buffer);
    let prepended = metaspace.prepend_scheme != PrependScheme::Never;
    let by = |place| if place == 0 && prepended { "" } else { " " };
    parts.into_iter().enumerate().map(|(place, part)| replaced(part, replacement, by(place))).collect()
}
