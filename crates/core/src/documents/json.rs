//! The members of one JSON object, found by their names without building a value.
//!
//! A line is checked against the whole grammar (RFC 8259), so that a damaged line is an error even if its text is
//! intact. Values are skipped with an explicit stack: nesting of any depth is no stack overflow.

use super::strings::{escape_length, find_special, unescape};
use super::{DocumentColumns, Fault, FaultKind, TextColumn};
use crate::error::{Error, Message, Result, shorten};

/// The maximum number of names that the error of a missing member lists.
const NAMES: usize = 8;

/// The members to read: the text, and others to keep.
///
/// ```
/// use piecework_core::documents::JsonFields;
///
/// let fields = JsonFields::new("document.text", &["id".to_owned()])?;
/// assert!(JsonFields::new("id", &["id".to_owned()]).is_err());
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct JsonFields {
    /// The tree of names; the first node is the object on the line.
    nodes: Vec<Node>,
    /// The name of each field as given, and its node; the first one is the text.
    fields: Vec<(String, usize)>,
}

/// A name on the path to a field.
#[derive(Debug, Clone, Default)]
struct Node {
    name: String,
    children: Vec<usize>,
}

impl JsonFields {
    /// Returns the fields `text` and `kept`; a point in a name leads to a member of a member, `\.` is a point.
    pub fn new(text: &str, kept: &[String]) -> Result<Self> {
        let mut fields = Self { nodes: vec![Node::default()], fields: Vec::new() };
        fields.add("field", text)?;
        kept.iter().try_for_each(|name| fields.add("keep", name))?;
        Ok(fields)
    }

    /// Returns the number of fields to keep.
    pub(super) fn kept(&self) -> usize {
        self.fields.len() - 1
    }

    fn add(&mut self, setting: &str, field: &str) -> Result<()> {
        let node = path(field).into_iter().fold(0, |node, name| self.child_or_new(node, name));
        if node == 0 || self.fields.iter().any(|(_, other)| *other == node) {
            let problem = match node {
                0 => "expected the name of a member, found \"\"".to_owned(),
                _ => format!("the member {:?} is given twice", shorten(field)),
            };
            return Err(Error::Config(Message::new(problem).setting(setting)));
        }
        self.fields.push((field.to_owned(), node));
        Ok(())
    }

    fn child(&self, node: usize, name: &[u8]) -> Option<usize> {
        self.nodes[node].children.iter().copied().find(|&child| self.nodes[child].name.as_bytes() == name)
    }

    fn child_or_new(&mut self, node: usize, name: String) -> usize {
        self.child(node, name.as_bytes()).unwrap_or_else(|| {
            let child = self.nodes.len();
            self.nodes.push(Node { name, children: Vec::new() });
            self.nodes[node].children.push(child);
            child
        })
    }
}

/// Returns the names on the path that a field describes; none for an empty field.
fn path(field: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut characters = field.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, names.last_mut()) {
            ('.', _) => names.push(String::new()),
            ('\\', Some(name)) => name.push(characters.next_if_eq(&'.').unwrap_or('\\')),
            (other, Some(name)) => name.push(other),
            (_, None) => {}
        }
    }
    if field.is_empty() { Vec::new() } else { names }
}

/// A value on the line, whose first byte decides its kind.
#[derive(Debug, Clone, Copy)]
struct Value {
    start: usize,
    end: usize,
    /// Whether it is a string with escapes.
    is_escaped: bool,
}

/// The memory of a parser of many lines.
#[derive(Debug, Default)]
pub(super) struct JsonScratch {
    /// The value of each node of the fields on the current line.
    values: Vec<Option<Value>>,
    /// The closing brackets of the arrays and objects that are being skipped.
    open: Vec<u8>,
    /// The text of a name with escapes.
    name: Vec<u8>,
}

/// Appends the document of a line, which is UTF-8, to `columns`.
///
/// A fault, whose byte is that of the line, leaves unended texts there.
/// A line of white space is no document: the result is false.
pub(super) fn parse_line(
    line: &[u8],
    fields: &JsonFields,
    scratch: &mut JsonScratch,
    columns: &mut DocumentColumns,
) -> Result<bool, Fault> {
    scratch.values.clear();
    scratch.values.resize(fields.nodes.len(), None);
    scratch.open.clear();
    let mut parser = Parser { line, at: 0, fields, scratch };
    if !parser.line()? {
        return Ok(false);
    }
    let value = |field: usize| scratch.values[fields.fields[field].1];
    push_text(line, value(0), fields, &mut columns.texts)?;
    for (field, column) in (1..).zip(&mut columns.kept) {
        push_kept(line, value(field), column)?;
    }
    Ok(true)
}

