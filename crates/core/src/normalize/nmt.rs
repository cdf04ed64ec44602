//! The clean-up of neural machine translation, equal to SentencePiece's `nmt` rules.

use super::{Normalized, strip};

pub(super) fn normalize(text: &mut Normalized, spare: &mut Normalized) {
    strip::filter(text, spare, |c| !is_dropped(c));
    strip::map(text, spare, |c| if is_space(c) { ' ' } else { c });
}

fn is_dropped(c: char) -> bool {
    matches!(c, '\u{1}'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1F}' | '\u{7F}' | '\u{8F}' | '\u{9F}')
}

fn is_space(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{C}' | '\r' | '\u{1680}' | '\u{200B}'
            ..='\u{200F}' | '\u{2028}' | '\u{2029}' | '\u{2581}' | '\u{FEFF}' | '\u{FFFD}'
    )
}
