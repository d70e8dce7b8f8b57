"""The ring that schemes are written against, and its interpreters: counting and exact."""
