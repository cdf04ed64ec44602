//! The sizes of a file that decide what reading it costs, counted before it is read.

use super::sentencepiece;

/// The sizes of a file, which need not be valid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileSizes {
    /// The number of levels of arrays and objects in JSON.
    pub nesting: usize,
    /// The number of values in JSON, and of names of members, at most.
    pub values: usize,
    /// The number of pieces of a SentencePiece model, or of lines.
    pub entries: usize,
}

/// Returns the sizes of a file of a format; the name `"json"` stands for any JSON.
///
/// ```
/// use piecework_core::format::file_sizes;
///
/// let sizes = file_sizes("json", br#"{"a": ["[", {}]}"#);
/// assert_eq!((sizes.nesting, sizes.values), (3, 6));
/// assert_eq!(file_sizes("vocab.txt", b"[UNK]\nlow\n").entries, 2);
/// ```
#[must_use]
pub fn file_sizes(format: &str, bytes: &[u8]) -> FileSizes {
    match format {
        "json" | "tokenizer.json" => of_json(bytes),
        "sentencepiece" => FileSizes { entries: sentencepiece::piece_count(bytes), ..FileSizes::default() },
        _ => FileSizes { entries: memchr::memchr_iter(b'\n', bytes).count(), ..FileSizes::default() },
    }
}

/// Returns the sizes of JSON: each value but the first follows a bracket, a comma or a colon, and so does each name.
fn of_json(bytes: &[u8]) -> FileSizes {
    let (mut depth, mut nesting, mut values, mut in_string) = (0_usize, 0, 1, false);
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => _ = rest.next(),
            _ if in_string => {}
            b'[' | b'{' => {
                (depth, values) = (depth + 1, values + 1);
                nesting = nesting.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' | b':' => values += 1,
            _ => {}
        }
    }
    FileSizes { nesting, values, entries: 0 }
}
