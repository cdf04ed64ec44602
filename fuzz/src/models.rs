//! The models by their definitions (spec/wordpiece.md, spec/word_level.md, spec/bpe.md), by trial and without tables.

use std::collections::HashMap;

use serde_json::Value;

/// A model of a tokenizer.json, without dropout.
#[derive(Debug)]
pub struct DefinedModel {
    model: Value,
    ids: HashMap<String, u32>,
    /// The merges of BPE: pairs of tokens with their ranks, of which the last of a pair counts.
    ranks: HashMap<(String, String), usize>,
}

impl DefinedModel {
    /// Returns the model of a tokenizer.json.
    #[must_use]
    pub fn new(model: &Value) -> Self {
        let token = |token: &Value| token.as_str().unwrap_or_default().to_owned();
        let number = |id: &Value| id.as_u64().and_then(|id| u32::try_from(id).ok()).unwrap_or_default();
        let entries = model["vocab"].as_object().into_iter().flatten();
        let merges = model["merges"].as_array().into_iter().flatten().zip(0..);
        Self {
            ids: entries.map(|(entry, id)| (entry.clone(), number(id))).collect(),
            ranks: merges.map(|(pair, rank)| ((token(&pair[0]), token(&pair[1])), rank)).collect(),
            model: model.clone(),
        }
    }

    /// Returns the ids of a word; `None` if it cannot be encoded.
    ///
    /// # Panics
    ///
    /// For a model of another type.
    #[must_use]
    pub fn ids(&self, word: &str) -> Option<Vec<u32>> {
        if word.is_empty() {
            return Some(Vec::new());
        }
        match self.model["type"].as_str()? {
            "WordLevel" => Some(vec![self.ids.get(word).copied().or_else(|| self.unknown())?]),
            "piecework.WordPiece" => self.word_piece(word),
            "BPE" | "piecework.BPE" => self.bpe(word),
            other => panic!("{other} has no definition here"),
        }
    }

    fn text(&self, name: &str) -> &str {
        self.model[name].as_str().unwrap_or_default()
    }

    fn flag(&self, name: &str) -> bool {
        self.model[name].as_bool().unwrap_or_default()
    }

    fn unknown(&self) -> Option<u32> {
        self.ids.get(self.model["unk_token"].as_str()?).copied()
    }

    /// Returns the ids of the longest matches; unmatched characters are `None`.
    fn matches(&self, word: &str) -> Vec<Option<u32>> {
        let (mut found, mut at) = (Vec::new(), 0);
        let prefix = self.text("continuing_subword_prefix");
        while at < word.len() {
            let prefix = if at == 0 { "" } else { prefix };
            let ends = word[at..].char_indices().map(|(place, c)| at + place + c.len_utf8()).rev();
            let longest =
                ends.filter_map(|end| Some((end, *self.ids.get(&format!("{prefix}{}", &word[at..end]))?))).next();
            found.push(longest.map(|(_, id)| id));
            at = longest.map_or_else(|| word.ceil_char_boundary(at + 1), |(end, _)| end);
        }
        found
    }

    fn word_piece(&self, word: &str) -> Option<Vec<u32>> {
        let own = &self.model["piecework"];
        let unknown = || self.unknown().filter(|_| own["has_unk"].as_bool().unwrap_or(true));
        let most = self.model["max_input_chars_per_word"].as_u64()?;
        if word.chars().count() as u64 > most {
            return Some(vec![unknown()?]);
        }
        let mut found = self.matches(word);
        match own["unknown"].as_str()? {
            "word" if found.contains(&None) => found = vec![None],
            "run" => found.dedup_by(|one, other| one.is_none() && other.is_none()),
            _ => {}
        }
        found.into_iter().map(|id| id.or_else(unknown)).collect()
    }

    fn bpe(&self, word: &str) -> Option<Vec<u32>> {
        if self.flag("ignore_merges")
            && !self.is_unused(word)
            && let Some(&id) = self.ids.get(word)
        {
            return Some(vec![id]);
        }
        let symbols = self.merged(self.first_symbols(word)?);
        let mut ids: Vec<u32> =
            symbols.iter().flat_map(|symbol| self.used(symbol)).map(|symbol| self.ids[&symbol]).collect();
        if self.flag("fuse_unk") && symbols.iter().any(|symbol| self.is_unused(symbol)) {
            let unknown = self.unknown();
            ids.dedup_by(|one, other| Some(*one) == unknown && Some(*other) == unknown);
        }
        Some(ids)
    }

    /// Returns the symbols of the characters of a word (B3 to B5).
    fn first_symbols(&self, word: &str) -> Option<Vec<String>> {
        let (mut symbols, mut pending) = (Vec::new(), false);
        for (at, c) in word.char_indices() {
            let is_last = at + c.len_utf8() == word.len();
            let symbol = format!("{c}{}", if is_last { self.text("end_of_word_suffix") } else { "" });
            if self.ids.contains_key(&symbol) {
                symbols.extend(std::mem::take(&mut pending).then(|| self.text("unk_token").to_owned()));
                symbols.push(symbol);
            } else if let Some(bytes) = self.bytes(&symbol) {
                symbols.extend(bytes);
            } else if !self.model["unk_token"].is_null() {
                self.unknown()?;
                symbols.extend((pending && !self.flag("fuse_unk")).then(|| self.text("unk_token").to_owned()));
                pending = true;
            }
        }
        symbols.extend(pending.then(|| self.text("unk_token").to_owned()));
        Some(symbols)
    }

    /// Returns the byte tokens of a text; `None` without `byte_fallback`, or if one is missing.
    fn bytes(&self, text: &str) -> Option<Vec<String>> {
        let tokens =
            text.bytes().map(|byte| Some(format!("<0x{byte:02X}>")).filter(|token| self.ids.contains_key(token)));
        tokens.collect::<Option<Vec<_>>>().filter(|_| self.flag("byte_fallback"))
    }

    /// Merges the pair of the lowest rank, of these the leftmost, until no pair has a rank (B6).
    fn merged(&self, mut symbols: Vec<String>) -> Vec<String> {
        loop {
            let pairs = symbols.windows(2).enumerate();
            let ranks =
                pairs.filter_map(|(at, pair)| Some((*self.ranks.get(&(pair[0].clone(), pair[1].clone()))?, at)));
            let Some((_, at)) = ranks.min() else { return symbols };
            let right = symbols.remove(at + 1);
            symbols[at] += &right;
        }
    }

    fn is_unused(&self, token: &str) -> bool {
        self.model["piecework"]["unused"].as_array().into_iter().flatten().any(|unused| unused == token)
    }

    /// Returns the tokens of a symbol: it is split into the parts of its first merge while it is unused (B29).
    fn used(&self, symbol: &str) -> Vec<String> {
        if !self.is_unused(symbol) {
            return vec![symbol.to_owned()];
        }
        let made = self.ranks.iter().filter(|((left, right), _)| format!("{left}{right}") == symbol);
        match made.min_by_key(|(_, rank)| **rank) {
            Some(((left, right), _)) => [left, right].into_iter().flat_map(|part| self.used(part)).collect(),
            None => self
                .bytes(symbol)
                .unwrap_or_else(|| self.model["unk_token"].as_str().map(str::to_owned).into_iter().collect()),
        }
    }
}
