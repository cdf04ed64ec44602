"""Turn files of any size into files of tokens, and check these.

Without the name of a command it is `tokenize`.

Examples:
  piecework corpus tokenizer.json texts.jsonl -o tokens
  piecework corpus verify tokens
"""
