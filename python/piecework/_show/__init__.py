"""Shows results: a document is built once, and written as text, as HTML or as Markdown.

Imported when something is shown, not before.

>>> from piecework._show.document import Table, Text
>>> from piecework._show.markdown import as_markdown
>>> from piecework._show.terminal import as_text
>>> document = [Text("two pieces"), Table(("piece", "id"), [("hug", "7"), ("s", "12")], "lr")]
>>> print(as_text(document))
two pieces
piece  id
hug     7
s      12
>>> print(as_markdown(document))
two pieces
<BLANKLINE>
| piece | id |
| --- | ---: |
| hug | 7 |
| s | 12 |
"""

# The compiled core imports it from here.
from piecework._show.html import encoding_html as encoding_html
