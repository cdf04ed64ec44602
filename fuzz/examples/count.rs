use piecework_core::format::{JsonSettings, read_tokenizer_json};
fn main() {
    let mut counts = std::collections::BTreeMap::new();
    for number in 0..4096 {
        let (_, json) = piecework_fuzz::pipeline(number);
        let t = read_tokenizer_json(json.to_string().as_bytes(), &JsonSettings::default()).unwrap();
        let kind = json["model"]["type"].as_str().unwrap().to_owned();
        let r = t.fast_path_kernel().map(|_| "fast");
        *counts.entry((kind, r)).or_insert(0) += 1;
    }
    for (k, v) in counts {
        println!("{v} {k:?}");
    }
}
