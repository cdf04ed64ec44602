//! Cleaning up: spaces that splitting put before punctuation and English contractions are taken out again.

use std::borrow::Cow;

use super::replaced;

/// What is replaced by what, in this order.
pub(super) const CLEANUP: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

/// The text with all of these replaced.
pub(super) fn cleaned(text: Cow<'_, str>) -> Cow<'_, str> {
    if is_clean(&text) {
        return text;
    }
    CLEANUP.iter().fold(text, |text, (found, by)| replaced(text, found, by))
}

/// Whether nothing will be found, told by the two characters that each begins with.
pub(super) fn is_clean(text: &str) -> bool {
    let begins = |pair: &[u8]| pair[0] == b' ' && matches!(pair[1], b'.' | b'?' | b'!' | b',' | b'\'' | b'n' | b'd');
    !text.as_bytes().windows(2).any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_replacement_makes_the_next_ones_find() {
        assert_eq!(cleaned(Cow::Borrowed("it ' s  . do not")), "it's . don't");
        assert_eq!(cleaned(Cow::Borrowed("  ' s")), " 's".replace(" 's", "'s"));
        assert!(CLEANUP.iter().all(|(found, _)| !is_clean(found)));
        assert!(is_clean("a b.c"));
    }
}