fn push_text(line: &[u8], value: Option<Value>, fields: &JsonFields, column: &mut TextColumn) -> Result<(), Fault> {
    let name = shorten(&fields.fields[0].0);
    let Some(value) = value else {
        let (names, longest) = members_of(line);
        return Err(Fault::new(FaultKind::NoText(longest), 0, format!("no member {name:?}; {names}")));
    };
    if line[value.start] != b'"' {
        let kind = kind(line[value.start]).unwrap_or_default();
        let reason = format!("{name:?} is {kind}; expected a string");
        return Err(Fault::new(FaultKind::NoText(members_of(line).1), value.start, reason));
    }
    push_string(line, value, column)
}

/// Appends a value to keep: strings as their text, other values as their JSON, null for null or a missing member.
fn push_kept(line: &[u8], value: Option<Value>, column: &mut TextColumn) -> Result<(), Fault> {
    match value.map(|value| (line[value.start], value)) {
        None | Some((b'n', _)) => column.push_null(),
        Some((b'"', value)) => push_string(line, value, column)?,
        Some((_, Value { start, end, .. })) => {
            column.bytes.extend_from_slice(&line[start..end]);
            column.end_text();
        }
    }
    Ok(())
}

fn push_string(line: &[u8], value: Value, column: &mut TextColumn) -> Result<(), Fault> {
    let raw = inside(line, value);
    if value.is_escaped {
        unescape(raw, &mut column.bytes).map_err(|byte| {
            let escape = String::from_utf8_lossy(&raw[byte..raw.len().min(byte + 6)]).into_owned();
            let reason = format!("the lone surrogate {escape} is no character");
            Fault::new(FaultKind::LoneSurrogate, value.start + 1 + byte, reason)
        })?;
    } else {
        column.bytes.extend_from_slice(raw);
    }
    column.end_text();
    Ok(())
}

/// Returns the bytes of a string between its quotation marks.
fn inside(line: &[u8], string: Value) -> &[u8] {
    &line[string.start + 1..string.end - 1]
}

/// Returns the names of the members of a valid line, for errors, and the field of the longest string among them.
fn members_of(line: &[u8]) -> (String, Option<String>) {
    let fields = JsonFields { nodes: vec![Node::default()], fields: Vec::new() };
    let mut scratch = JsonScratch::default();
    let mut parser = Parser { line, at: 0, fields: &fields, scratch: &mut scratch };
    let mut names = Vec::new();
    let mut longest: Option<(usize, Value)> = None;
    parser.skip_space();
    parser.at += 1;
    parser.skip_space();
    while parser.peek() == Some(b'"') && names.len() <= NAMES {
        let Ok(name) = parser.name() else { break };
        names.push(shorten(&String::from_utf8_lossy(inside(line, name))));
        let start = parser.at;
        if parser.skip_value().is_err() {
            break;
        }
        let length = parser.at - start;
        if line[start] == b'"' && longest.is_none_or(|(longest, _)| length > longest) {
            longest = Some((length, name));
        }
        parser.skip_space();
        parser.at += 1;
        parser.skip_space();
    }
    if names.len() > NAMES {
        names[NAMES] = "…".to_owned();
    }
    let names = if names.is_empty() { "the object is empty".to_owned() } else { format!("found {}", names.join(", ")) };
    (names, longest.and_then(|(_, name)| field_of(inside(line, name))))
}

/// Returns the field that describes a member by its name as written; `None` for an empty name and lone surrogates.
fn field_of(raw: &[u8]) -> Option<String> {
    let mut name = Vec::new();
    unescape(raw, &mut name).ok()?;
    let name = String::from_utf8(name).ok()?;
    Some(name.replace('.', "\\.")).filter(|field| !field.is_empty())
}

/// A parser of one line.
struct Parser<'a> {
    line: &'a [u8],
    at: usize,
    fields: &'a JsonFields,
    scratch: &'a mut JsonScratch,
}

