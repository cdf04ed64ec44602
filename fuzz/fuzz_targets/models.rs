//! A model gives the ids of its definition for a text that is one word; for Unigram, no segmentation has a higher score.

#![no_main]

use std::cell::RefCell;
use std::collections::HashMap;

use libfuzzer_sys::fuzz_target;
use piecework_core::pipeline::{EncodingPath, Input, Options, Scratch, Tokenizer};
use piecework_fuzz::models::DefinedModel;
use piecework_fuzz::unigram_scores::UnigramScores;
use piecework_fuzz::{Trial, pipeline};

/// The number of characters of a word, whose segmentations are found by trial.
const CHARACTERS: usize = 64;

/// The definition of a model.
enum Definition {
    Ids(DefinedModel),
    Scores(UnigramScores),
}

fn definition(number: u16) -> Definition {
    let model = pipeline(number).1["model"].take();
    match model["type"].as_str() {
        Some("Unigram" | "piecework.Unigram") => Definition::Scores(UnigramScores::new(&model)),
        _ => Definition::Ids(DefinedModel::new(&model)),
    }
}

fn check(trial: &Trial, tokenizer: &Tokenizer, definition: &Definition) {
    let end = trial.text.char_indices().nth(CHARACTERS).map_or(trial.text.len(), |(at, _)| at);
    let word = &trial.text[..end];
    let options = Options { path: EncodingPath::Generic, ..Options::default() };
    let found = tokenizer.encode(Input::Text(word), None, &options, &mut Scratch::default()).ok();
    match definition {
        Definition::Ids(model) => trial.same(&found.map(|found| found.ids), &model.ids(word), word),
        // The unknown token of a text that spells it is joined with unknown characters beside it.
        Definition::Scores(_) if word.contains("[UNK]") => {}
        Definition::Scores(model) => {
            let best = model.best(word).filter(|_| !word.is_empty());
            trial.same(&found.is_some(), &(best.is_some() || word.is_empty()), word);
            if let (Some(found), Some(best)) = (found, best) {
                let score = model.score(word, &found);
                assert!((best - score).abs() <= model.rounding(best), "{score} of {found:?}, best {best}, {trial:?}");
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    thread_local! {
        static KEPT: RefCell<HashMap<u16, (Tokenizer, Definition)>> = RefCell::default();
    }
    let Ok(trial) = Trial::new(data) else { return };
    trial.run(|tokenizer, _| {
        KEPT.with_borrow_mut(|kept| {
            let made = || (tokenizer.model_alone().expect("a model is a tokenizer"), definition(trial.tokenizer));
            let (alone, definition) = kept.entry(trial.tokenizer).or_insert_with(made);
            check(&trial, alone, definition);
        });
    });
});
