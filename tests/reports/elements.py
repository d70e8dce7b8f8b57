"""The elements of an HTML page."""

from html.parser import HTMLParser


class Elements(HTMLParser):
    """Every element with its attributes, whether all are closed, and the text."""

    VOID = ("meta", "br", "hr", "link", "img", "input")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data.strip())


def loads(page: str) -> list[str]:
    """Every element that would fetch something when the page is opened."""
    found = Elements(page).found
    alien = [
        tag for tag, _ in found if tag in ("link", "img", "iframe", "object", "embed", "image", "use", "base")
    ]
    sources = [f"{tag} src" for tag, attributes in found if "src" in attributes]
    links = [
        f"{tag} href" for tag, attributes in found if not (attributes.get("href") or "#").startswith("#")
    ]
    return alien + sources + links
