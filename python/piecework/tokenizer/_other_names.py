"""Names of other libraries and what replaces them here, for errors."""

from __future__ import annotations

_TOKENIZERS = {
    "add_special_tokens": "call tok.with_added_tokens([...], special=True), which returns a new tokenizer",
    "add_tokens": "call tok.with_added_tokens([...]), which returns a new tokenizer",
    "enable_padding": "pass padding=... to the call, such as tok.encode_batch(texts, padding=512)",
    "enable_truncation": "pass truncation=... to the call, such as tok.encode(text, truncation=512)",
    "encode_special_tokens": 'pass specials="text" to the call',
    "from_pretrained": "download the files, and call Tokenizer.from_file or Tokenizer.from_folder",
    "get_vocab": "use tok.vocab",
    "get_vocab_size": "use tok.vocab_size",
    "no_padding": "pass padding=None to the call",
    "no_truncation": "pass truncation=None to the call",
    "train": "call piecework.train(corpus, trainer)",
    "train_from_iterator": "call piecework.train(texts, trainer)",
}
"""Attributes of `tokenizers`, which piecework.hf has, too."""

METHODS = {
    "EncodeAsIds": "call tok.encode_ids(text)",
    "EncodeAsPieces": "call tok.tokenize(text)",
    "bos_id": 'call tok.token_to_id("<s>")',
    "decode_pieces": "call tok.decode([tok.token_to_id(piece) for piece in pieces])",
    "encode_as_ids": "call tok.encode_ids(text)",
    "encode_as_pieces": "call tok.tokenize(text)",
    "encode_ordinary": 'call tok.encode_ids(text, specials="text")',
    "eos_id": 'call tok.token_to_id("</s>")',
    "get_piece_size": "use tok.vocab_size",
    "get_score": "use tok.model.vocab[id][1]",
    "id_to_piece": "call tok.id_to_token(id)",
    "load": "call Tokenizer.from_file(path)",
    "nbest": "call tok.lm.nbest(text, n)",
    "nbest_encode": "call tok.lm.nbest(text, n)",
    "pad_id": 'call tok.token_to_id("<pad>")',
    "piece_to_id": "call tok.token_to_id(piece)",
    "save_pretrained": "call tok.save_folder(path)",
    "train_new_from_iterator": "call piecework.train(texts, like=tok, vocab_size=...)",
    "unigram": "use tok.lm, or tok.model",
} | {
    name: f"{advice}, or use piecework.hf, which has the names of `tokenizers`"
    for name, advice in _TOKENIZERS.items()
}
"""Attributes of tokenizers of other libraries."""

OPTIONS = {
    "add_bos": "give the tokenizer a post-processor, tok.replace(post_processor=...)",
    "add_eos": "give the tokenizer a post-processor, tok.replace(post_processor=...)",
    "alpha": "pass sampling=piecework.Sampling(alpha=...)",
    "enable_sampling": "pass sampling=piecework.Sampling(alpha=...)",
    "encode_special_tokens": 'pass specials="text", or "text-all" for all added tokens',
    "max_length": "pass truncation=..., and padding=... for a fixed length",
    "nbest_size": "pass sampling=piecework.Sampling(alpha=..., nbest_size=...)",
    "out_type": "call encode_ids for ids, or tokenize for pieces",
    "return_offsets_mapping": "pass offsets=True to encode_batch; an Encoding has them always",
    "return_tensors": "call encode_batch(texts).padded(), whose columns are NumPy arrays",
    "split_special_tokens": 'pass specials="text", or "text-all" for all added tokens',
}
"""Options of encoding in other libraries."""
