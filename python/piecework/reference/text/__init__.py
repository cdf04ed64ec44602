"""Characters, patterns, and a text that remembers where each character comes from."""
