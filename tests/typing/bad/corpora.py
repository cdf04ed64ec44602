"""Reads files in wrong ways."""

import piecework as pw

tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")
corpus = pw.Corpus("a.txt", column="text")  # E: call-arg | reportCallIssue
corpus = pw.Corpus("a.txt", format="csv")  # E: arg-type | reportArgumentType
corpus = pw.Corpus("a.txt", per="page")  # E: arg-type | reportArgumentType
corpus = pw.Corpus("a.txt", on_error="ignore")  # E: arg-type | reportArgumentType
pw.count_words(corpus, encoding="utf-8")  # E: call-arg | reportCallIssue
pw.WordCounts.count_to_file(corpus, "out", memory="1GB")  # E: call-arg | reportCallIssue
pw.train_files("a.txt", pw.WordPieceTrainer(20))  # E: attr-defined | reportAttributeAccessIssue
pw.train(corpus, like="tok.json")  # E: arg-type | reportArgumentType
pw.corpus.tokenize(tok, "a.txt", "out")  # E: arg-type | reportArgumentType
pw.corpus.tokenize(tok, corpus, "out", layout="csv")  # E: arg-type | reportArgumentType
pw.diff(tok, tok, files="a.txt")  # E: call-arg | reportCallIssue
