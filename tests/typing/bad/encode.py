"""Encodes with wrong arguments, and uses results as what they are not."""

import piecework as pw

tok = pw.Tokenizer.from_str("[UNK]\nhug\n##s\n")

tok.encode(3)  # E: arg-type | reportArgumentType
tok.encode("hugs", truncate=8)  # E: call-arg | reportCallIssue
tok.encode("hugs", specials="ignore")  # E: arg-type | reportArgumentType
tok.encode("hugs", truncation="longest_first")  # E: arg-type | reportArgumentType
tok.encode_ids("hugs", return_array=True)  # E: call-overload | reportCallIssue
tok.encode_ids("hugs").shape  # E: attr-defined | reportAttributeAccessIssue
tok.encode_batch(3)  # E: arg-type | reportArgumentType
tok.encode_batch([1, 2])  # E: list-item | reportArgumentType
tok.encode_batch(["hugs"]).padded(side="both")  # E: arg-type | reportArgumentType
tok.encode_segments(["hugs"])  # E: list-item | reportArgumentType
tok.chat("hugs")  # E: arg-type | reportArgumentType
tok.chat([{"role": "user"}], max_tokens="8")  # E: arg-type | reportArgumentType

length: str = tok.count("hugs")  # E: assignment | reportAssignmentType
total: int = tok.count(["hugs", "hug"])  # E: assignment | reportAssignmentType
tok.count(3)  # E: call-overload | reportCallIssue reportArgumentType

tok.decode("hugs")  # E: arg-type | reportArgumentType
tok.decode([1], skip_specials=True)  # E: call-arg | reportCallIssue
text: str = tok.decode_bytes_stream().step(1)  # E: assignment | reportAssignmentType
name: str = tok.id_to_token(1)  # E: assignment | reportAssignmentType
tok.arrow_udf("text", padding=8)  # E: call-arg | reportCallIssue
