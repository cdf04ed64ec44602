//! Reading and writing JSON: members keep their order, and errors name the path.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::error::{Error, Message, Place, Result, did_you_mean, shorten};
use crate::memory::Growable;
use crate::pretokenize::Function;
use crate::stop;

/// A JSON value; objects keep the order of members and repeated members, so that checks see them.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Unsigned(u64),
    Float(f64),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses all of `bytes`; nesting beyond 128 levels is an error.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self> {
        serde_json::from_slice(bytes).map_err(|error| {
            let at = Place::Line(error.line());
            let reason = error.to_string();
            let reason = match reason.split(" at line ").next().unwrap_or_default() {
                "recursion limit exceeded" => "arrays and objects are nested over 127 levels deep",
                other => other,
            };
            Error::Format { at, message: format!("not valid JSON: {reason}, column {}", error.column()).into() }
        })
    }

    pub(super) fn text(&self) -> String {
        self.written(None, shortest)
    }

    /// Writes members down to `depth` levels on one line each, deeper ones on a shared line, floats with `float`, which writes `null` for
    /// those that JSON has no number for.
    pub(super) fn pretty(&self, depth: usize, float: fn(f64) -> String) -> String {
        self.written(Some(depth), float)
    }

    fn written(&self, depth: Option<usize>, float: fn(f64) -> String) -> String {
        let mut out = Vec::new();
        self.write(&mut out, 1, depth, float);
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    /// Writes a value whose members, if it has any, are at this level.
    fn write(&self, out: &mut Vec<u8>, level: usize, depth: Option<usize>, float: fn(f64) -> String) {
        let begin_line = |out: &mut Vec<u8>, spaces| {
            if depth.is_some_and(|depth| level <= depth) {
                out.push(b'\n');
                out.extend(std::iter::repeat_n(b' ', spaces));
            }
        };
        let begin_item = |out: &mut Vec<u8>, place: usize| {
            if place > 0 {
                out.push(b',');
            }
            begin_line(out, level);
        };
        match self {
            Self::Null => write_scalar(out, &()),
            Self::Bool(value) => write_scalar(out, value),
            Self::Unsigned(value) => write_scalar(out, value),
            Self::Float(value) => out.extend(float(*value).bytes()),
            Self::String(text) => write_scalar(out, text),
            Self::Array(items) => {
                out.push(b'[');
                for (place, item) in items.iter().enumerate() {
                    begin_item(out, place);
                    item.write(out, level + 1, depth, float);
                }
                begin_line(out, level - 1);
                out.push(b']');
            }
            Self::Object(members) => {
                out.push(b'{');
                for (place, (name, value)) in members.iter().enumerate() {
                    begin_item(out, place);
                    write_scalar(out, name);
                    out.extend(if depth.is_some() { ": " } else { ":" }.bytes());
                    value.write(out, level + 1, depth, float);
                }
                begin_line(out, level - 1);
                out.push(b'}');
            }
        }
    }

    pub(super) fn base64(bytes: &[u8]) -> Self {
        Self::String(BASE64.encode(bytes))
    }

    #[expect(clippy::cast_precision_loss, reason = "a number that JSON wrote without a fraction")]
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            Self::Unsigned(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// Returns the member `name` of an object.
    pub(super) fn member_mut(&mut self, name: &str) -> Option<&mut Self> {
        let Self::Object(members) = self else { return None };
        members.iter_mut().find(|(other, _)| other == name).map(|(_, json)| json)
    }

    /// Returns an object with one more member, if there is a value for it.
    pub(super) fn with(mut self, name: &str, value: Option<Self>) -> Self {
        if let (Self::Object(members), Some(value)) = (&mut self, value) {
            members.push((name.to_owned(), value));
        }
        self
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Unsigned(_) => "an integer",
            Self::Float(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u64> for Json {
    fn from(value: u64) -> Self {
        Self::Unsigned(value)
    }
}

impl From<u32> for Json {
    fn from(value: u32) -> Self {
        Self::Unsigned(value.into())
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Json>> FromIterator<T> for Json {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

/// Returns the bytes without leading white space.
pub(super) fn trim_start(bytes: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'\x0b';
    &bytes[bytes.iter().take_while(|&byte| is_space(byte)).count()..]
}

/// Returns the bytes after `byte`, if `byte` is the first one that is not white space.
pub(super) fn after(bytes: &[u8], byte: u8) -> Option<&[u8]> {
    trim_start(bytes).strip_prefix(&[byte])
}

/// Returns an object with the members in this order.
pub(super) fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.map(|(name, value)| (name.to_owned(), value)).into())
}

/// A value and its path.
#[derive(Debug, Clone)]
pub(super) struct JsonNode<'a> {
    json: &'a Json,
    path: String,
    /// The caller's own pre-tokenizers, which the JSON names by index.
    pub(super) functions: &'a [Function],
}

impl<'a> JsonNode<'a> {
    pub(super) fn root(json: &'a Json) -> Self {
        Self { json, path: "$".to_owned(), functions: &[] }
    }

    pub(super) fn with_functions(self, functions: &'a [Function]) -> Self {
        Self { functions, ..self }
    }

    /// Returns another value in the place of this one.
    pub(super) fn with_json(&self, json: &'a Json) -> Self {
        Self { json, ..self.clone() }
    }

    pub(super) fn error(&self, message: impl Into<Message>) -> Error {
        Error::Format { at: Place::Json(self.path.clone()), message: message.into() }
    }

    pub(super) fn unsupported(&self, message: impl Into<Message>) -> Error {
        Error::Unsupported { at: Place::Json(self.path.clone()), message: message.into() }
    }

    pub(super) fn expected(&self, what: &str) -> Error {
        self.error(format!("expected {what}, found {}", self.json.kind()))
    }

    pub(super) fn is_null(&self) -> bool {
        *self.json == Json::Null
    }

    /// Returns the value, or `None` for null.
    pub(super) fn optional(self) -> Option<Self> {
        (!self.is_null()).then_some(self)
    }

    pub(super) fn bool(&self) -> Result<bool> {
        if let Json::Bool(value) = self.json { Ok(*value) } else { Err(self.expected("true or false")) }
    }

    pub(super) fn unsigned(&self) -> Result<u64> {
        if let Json::Unsigned(value) = self.json { Ok(*value) } else { Err(self.expected("an integer from 0 on")) }
    }

    pub(super) fn size(&self) -> Result<usize> {
        usize::try_from(self.unsigned()?).map_err(|_| self.error("expected a number that a size can hold"))
    }

    pub(super) fn id(&self) -> Result<u32> {
        u32::try_from(self.unsigned()?).map_err(|_| self.error("expected an id under 2^32"))
    }

    pub(super) fn float(&self) -> Result<f64> {
        self.json.number().ok_or_else(|| self.expected("a number"))
    }

    pub(super) fn str(&self) -> Result<&'a str> {
        if let Json::String(text) = self.json { Ok(text) } else { Err(self.expected("a string")) }
    }

    pub(super) fn char(&self) -> Result<char> {
        let mut characters = self.str()?.chars();
        match (characters.next(), characters.next()) {
            (Some(c), None) => Ok(c),
            _ => Err(self.error("expected a string of one character")),
        }
    }

    /// Returns the decoded bytes of a base64 string.
    pub(super) fn base64(&self) -> Result<Vec<u8>> {
        BASE64.decode(self.str()?).map_err(|error| self.error(format!("expected bytes in base 64: {error}")))
    }

    pub(super) fn array(&self) -> Result<impl ExactSizeIterator<Item = JsonNode<'a>>> {
        let Json::Array(items) = self.json else { return Err(self.expected("an array")) };
        let node = self.clone();
        Ok(items.iter().enumerate().map(move |(at, json)| node.item(at, json)))
    }

    /// Returns the integers of an array; no item gets a path, since there can be one for each id.
    pub(super) fn integers(&self) -> Result<Vec<u64>> {
        let integer = |(at, json)| match json {
            &Json::Unsigned(value) => Ok(value),
            other => self.item(at, other).unsigned(),
        };
        self.items()?.iter().enumerate().map(integer).collect()
    }

    /// Returns the strings of an array.
    pub(super) fn strings(&self) -> Result<Vec<String>> {
        self.array()?.map(|node| Ok(node.str()?.to_owned())).collect()
    }

    /// Returns the items without paths, for arrays as long as a list of merges.
    pub(super) fn items(&self) -> Result<&'a [Json]> {
        if let Json::Array(items) = self.json { Ok(items) } else { Err(self.expected("an array")) }
    }

    /// Returns the item at index `place` with its path.
    pub(super) fn item(&self, at: usize, json: &'a Json) -> Self {
        JsonNode { json, path: format!("{}[{at}]", self.path), ..*self }
    }

    /// Returns the members without paths, for objects as large as a vocabulary.
    pub(super) fn members(&self) -> Result<&'a [(String, Json)]> {
        if let Json::Object(members) = self.json { Ok(members) } else { Err(self.expected("an object")) }
    }

    /// Returns the member `name`; a missing one is an error.
    pub(super) fn member(&self, name: &str) -> Result<Self> {
        match self.find(name)? {
            Some(node) => Ok(node),
            None => Err(self.missing(name)),
        }
    }

    /// Returns the error for a missing member.
    pub(super) fn missing(&self, name: &str) -> Error {
        self.error(format!("the member {name:?} is missing or null"))
    }

    /// Returns the member `name`, or `None` if it is missing or null.
    pub(super) fn find(&self, name: &str) -> Result<Option<Self>> {
        let member = self.members()?.iter().find(|(other, _)| other == name);
        Ok(member
            .map(|(_, json)| Self { json, path: format!("{}.{name}", self.path), ..*self })
            .and_then(Self::optional))
    }

    /// Refuses members that are not in `known`, and repeated ones.
    pub(super) fn only(&self, known: &[&str]) -> Result<()> {
        let members = self.members()?;
        for (at, (name, _)) in members.iter().enumerate() {
            if !known.contains(&name.as_str()) {
                let problem = Message::new(format!("the member {:?} is unknown", shorten(name)));
                return Err(self.error(problem.maybe_hint(did_you_mean(name, known))));
            }
            if members[..at].iter().any(|(other, _)| other == name) {
                return Err(self.error(format!("the member {name:?} occurs twice")));
            }
        }
        Ok(())
    }

    /// Returns the member `type`, the type of a component.
    pub(super) fn kind(&self) -> Result<&'a str> {
        self.member("type")?.str()
    }

    /// Returns the error for an unknown component type, with the nearest known one.
    pub(super) fn unknown_kind(&self, kind: &str, known: &[&str]) -> Error {
        let problem = format!("the type {:?} is not among those known here, {known:?}", shorten(kind));
        self.unsupported(Message::new(problem).maybe_hint(did_you_mean(kind, known)))
    }
}

