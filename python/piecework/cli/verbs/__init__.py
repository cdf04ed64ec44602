"""Train, run and explain subword tokenizers.

Data goes to standard output, everything else to standard error. `-`, or no file, is standard input. Exit codes: 0
success, 1 findings, 2 errors, 130 interrupted.

Examples:
  piecework train story.txt -o tokenizer.json --vocab-size 4000
  piecework encode tokenizer.json story.txt | head -3
  piecework explain tokenizer.json tokenization
"""
