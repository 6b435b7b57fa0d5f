"""Bad input of every kind gets a clear error with a next step, changes nothing and loses nothing (R7)."""

from __future__ import annotations

import pytest

from commonplace import settings
from commonplace.errors import CommonplaceError, InvalidError, TooLargeError

TEXTS = ("content", "title", "summary", "rationale", "kind", "project_id", "repo_id", "agent_id", "evidence_ref",
         "idempotency_key", "tenant")  # fmt: skip
LISTS = ("tags", "anchors", "aliases")


@pytest.fixture
def saved(book):
    return book.save("One.", type="episode")


def save(book, field, value):
    asked = {"content": "A good statement.", "type": "episode"}
    return book.save(**asked | {field: [value] if field in LISTS else value})


def writes(book, saved, value):
    """Every text of every other verb that writes."""
    other = book.save("Two.", type="episode")
    waiting = book.save("We use SQLite.", type="decision")
    return {
        "evolve content": lambda: book.evolve(saved.id, value, reason="r"),
        "evolve reason": lambda: book.evolve(saved.id, "Other.", reason=value),
        "evolve title": lambda: book.evolve(saved.id, "Other.", reason="r", title=value),
        "evolve summary": lambda: book.evolve(saved.id, "Other.", reason="r", summary=value),
        "evolve tags": lambda: book.evolve(saved.id, "Other.", reason="r", tags=[value]),
        "evolve evidence_ref": lambda: book.evolve(saved.id, "Other.", reason="r", evidence_ref=value),
        "evolve rationale": lambda: book.evolve(saved.id, "Other.", reason="r", rationale=value),
        "link evidence_ref": lambda: book.link(saved.id, other.id, "supports", evidence_ref=value),
        "contradict reason": lambda: book.contradict(saved.id, other.id, reason=value),
        "contradict evidence_ref": lambda: book.contradict(saved.id, other.id, evidence_ref=value),
        "archive reason": lambda: book.archive(saved.id, reason=value),
        "forget reason": lambda: book.forget(saved.id, reason=value),
        "confirm reason": lambda: book.confirm(waiting.id, reason=value, rationale="r"),
        "confirm rationale": lambda: book.confirm(waiting.id, rationale=value),
        "confirm evidence_ref": lambda: book.confirm(waiting.id, evidence_ref=value),
        "reject reason": lambda: book.reject(waiting.id, reason=value),
        "revert reason": lambda: book.revert(book.journal()[0], reason=value),
        "purge reason": lambda: book.purge(saved.id, reason=value),
    }


def refused_everywhere(book, everything, asks, kinds=("invalid",)):
    """Each asks for something that must be refused, in our words, with nothing changed."""
    before = everything(book)
    for name, ask in asks.items():
        with pytest.raises(CommonplaceError) as refused:
            ask()
        assert refused.value.kind in kinds, name
        assert refused.value.hint, f"{name} gives no next step"
    assert everything(book) == before


BAD_TEXT = {"NUL": "a\x00b", "half a pair": "a\ud800b", "the other half": "\udfffa"}


@pytest.mark.parametrize("text", BAD_TEXT.values(), ids=BAD_TEXT)
class TestTextNoCanonCanKeep:
    """Row 33: the same outcome on every store."""

    @pytest.mark.parametrize("field", [*TEXTS, *LISTS, "scope", "supersedes"])
    def test_save_refuses_it_in_every_field_and_says_which(self, book, everything, field, text):
        before = everything(book)
        with pytest.raises(InvalidError) as refused:
            save(book, field, text)
        assert field.rstrip("s") in f"{refused.value} {refused.value.where}"
        assert everything(book) == before

    def test_every_other_verb_refuses_it(self, book, everything, saved, text):
        refused_everywhere(book, everything, writes(book, saved, text))

    def test_as_an_id_it_is_refused_or_not_found(self, book, everything, saved, text):
        verbs = ("get", "archive", "forget", "restore", "confirm", "reject", "purge", "history", "explain", "revert")
        asks = {verb: lambda verb=verb: getattr(book, verb)(text) for verb in verbs}
        asks |= {
            "link": lambda: book.link(saved.id, text, "supports"),
            "unlink": lambda: book.unlink(text, saved.id, "supports"),
            "contradict": lambda: book.contradict(saved.id, text),
            "evolve": lambda: book.evolve(text, "Other.", reason="r"),
            "list after": lambda: book.list(after=text),
        }
        refused_everywhere(book, everything, asks, ("invalid", "not_found"))

    def test_as_a_filter_it_matches_nothing_or_is_refused(self, book, saved, text):
        filters = ("kinds", "tags", "project_id", "repo_id", "agent_id", "source_ref", "tenant")
        for field in filters:
            try:
                assert book.list(**{field: text}) == []
            except InvalidError:
                continue
        assert book.search(text) is not None

    def test_as_an_actor_it_is_refused(self, open_book, text):
        with pytest.raises(InvalidError):
            open_book(text)


