"""Renders chats with Jinja templates, and encodes them so that contents make no control tokens."""
