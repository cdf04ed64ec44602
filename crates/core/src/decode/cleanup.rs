//! Clean-up: removes spaces before punctuation and in English contractions.

use std::borrow::Cow;

use super::replaced;

/// The replacements, in order.
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

/// Returns the text after all replacements.
pub(super) fn cleaned(text: Cow<'_, str>) -> Cow<'_, str> {
    if is_clean(&text) {
        return text;
    }
    CLEANUP.iter().fold(text, |text, (found, by)| replaced(text, found, by))
}

/// Returns whether no replacement applies, by a test of two adjacent bytes.
pub(super) fn is_clean(text: &str) -> bool {
    let begins = |pair: &[u8]| pair[0] == b' ' && matches!(pair[1], b'.' | b'?' | b'!' | b',' | b'\'' | b'n' | b'd');
    !text.as_bytes().windows(2).any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_apply_in_order() {
        assert_eq!(cleaned(Cow::Borrowed("it ' s  . do not")), "it's . don't");
        assert_eq!(cleaned(Cow::Borrowed("  ' s")), " 's".replace(" 's", "'s"));
        assert!(CLEANUP.iter().all(|(found, _)| !is_clean(found)));
        assert!(is_clean("a b.c"));
    }
}
