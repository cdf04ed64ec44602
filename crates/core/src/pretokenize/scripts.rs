//! Splits text where the script changes.

use crate::text::span::Span;
use crate::text::unicode::{Script, script};

/// Splits where the script changes; characters without a script, such as spaces, stay with the text before them.
///
/// Such characters at the beginning are dropped, as in `tokenizers`.
pub(super) fn split(text: &str, each: &mut dyn FnMut(Span)) {
    let mut open: Option<(usize, Script)> = None;
    for (at, c) in text.char_indices() {
        let script = script(c);
        if script == Script::ANY || open.is_some_and(|(_, last)| last == script) {
            continue;
        }
        if let Some((start, _)) = open.replace((at, script)) {
            each(Span::new(start, at));
        }
    }
    if let Some((start, _)) = open {
        each(Span::new(start, text.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_separate_words() {
        let text = " どこで生れ。Yes1";
        let mut parts = Vec::new();
        split(text, &mut |span| parts.push(&text[span.range()]));
        assert_eq!(parts, ["どこで生れ", "。", "Yes", "1"]);
    }
}
