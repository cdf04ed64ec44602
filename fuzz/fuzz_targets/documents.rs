//! Random bytes are read as JSON lines in blocks of two sizes, with equal columns; each line is a document exactly if
//! `serde_json` reads it, as an object with the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::documents::{DocumentColumns, JsonFields, LineFormat, LineRange, LineReader};
use serde_json::Value;

const BOM: &[u8] = b"\xEF\xBB\xBF";

fn read(data: &[u8], size: usize) -> DocumentColumns {
    let format = LineFormat::Json(JsonFields::new("a", &["b".to_owned()]).expect("two names"));
    let mut columns = DocumentColumns::new(&format);
    let mut reader = LineReader::new(format, LineRange { start: 0, skips_first: false, end: u64::MAX });
    for block in data.chunks(size) {
        reader.read(block, false, &mut columns);
    }
    reader.read(b"", true, &mut columns);
    columns
}

/// Returns the text of a line, as `serde_json` reads it.
fn text_of(line: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(line).ok()?;
    Some(value.as_object()?.get("a")?.as_str()?.to_owned())
}

fuzz_target!(|data: &[u8]| {
    let (size, data) = data.split_first().map_or((1, data), |(&size, data)| (usize::from(size) + 1, data));
    let columns = read(data, data.len().max(1));
    assert_eq!(columns, read(data, size));
    let (mut documents, mut faults) = (0_usize, 0);
    for (line, bytes) in data.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let bytes = if line == 0 { bytes.strip_prefix(BOM).unwrap_or(bytes) } else { bytes };
        let text = text_of(bytes);
        if columns.faults.get(faults).is_some_and(|fault| fault.line == line as u64) {
            let reason = &columns.faults[faults].reason;
            // Repeated members and lone surrogates to keep are stricter than `serde_json`.
            assert!(text.is_none() || reason.ends_with("twice") || reason.contains("surrogate"), "{reason}: {bytes:?}");
            faults += 1;
        } else if !bytes.trim_ascii().is_empty() || bytes.contains(&b'\x0c') {
            let start = documents.checked_sub(1).map_or(0, |before| columns.texts.ends[before]);
            let found = &columns.texts.bytes[start..columns.texts.ends[documents]];
            // Deep nesting and large numbers are errors there, and a surrogate in any member.
            if let Some(text) = text {
                assert_eq!(found, text.as_bytes());
            } else {
                serde_json::from_slice::<serde::de::IgnoredAny>(bytes).expect("a document is JSON");
            }
            documents += 1;
        }
    }
    assert_eq!((documents, faults), (columns.positions.len(), columns.faults.len()));
});
