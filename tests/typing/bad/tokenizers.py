"""Loads and changes tokenizers with settings that they do not have."""

import numpy as np

import piecework as pw
import piecework.hf

tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")

pw.Tokenizer.from_str("[UNK]\n", lower_case=True)  # E: call-arg | reportCallIssue
pw.Tokenizer.from_file("vocab.txt", lowercase="yes")  # E: arg-type | reportArgumentType
pw.Tokenizer.from_folder("bert", unknown="skip")  # E: arg-type | reportArgumentType
tok.replace(normaliser=None)  # E: call-arg | reportCallIssue
tok.replace(decoder=pw.normalizers.NFC())  # E: arg-type | reportArgumentType
tok.vocab["hug"] = 3  # E: index | reportIndexIssue
tok.vocab_size = 3  # E: misc | reportAttributeAccessIssue
tok.save_folder("bert", padding_token="[PAD]")  # E: call-arg | reportCallIssue
pw.Padding(side="left")  # E: call-arg | reportCallIssue
pw.models.Unigram.from_vocab("a\t0\n", precise=True)  # E: call-arg | reportCallIssue
pw.normalizers.SentencePiece.of("nmt_nfkc", dummy=True)  # E: call-arg | reportCallIssue
pw.pre_tokenizers.Split(r"\s+", "remove")  # E: arg-type | reportArgumentType
pw.no_such_name  # E: attr-defined | reportAttributeAccessIssue

pw.prune(tok, {"hugs": 9}, size=3)  # E: call-arg | reportCallIssue
pw.extend("tokenizer.json", {"hugs": 9})  # E: arg-type | reportArgumentType
change = pw.extend(tok, {"hugs": 9}, new_tokens=1)
change.apply([[0.0]])  # E: arg-type | reportArgumentType
change.apply(np.zeros((3, 2)), gaps="zero")  # E: arg-type | reportArgumentType

pw.evaluate({1: tok}, ["hugs"])  # E: dict-item | reportArgumentType
pw.evaluate(tok, ["hugs"], by=3)  # E: arg-type | reportArgumentType
pw.compare(tok, "hugs")  # E: arg-type | reportArgumentType
pw.diff(tok)  # E: call-arg | reportCallIssue
pw.lint(tok, rules=["note"])  # E: call-arg | reportCallIssue
tok.explain("hugs", nbest="5")  # E: arg-type | reportArgumentType
pw.corpus.Dataset("ids", length=8)  # E: call-arg | reportCallIssue
pw.engines.Local(workers="all")  # E: arg-type | reportArgumentType
list(pw.engines.Local().run(len, [1, 2]))  # E: arg-type | reportArgumentType

piecework.hf.Tokenizer("vocab.json")  # E: arg-type | reportArgumentType
piecework.hf.normalizers.Strip(left="yes")  # E: arg-type | reportArgumentType
piecework.hf.normalizers.Strip(rigth=True)  # E: call-arg | reportCallIssue
piecework.hf.decoders.WordPiece("##", True, False)  # E: call-arg | reportCallIssue
piecework.hf.pre_tokenizers.Split("a")  # E: call-arg | reportCallIssue
piecework.hf.trainers.BpeTrainer(30000)  # E: call-arg | reportCallIssue
