//! The member `model.piecework`: its version, and names that models share with other members.

use crate::error::Result;
use crate::format::json::{Json, JsonNode, object};

static EMPTY: Json = Json::Object(Vec::new());

/// The version of `model.piecework`.
pub(super) const VERSION: u64 = 1;
/// The member of `model.piecework` that overrides the decoder of the file.
pub(in crate::format) const DECODER: &str = "decoder";

/// The member of `model.piecework` that overrides the normalizer and the pre-tokenizer of the file.
pub(in crate::format) const NORMALIZER: &str = "normalizer";

/// The member of `model.piecework` with the tokenizer's fingerprint when it was saved.
pub(in crate::format) const FINGERPRINT: &str = "fingerprint";

/// The member of `model.piecework` with the SHA-256 of the vocabulary and merges that its records by id belong to.
pub(in crate::format) const CONTENTS: &str = "contents_sha256";

/// Returns the member `model.piecework`, which has no other members than these; an empty object if there is none.
pub(super) fn own_part<'a>(model: &JsonNode<'a>, members: &[&str]) -> Result<JsonNode<'a>> {
    let Some(own) = model.find("piecework")? else { return Ok(model.with_json(&EMPTY)) };
    own.only(&[&["version"], members].concat())?;
    let version = own.member("version")?;
    if version.unsigned()? != VERSION {
        return Err(version.unsupported(format!("this version of piecework reads version {VERSION} of its part")));
    }
    Ok(own)
}

/// Returns the model with one more member in its own part, if there is a value for it.
pub(in crate::format) fn with_own(mut model: Json, name: &str, value: Option<Json>) -> Json {
    let Some(value) = value else { return model };
    match model.member_mut("piecework") {
        Some(Json::Object(own)) => own.push((name.to_owned(), value)),
        _ => model = model.with("piecework", Some(object([("version", VERSION.into()), (name, value)]))),
    }
    model
}