impl Parser<'_> {
    /// Parses a line; returns whether it is an object and not white space.
    fn line(&mut self) -> Result<bool, Fault> {
        self.skip_space();
        match self.peek() {
            None => return Ok(false),
            Some(b'{') => self.object(0)?,
            Some(first) => {
                let Some(kind) = kind(first) else { return Err(self.unexpected("a JSON object")) };
                let reason = format!("expected a JSON object, found {kind}");
                let fault = Fault::new(FaultKind::NotObject, self.at, reason);
                self.skip_value()?;
                return Err(fault);
            }
        }
        self.skip_space();
        if self.peek().is_some() { Err(self.unexpected("the end of the line")) } else { Ok(true) }
    }

    /// Parses an object whose members are children of a node.
    fn object(&mut self, node: usize) -> Result<(), Fault> {
        self.at += 1;
        self.skip_space();
        if self.skip(b'}') {
            return Ok(());
        }
        loop {
            let start = self.at;
            let name = self.name()?;
            match self.child(node, name) {
                Some(child) => self.member(child, start)?,
                None => self.skip_value()?,
            }
            self.skip_space();
            if self.skip(b'}') {
                return Ok(());
            }
            self.expect(b',', "`,` or `}`")?;
            self.skip_space();
        }
    }

    /// Returns the node of a member by its name.
    fn child(&mut self, node: usize, name: Value) -> Option<usize> {
        let raw = inside(self.line, name);
        if !name.is_escaped {
            return self.fields.child(node, raw);
        }
        self.scratch.name.clear();
        // No field has a name with a lone surrogate.
        unescape(raw, &mut self.scratch.name).ok()?;
        self.fields.child(node, &self.scratch.name)
    }

    /// Parses the value of a member that is a field, or contains one; its name begins at `start`.
    fn member(&mut self, node: usize, start: usize) -> Result<(), Fault> {
        if self.scratch.values[node].is_some() {
            let reason = format!("the member {:?} occurs twice", shorten(&self.fields.nodes[node].name));
            return Err(Fault::new(FaultKind::RepeatedMember, start, reason));
        }
        let start = self.at;
        let value = match self.peek() {
            Some(b'"') => self.string()?,
            Some(b'{') if !self.fields.nodes[node].children.is_empty() => {
                self.object(node)?;
                Value { start, end: self.at, is_escaped: false }
            }
            _ => {
                self.skip_value()?;
                Value { start, end: self.at, is_escaped: false }
            }
        };
        self.scratch.values[node] = Some(value);
        Ok(())
    }

    /// Skips a value of any kind.
    fn skip_value(&mut self) -> Result<(), Fault> {
        let depth = self.scratch.open.len();
        loop {
            if self.skip_start()? {
                continue;
            }
            // After a value: the brackets that it closes, then a comma.
            loop {
                if self.scratch.open.len() == depth {
                    return Ok(());
                }
                let close = self.scratch.open[self.scratch.open.len() - 1];
                self.skip_space();
                if self.skip(close) {
                    self.scratch.open.pop();
                    continue;
                }
                self.expect(b',', if close == b'}' { "`,` or `}`" } else { "`,` or `]`" })?;
                self.skip_space();
                if close == b'}' {
                    self.name()?;
                }
                break;
            }
        }
    }

    /// Skips a scalar or an empty array or object, or enters another one; returns whether it entered one.
    fn skip_start(&mut self) -> Result<bool, Fault> {
        match self.peek() {
            Some(b'"') => self.string().map(|_| false),
            Some(b'{') => self.enter(b'}'),
            Some(b'[') => self.enter(b']'),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| false),
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn enter(&mut self, close: u8) -> Result<bool, Fault> {
        self.at += 1;
        self.skip_space();
        if self.skip(close) {
            return Ok(false);
        }
        if close == b'}' {
            self.name()?;
        }
        self.scratch.open.push(close);
        Ok(true)
    }

    /// Parses the name of a member and the colon after it.
    fn name(&mut self) -> Result<Value, Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("the name of a member in quotation marks"));
        }
        let name = self.string()?;
        self.skip_space();
        self.expect(b':', "`:`")?;
        self.skip_space();
        Ok(name)
    }

    /// Parses a string, whose quotation mark is next.
    fn string(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let (mut at, mut is_escaped) = (start + 1, false);
        loop {
            let Some(special) = find_special(self.line, at) else {
                self.at = self.line.len();
                return Err(self.fault("the line ends within a string"));
            };
            self.at = special;
            match self.line[special] {
                b'"' => break,
                b'\\' => {
                    is_escaped = true;
                    at = special + escape_length(&self.line[special..]).map_err(|reason| self.fault(reason))?;
                }
                control => {
                    return Err(self.fault(format!(
                        "the control character U+{control:04X} in a string; write it as \\u{control:04x}"
                    )));
                }
            }
        }
        self.at += 1;
        Ok(Value { start, end: self.at, is_escaped })
    }

    fn number(&mut self) -> Result<(), Fault> {
        self.skip(b'-');
        if !self.skip(b'0') {
            self.digits()?;
        }
        if self.skip(b'.') {
            self.digits()?;
        }
        if self.skip(b'e') || self.skip(b'E') {
            let _ = self.skip(b'+') || self.skip(b'-');
            self.digits()?;
        }
        Ok(())
    }

    /// Skips at least one digit.
    fn digits(&mut self) -> Result<(), Fault> {
        let count = self.line[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    fn literal(&mut self, literal: &str) -> Result<bool, Fault> {
        if !self.line[self.at..].starts_with(literal.as_bytes()) {
            return Err(self.unexpected("a value"));
        }
        self.at += literal.len();
        Ok(false)
    }

    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    /// Skips a byte if it is next; returns whether it was.
    fn skip(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8, expected: &str) -> Result<(), Fault> {
        if self.skip(byte) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn unexpected(&self, expected: &str) -> Fault {
        let found = String::from_utf8_lossy(&self.line[self.at..]).chars().next();
        match found {
            None => {
                let reason = format!("expected {expected}, found the end of the line");
                Fault::new(FaultKind::UnfinishedJson, self.at, reason)
            }
            Some(found) => self.fault(format!("expected {expected}, found {found:?}")),
        }
    }

    fn fault(&self, reason: impl Into<String>) -> Fault {
        Fault::new(FaultKind::InvalidJson, self.at, reason)
    }
}

/// Returns the kind of the value that begins with a byte; `None` if no value does.
fn kind(first: u8) -> Option<&'static str> {
    match first {
        b'{' => Some("an object"),
        b'[' => Some("an array"),
        b'"' => Some("a string"),
        b'-' | b'0'..=b'9' => Some("a number"),
        b't' | b'f' => Some("a boolean"),
        b'n' => Some("null"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IgnoredAny;
    use serde_json::Value as Json;

    use super::*;
    use crate::documents::LineFormat;

    /// The text of a line and the kept members.
    type Document = (String, Vec<Option<String>>);

    /// Returns the document of a line, `None` for a line of white space, or the fault.
    fn parsed(line: &str, text: &str, kept: &[&str]) -> std::result::Result<Option<Document>, Fault> {
        let kept: Vec<String> = kept.iter().map(|&name| name.to_owned()).collect();
        let fields = JsonFields::new(text, &kept).unwrap();
        let mut columns = DocumentColumns::new(&LineFormat::Json(fields.clone()));
        let is_document = parse_line(line.as_bytes(), &fields, &mut JsonScratch::default(), &mut columns)?;
        let only = |column: TextColumn| match column.validity[..] {
            [false] => None,
            _ => Some(String::from_utf8(column.bytes).unwrap()),
        };
        Ok(is_document.then(|| (only(columns.texts).unwrap(), columns.kept.into_iter().map(only).collect())))
    }

    fn reason(line: &str) -> (u64, String) {
        let Fault { byte, reason, .. } = parsed(line, "text", &["id"]).unwrap_err();
        (byte, reason)
    }

    #[test]
    fn members_are_found_by_name() {
        let line = r#"{"a": {"text": 1, "b": "nested"}, "te\u0078t": "\u0041\n", "id": [1, {"x": 2}], "a.b": "flat"} "#;
        let kept = ["id", "a.b", r"a\.b", "a", "a.b.c", "missing"];
        let (text, kept) = parsed(line, "text", &kept).unwrap().unwrap();
        assert_eq!(text, "A\n");
        let nested = r#"{"text": 1, "b": "nested"}"#;
        let expected = [Some(r#"[1, {"x": 2}]"#), Some("nested"), Some("flat"), Some(nested), None, None];
        assert_eq!(kept, expected.map(|value| value.map(str::to_owned)));
        assert_eq!(parsed(" \t\r", "text", &[]), Ok(None));
    }

    #[test]
    fn faults_have_a_byte_and_a_reason() {
        for (line, byte, problem) in [
            ("3", 0, "expected a JSON object, found a number"),
            ("nope", 0, "expected a value, found 'n'"),
            ("\u{feff}{}", 0, "expected a JSON object, found '\\u{feff}'"),
            ("{}", 0, "no member \"text\"; the object is empty"),
            (r#"{"a": 1, "b": {"text": "x"}}"#, 0, "no member \"text\"; found a, b"),
            (r#"{"text": null}"#, 9, "\"text\" is null; expected a string"),
            (r#"{"text": {}}"#, 9, "\"text\" is an object; expected a string"),
            (r#"{"text": "a", "text": "a"}"#, 14, "the member \"text\" occurs twice"),
            (r#"{"id": 1, "text": "a", "id": 1}"#, 23, "the member \"id\" occurs twice"),
            (r#"{"text": "a"#, 11, "the line ends within a string"),
            (r#"{"text": "a""#, 12, "expected `,` or `}`, found the end of the line"),
            (r#"{"text": "a"},"#, 13, "expected the end of the line, found ','"),
            ("{\"text\": \"a\"}\r{\"text\": \"b\"}", 14, "expected the end of the line, found '{'"),
            (r#"{"text": "\ud800"}"#, 10, "the lone surrogate \\ud800 is no character"),
            (r#"{"text": "a", "id": "\udc00"}"#, 21, "the lone surrogate \\udc00 is no character"),
            ("{\"text\": \"\u{1}\"}", 10, "the control character U+0001 in a string; write it as \\u0001"),
            (r#"{"text": "a", "b": [01]}"#, 21, "expected `,` or `]`, found '1'"),
            (r#"{text: "a"}"#, 1, "expected the name of a member in quotation marks, found 't'"),
        ] {
            assert_eq!(reason(line), (byte, problem.to_owned()), "{line}");
        }
    }

    #[test]
    fn faults_have_a_kind() {
        let no_text = |field: Option<&str>| FaultKind::NoText(field.map(str::to_owned));
        for (line, kind) in [
            ("[\"a\"]", FaultKind::NotObject),
            ("nope", FaultKind::InvalidJson),
            ("{", FaultKind::UnfinishedJson),
            (r#"{"a": ["#, FaultKind::UnfinishedJson),
            (r#"{"text": "a"#, FaultKind::InvalidJson),
            ("{}", no_text(None)),
            (r#"{"": "empty name", "a": 1}"#, no_text(None)),
            (r#"{"id": "3", "my.te\u0078t": "longer", "n": 3}"#, no_text(Some(r"my\.text"))),
            (r#"{"id": "3", "text": null}"#, no_text(Some("id"))),
            (r#"{"text": "a", "text": "a"}"#, FaultKind::RepeatedMember),
            (r#"{"text": "\ud800"}"#, FaultKind::LoneSurrogate),
        ] {
            assert_eq!(parsed(line, "text", &["id"]).unwrap_err().kind, kind, "{line}");
        }
    }

    #[test]
    fn surrogates_of_ignored_members_are_ignored() {
        let line = r#"{"other": "\ud800", "\ud800": 1, "text": "a"}"#;
        assert_eq!(parsed(line, "text", &[]), Ok(Some(("a".to_owned(), vec![]))));
    }

    #[test]
    fn nesting_has_no_limit() {
        let depth = 1_000_000;
        let line = format!("{{\"deep\": {}1{}, \"text\": \"a\"}}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(parsed(&line, "text", &[]), Ok(Some(("a".to_owned(), vec![]))));
        assert_eq!(reason(&line[..depth]).1, "expected a value, found the end of the line");
    }

    /// Compares a line with `serde_json`: the grammar always, and the text if there is one.
    fn compare(line: &str) {
        let ours = parsed(line, "text", &[]);
        let is_json = serde_json::from_str::<IgnoredAny>(line).is_ok();
        let members = serde_json::from_str::<Json>(line).ok();
        let text = members.as_ref().and_then(|members| members.get("text")?.as_str());
        match ours {
            Ok(Some((found, _))) => {
                assert!(is_json, "{line}");
                assert!(members.is_none() || text == Some(&found), "{line}");
            }
            Ok(None) => assert!(line.trim_ascii().is_empty(), "{line}"),
            // Whatever `serde_json` accepts lacks the text, or has it twice.
            Err(fault) => assert!(text.is_none() || fault.reason.ends_with("twice"), "{line}: {fault:?}"),
        }
    }

    #[test]
    fn changed_lines_are_json_as_in_serde_json() {
        let lines = [
            r#"{"text": "a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é", "n": [-0.5e+10, 1E-2, 0, true, false, null]}"#,
            r#" { "a" : { "b" : [ ] , "c" : { } } , "text" : "" , "d" : [ [ 1 ] , { "e" : "f" } ] } "#,
            r#"{"text":"abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz","t\u0065xt2":1}"#,
        ];
        let inserted = "{}[]\",:\\/ \t\r0123456789.-+eEtrufalsn\u{0}\u{1f}\u{7f}éx😀";
        for line in lines {
            compare(line);
            for (at, character) in line.char_indices() {
                let (before, after) = line.split_at(at);
                compare(before);
                compare(&after[character.len_utf8()..]);
                compare(&format!("{before}{}", &after[character.len_utf8()..]));
                for new in inserted.chars() {
                    compare(&format!("{before}{new}{after}"));
                    compare(&format!("{before}{new}{}", &after[character.len_utf8()..]));
                }
            }
        }
    }
}