class TestTooLarge:
    """Row 43, row 118: a limit on everything, named in the refusal."""

    LIMITS = {
        "content": settings.MAX_CONTENT_BYTES, "title": settings.MAX_TITLE_CHARS, "summary": settings.MAX_SUMMARY_CHARS,
        "rationale": settings.MAX_RATIONALE_CHARS, "evidence_ref": settings.MAX_REF_CHARS, "kind": settings.MAX_NAME_CHARS,
        "project_id": settings.MAX_NAME_CHARS, "idempotency_key": settings.MAX_NAME_CHARS, "tags": settings.MAX_TAG_CHARS,
        "anchors": settings.MAX_REF_CHARS, "aliases": settings.MAX_REF_CHARS,
    }  # fmt: skip

    @pytest.mark.parametrize("field", LIMITS)
    def test_one_more_than_the_limit_is_refused_and_the_limit_is_not(self, book, everything, field):
        limit, words = self.LIMITS[field], "ab " * 200_000
        before = everything(book)
        with pytest.raises(TooLargeError, match=str(limit)) as refused:
            save(book, field, words[:limit] + "x" if field != "kind" else "k" * (limit + 1))
        assert refused.value.hint
        assert everything(book) == before
        save(book, field, words[: limit - 1] + "x" if field != "kind" else "k" * limit)

    def test_content_is_measured_in_bytes(self, book):
        with pytest.raises(TooLargeError):
            book.save("ü" * (settings.MAX_CONTENT_BYTES // 2 + 1), type="episode")

    def test_a_gigantic_text_is_refused_at_once(self, book):
        with pytest.raises(TooLargeError):
            book.save("x" * 50_000_000, type="episode")

    @pytest.mark.parametrize("field", LISTS)
    def test_too_many_of_a_list_are_refused(self, book, field):
        with pytest.raises(TooLargeError):
            book.save("x y", type="episode", **{field: [f"w{n}" for n in range(33)]})

    def test_an_endless_list_is_refused(self, book):
        with pytest.raises(TooLargeError):
            book.save("x y", type="episode", tags=(f"w{n}" for n in range(100_000)))

    @pytest.mark.parametrize("field", ["kinds", "tags"])
    def test_a_filter_names_a_hundred_values_and_not_more(self, book, saved, field):
        """Row 118: thousands took a minute, and then it was the book's file that could not be used."""
        with pytest.raises(TooLargeError, match="100") as refused:
            book.list(**{field: [f"w{n}" for n in range(101)]})
        assert refused.value.where == field
        assert book.list(**{field: [f"w{n}" for n in range(100)] * 50}) == []

    def test_every_other_verb_has_its_limits(self, book, everything, saved):
        refused_everywhere(book, everything, writes(book, saved, "word " * 120_000), ("too_large",))


@pytest.mark.parametrize("limit", [0, -1])
def test_to_look_at_nothing_is_not_to_find_nothing(book, saved, limit):
    """A scan that stops before it begins would say that all is well."""
    for ask in (book.scan, book.verify):
        with pytest.raises(InvalidError, match="limit"):
            ask(limit=limit)


def test_what_was_pasted_in_the_wrong_place_is_not_in_the_error(book, saved):
    """Row 123: a secret given for an id or a path is not repeated."""
    pasted = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    asks = {
        "unlink from": lambda: book.unlink(pasted, saved.id, "supports"),
        "unlink to": lambda: book.unlink(saved.id, pasted, "supports"),
        "list after": lambda: book.list(after=pasted),
        "consolidate after": lambda: book.consolidate(after=pasted),
        "inbox apply": lambda: book.inbox_apply(pasted),
        "get": lambda: book.get(pasted),
        "get as of": lambda: book.get(pasted, as_of="2026-05-03T12:00:00Z"),
        "history": lambda: book.history(pasted),
        "revert": lambda: book.revert(pasted),
        "resolve": lambda: book.resolve(pasted, loser=saved.id, reason="r"),
    }
    for name, ask in asks.items():
        with pytest.raises(CommonplaceError) as refused:
            ask()
        assert pasted not in str(refused.value.to_dict()), name


class TestNothing:
    @pytest.mark.parametrize("content", ["", " ", "\n\t ", "\u2003"])
    def test_an_empty_statement_is_refused(self, book, everything, content):
        before = everything(book)
        with pytest.raises(InvalidError, match="content") as refused:
            book.save(content, type="episode")
        assert refused.value.hint
        assert everything(book) == before

    def test_an_empty_kind_or_tag_is_refused(self, book):
        for field in ("kind", "tags"):
            with pytest.raises(InvalidError):
                save(book, field, " ")

    @pytest.mark.parametrize("kind", ["a/b", "../x", "a b;c", "ä%", "a\nb*"])
    def test_a_kind_is_a_word(self, book, kind):
        """A68: kinds become names of folders one day."""
        with pytest.raises(InvalidError, match="kind"):
            save(book, "kind", kind)


WRONG = {"number": 7, "bytes": b"bytes", "list": ["a"], "dict": {"a": 1}, "object": object()}


@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
class TestWrongTypes:
    @pytest.mark.parametrize("field", [*TEXTS, "type", "scope", "supersedes"])
    def test_save_wants_text_where_text_belongs(self, book, everything, field, value):
        before = everything(book)
        with pytest.raises(InvalidError):
            save(book, field, value)
        assert everything(book) == before

    @pytest.mark.parametrize("field", LISTS)
    def test_save_wants_text_in_its_lists(self, book, everything, field, value):
        before = everything(book)
        with pytest.raises(InvalidError):
            save(book, field, value)
        assert everything(book) == before

    def test_every_other_verb_wants_text_too(self, book, everything, saved, value):
        refused_everywhere(book, everything, writes(book, saved, value))

    def test_ids_are_text(self, book, everything, saved, value):
        verbs = ("get", "archive", "forget", "restore", "confirm", "reject", "purge", "history", "explain")
        asks = {verb: lambda verb=verb: getattr(book, verb)(value) for verb in verbs}
        refused_everywhere(book, everything, asks, ("invalid", "not_found"))

    def test_a_query_is_text(self, book, value):
        with pytest.raises(InvalidError):
            book.search(value)


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan"), float("inf"), "high", True, [0.5], 10**400])
def test_confidence_is_a_number_from_zero_to_one(book, everything, confidence):
    """Row 34, R-h."""
    before = everything(book)
    with pytest.raises(InvalidError):
        book.save("x y", type="episode", confidence=confidence)
    assert everything(book) == before


@pytest.mark.parametrize("value", [None, 7, object()])
@pytest.mark.parametrize("field", [*LISTS])
def test_a_list_is_a_list(book, field, value):
    with pytest.raises(InvalidError):
        book.save("x y", type="episode", **{field: value})


@pytest.mark.parametrize("limit", [0, -1, 1_001, 2.5, "5", None, True])
def test_a_page_has_a_sensible_size(book, limit):
    for ask in (lambda: book.list(limit=limit), lambda: book.search("x", limit=limit)):
        with pytest.raises(InvalidError, match="limit"):
            ask()


@pytest.mark.parametrize("field", ["types", "statuses", "kinds", "tags", "scopes", "trusts"])
def test_a_filter_of_the_wrong_type_is_refused(book, field):
    for value in (7, object(), [7], [None]):
        with pytest.raises(InvalidError):
            book.list(**{field: value})


@pytest.mark.parametrize(
    "url", ["", "book", "sqlite:", "mysql:x", "postgresql://x", ":memory:", "sqlite", "file:x", "SQLITE:x", "\x00:x"]
)
def test_a_wrong_url_fails_loudly_and_opens_nothing(tmp_path, monkeypatch, url):
    """design "URLs": nothing is ever silently demoted."""
    import commonplace

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COMMONPLACE_BOOK", "nonsense")
    with pytest.raises(InvalidError) as refused:
        commonplace.open(url or None)
    assert "sqlite:PATH" in refused.value.hint
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("actor", ["", "a" * 201, "a\nb", "\x1b[31m"])
def test_an_actor_is_a_short_printable_name(open_book, path, actor):
    with pytest.raises(InvalidError, match="actor"):
        open_book(actor)
    assert not path.exists()


def test_text_in_any_script_and_invisible_characters_are_kept_as_they_came(book):
    """Row 115: raw text is kept; neutralising is for injection."""
    text = "\u202eevil\u202c \U000e0041 שלום नमस्ते \U0001f469\u200d\U0001f467 e\u0301 \ufeff\u200b \x1b[31m tab\tend\r\nline"
    assert book.get(book.save(text, type="episode").id).content == text