/// Returns the value that a string names.
pub(super) fn choice<T: Copy>(node: &JsonNode<'_>, choices: &[(&str, T)]) -> Result<T> {
    let written = node.str()?;
    match choices.iter().find(|(name, _)| *name == written) {
        Some((_, value)) => Ok(*value),
        None => {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            Err(node.error(format!("expected one of {names:?}, found {:?}", shorten(written))))
        }
    }
}

/// Returns the name of a value.
pub(super) fn name_of<T: Copy + PartialEq>(value: T, choices: &[(&'static str, T)]) -> &'static str {
    choices.iter().find(|(_, other)| *other == value).map_or("", |(name, _)| name)
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Unsigned(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "no member of ours is a negative integer of such size")]
    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Float(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Float(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            stop::check_growth(items.len(), items.len() + 1);
            items.make_room(1);
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            stop::check_growth(members.len(), members.len() + 1);
            members.make_room(1);
            members.push(member);
        }
        Ok(Json::Object(members))
    }
}

/// Returns the shortest decimal that is read as this number; `null` if it is not finite.
pub(super) fn shortest(value: f64) -> String {
    serde_json::to_string(&value).expect("a number serializes")
}

fn write_scalar(out: &mut Vec<u8>, value: &(impl serde::Serialize + ?Sized)) {
    serde_json::to_writer(out, value).expect("a scalar serializes");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_path() {
        let json = Json::parse(br#"{"a": [1, {"b": "x"}]}"#).unwrap();
        let root = JsonNode::root(&json);
        let last = root.member("a").unwrap().array().unwrap().last().unwrap();
        let error = last.member("b").unwrap().unsigned().unwrap_err();
        assert_eq!(error.to_string(), "$.a[1].b: expected an integer from 0 on, found a string");
        assert!(root.only(&["as"]).unwrap_err().to_string().contains("did you mean \"as\"?"));
        assert!(Json::parse(b"{\n\"a\" 1}").unwrap_err().to_string().starts_with("line 2: not valid JSON"));
        assert!(Json::parse("[".repeat(1000).as_bytes()).is_err());
    }

    #[test]
    fn deep_members_share_a_line() {
        let json = Json::parse(br#"{"a":{"b":[1,2]},"c":[]}"#).unwrap();
        assert_eq!(json.pretty(2, shortest), "{\n \"a\": {\n  \"b\": [1,2]\n },\n \"c\": [\n ]\n}");
        assert_eq!(Json::parse(json.pretty(2, shortest).as_bytes()).unwrap(), json);
    }
}
