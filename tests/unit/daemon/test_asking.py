"""What is asked over HTTP is what the library is asked: the same answers, the same errors, for the whole table (rfc 3, 44-46)."""

from __future__ import annotations

import json

import msgspec
import pytest

import commonplace
from commonplace import errors
from commonplace.model.words import Type
from commonplace.surfaces.http.answer_types import answer_types
from commonplace.surfaces.http.answers import BY_KIND, problem
from commonplace.surfaces.http.openapi import document
from commonplace.surfaces.http.routes import ALIASES, BY_PATH, NOT_OFFERED, ROUTES
from commonplace.surfaces.http.tokens import Right
from commonplace.surfaces.operations import BY_NAME, OPERATIONS

RFC = ("ingest", "capture_session", "capture_conversation", "search", "context_for", "consolidate", "upsert_profile_fact",
       "explain", "export", "import")  # fmt: skip


@pytest.fixture
def filled(http):
    """A book with something of every sort; returns the fields that each reading operation needs."""
    one = http.post("save", {"content": "Alice prefers tabs.", "type": "profile", "aliases": ["tabs"]}).json
    two = http.post("save", {"content": "We ship on Tuesday.", "type": "project", "project_id": "atlas"}).json
    http.post("save", {"content": "The port is 8080.", "type": "project", "project_id": "atlas"})
    http.post("link", {"from_id": one["id"], "relation": "supports", "to_id": two["id"]})
    event = http.post("capture-session", {"source": "User: hello\nAssistant: hi"}).json
    return {"id": one["id"], "query": "when do we ship", "task": "ship it", "event": event["id"]}


def fields_for(operation, filled):
    if operation.name == "event":
        return {"id": filled["event"]}
    return {name: filled[name] for name in operation.positional}


READING = [route for route in ROUTES if route.right is Right.READ]


@pytest.mark.parametrize("route", READING, ids=lambda route: route.operation.name)
def test_a_reading_operation_answers_what_the_library_answers(http, filled, route):
    """By POST, by GET, and under each of its names."""
    operation = route.operation
    fields = fields_for(operation, filled)
    with commonplace.open(http.books.urls["default"], actor="alice") as book:
        said = getattr(book, operation.verb)(**fields)
    wanted = json.loads(msgspec.json.encode(said))
    for name in route.names:
        for answer in (http.post(name, fields), http("GET", f"/v1/{name}", query=_query(fields))):
            assert answer.status == 200, answer.body
            assert _steady(answer.json) == _steady(wanted)


def _query(fields):
    from urllib.parse import urlencode

    return urlencode(fields)


def _steady(said):
    """Without what differs from one call to the next: each leaves a receipt of its own, and counts the time it took."""
    if isinstance(said, dict):
        ours = ("receipt_id", "timings", "receipts", "used", "last_used_at")
        return {name: _steady(one) for name, one in said.items() if name not in ours}
    if isinstance(said, list):
        return [_steady(one) for one in said if not (isinstance(one, dict) and "timings" in one)]
    return round(said, 6) if isinstance(said, float) else said


def test_every_operation_has_a_route_and_the_rfc_names_are_there():
    assert {route.operation.name for route in ROUTES} == {one.name for one in OPERATIONS} - {*NOT_OFFERED}
    assert {f"/v1/{name}" for name in RFC} <= BY_PATH.keys()
    assert {*ALIASES.values()} <= BY_NAME.keys()
    assert BY_PATH["/v1/ingest"].operation.name == "save"
    assert BY_PATH["/v1/inbox_accept"] is BY_PATH["/v1/inbox-accept"]


def test_no_request_names_a_path_of_this_machine(http, tmp_path):
    """Export, import, backup and a policy go over the wire as bytes; copy is not offered."""
    canary = tmp_path / "canary"
    for name in ("export", "backup"):
        assert http.post(name, {"path": str(canary)}).status == 200, "the body of a download is not even read"
        assert http("POST", f"/v1/{name}", query=f"path={canary}").status == 422
    assert http.post("copy", {"from_book": "x", "to_book": f"jsonl:{canary}"}).status == 404
    assert http.post("import", {"path": str(canary)}).status == 415
    (tmp_path / "policy.toml").write_text('[[accept]]\ntypes = ["episode"]\n')
    assert http.post("inbox-apply", {"policy": str(tmp_path / "policy.toml")}).status == 422
    assert http.post("inbox-apply", {"policy": '[[accept]]\ntypes = ["episode"]\n', "dry_run": True}).status == 200
    assert not canary.exists()


def test_what_is_saved_is_there_for_whoever_opens_the_file(http):
    saved = http.post("ingest", {"content": "Kept by the daemon.", "type": "episode", "tags": ["a", "b"]}).json
    with commonplace.open(http.books.urls["default"], actor="bob") as book:
        assert book.get(saved["id"]).content == "Kept by the daemon."
        (made,) = book.history(saved["id"])
        assert (made.actor, made.surface) == ("alice", "http")


def test_an_idempotency_key_makes_twice_once(http):
    body = {"content": "Once.", "type": "episode"}
    key = ((b"idempotency-key", b"k-1"),)
    first, second = http.post("save", body, headers=key), http.post("save", body, headers=key)
    assert first.json["id"] == second.json["id"]
    assert first.json["occurrences"] == second.json["occurrences"]
    assert http.post("forget", {"id": first.json["id"]}, headers=key).status == 422, (
        "a promise that is not kept is not made"
    )
    assert http.post("save", body, headers=((b"idempotency-key", b"x" * 201),)).status == 422


def test_pages_follow_each_other_without_gap_or_repeat(http):
    made = [http.post("save", {"content": f"Number {n}.", "type": "episode"}).json["id"] for n in range(25)]
    seen, after = [], ""
    while page := http.get("list", f"limit=10{after}").json:
        seen += [one["id"] for one in page]
        after = f"&after={page[-1]['id']}"
    assert seen == [*reversed(made)]


def test_a_query_says_lists_numbers_and_yes_or_no(http):
    http.post("save", {"content": "One.", "type": "episode", "tags": ["a"], "always_load": True})
    http.post("save", {"content": "Two.", "type": "profile"})
    assert len(http.get("list", "types=episode&types=profile").json) == 2
    assert len(http.get("list", "types=episode&always_load=true&limit=5").json) == 1
    assert http.get("list", "always_load=false&types=profile").json[0]["content"] == "Two."
    for wrong in ("limit=x", "limit=1&limit=2", "always_load=perhaps", "since=yesterday", "lmit=3", "limit", "types=%ff",
                  "limit=0",
                  "limit=1.5", "=x", "types=nonsense", "always_load=null", "limit=null"):  # fmt: skip
        assert http.get("list", wrong).status in (400, 422), wrong


def test_a_field_that_is_not_there_is_refused_and_not_passed_over(http):
    """A misspelt filter that is ignored would find more than was asked for."""
    answer = http.post("search", {"query": "x", "projet": "atlas"})
    assert (answer.status, answer.json["where"]) == (422, "projet")
    assert http.post("list", {"limit": 1}, query="limit=2").status == 422


def test_head_is_get_without_its_body(http):
    answer = http("HEAD", "/v1/stats")
    assert (answer.status, answer.body) == (200, b"")
    assert int(answer.headers[b"content-length"]) > 0


def test_a_book_that_was_taken_away_is_told_and_found_again_when_it_is_back(http, tmp_path):
    """It is never begun anew in silence."""
    saved = http.post("save", {"content": "One.", "type": "episode"}).json
    (tmp_path / "away").mkdir()
    for path in tmp_path.glob("book.sqlite*"):
        path.rename(tmp_path / "away" / path.name)
    for _ in range(3):
        answer = http.post("save", {"content": "Two.", "type": "episode"})
        assert (answer.status, answer.kind) == (503, "unavailable")
    assert not (tmp_path / "book.sqlite").exists()
    for path in (tmp_path / "away").iterdir():
        path.rename(tmp_path / path.name)
    assert http.get("get", f"id={saved['id']}").json["content"] == "One."
    assert http.post("save", {"content": "Two.", "type": "episode"}).status == 200


class TestErrors:
    @pytest.mark.parametrize("kind", BY_KIND)
    def test_every_kind_of_the_family_has_a_status(self, kind):
        (cls,) = (one for one in vars(errors).values() if isinstance(one, type) and vars(one).get("kind") == kind
                  and one is not errors.CommonplaceError)  # fmt: skip
        answer = problem(cls("said", where="field"))
        told = json.loads(answer.body)
        assert answer.status == BY_KIND[kind] == told["status"]
        assert (told["kind"], told["detail"], told["where"]) == (kind, "said", "field")
        assert told["retryable"] == cls.retryable
        assert told["type"].endswith(kind)
        assert told.get("hint", "") == cls.hint

    def test_a_path_of_this_machine_is_not_told(self):
        """Row 102."""
        assert b"/home" not in problem(errors.UnavailableError("gone", where="/home/alice/book.sqlite")).body

    def test_a_fault_of_ours_is_told_without_its_words(self):
        answer = problem(RuntimeError("the content was: secret plans"))
        assert answer.status == 500
        assert b"secret plans" not in answer.body

    def test_a_secret_is_refused_and_not_repeated(self, http):
        secret = "ghp_" + "a1B2" * 9
        answer = http.post("save", {"content": f"The token is {secret}.", "type": "episode"})
        assert (answer.status, answer.kind) == (422, "secret")
        assert secret.encode() not in answer.body
        answer = http.get("get", f"id={secret}")
        assert secret.encode() not in answer.body

    def test_not_found_stale_and_conflict_have_their_own(self, http):
        saved = http.post("save", {"content": "One.", "type": "episode"}).json
        assert http.get("get", "id=nothing").kind == "not_found"
        answer = http.post("forget", {"id": saved["id"], "expect": "other"})
        assert (answer.status, answer.kind) == (412, "stale")
        http.post("forget", {"id": saved["id"]})
        assert http.post("link", {"from_id": saved["id"], "relation": "supports", "to_id": saved["id"]}).status in (
            409,
            422,
        )


class TestMoving:
    def test_an_export_comes_line_by_line_and_goes_in_again(self, http, make_http, tmp_path):
        for n in range(300):
            http.post("save", {"content": f"Number {n}: " + "x" * 2_000, "type": "episode"})
        sent = http.get("export")
        assert sent.headers[b"content-type"] == b"application/x-ndjson"
        assert len(sent.body) == int(sent.headers[b"x-commonplace-bytes"])
        other = make_http(default=f"sqlite:{tmp_path / 'other.sqlite'}")
        pieces = [sent.body[at : at + 70_000] for at in range(0, len(sent.body), 70_000)]
        came = other("POST", "/v1/import", pieces=pieces, sort="application/x-ndjson")
        assert came.json["added"]["memory"] == 300
        assert came.json["complete"]
        again = other("POST", "/v1/import", pieces=pieces, sort="application/x-ndjson")
        assert not again.json["added"].get("memory")
        assert [one["id"] for one in other.get("list", "limit=300").json] == [
            one["id"] for one in http.get("list", "limit=300").json
        ]

    def test_a_backup_is_a_book(self, http, tmp_path):
        saved = http.post("save", {"content": "One.", "type": "episode"}).json
        (tmp_path / "copy.sqlite").write_bytes(http.post("backup").body)
        with commonplace.open(f"sqlite:{tmp_path / 'copy.sqlite'}") as book:
            assert book.get(saved["id"]).content == "One."

    @pytest.mark.parametrize("name", ["export", "import", "inbox-apply"])
    def test_where_there_is_no_room_it_is_said_as_an_error_and_is_no_fault(self, http, monkeypatch, name):
        """Rows 13 and 21: a full or missing disk is told as what it is."""
        monkeypatch.setattr("tempfile.tempdir", "/nowhere")
        said = {
            "export": lambda: http.get(name),
            "import": lambda: http("POST", f"/v1/{name}", pieces=[b"{}\n"], sort="application/x-ndjson"),
            "inbox-apply": lambda: http.post(name, {"policy": "x = 1"}),
        }[name]()
        assert (said.status, said.kind) == (503, "unavailable")
        assert b"nowhere" not in said.body

    def test_an_import_that_breaks_off_brings_nothing(self, http):
        assert http("POST", "/v1/import", pieces=[], sort="application/x-ndjson").status == 400
        assert http.get("stats").json == http.get("stats").json
        assert http.get("list").json == []


class TestCare:
    def test_what_cannot_be_undone_wants_a_second_word(self, http):
        """Row 104."""
        saved = http.post("save", {"content": "One.", "type": "episode"}).json
        assert http.post("purge", {"id": saved["id"]}).kind == "conflict"
        assert http.post("purge", {"id": saved["id"], "dry_run": True}).json["purged"] == [saved["id"]]
        assert http.get("get", f"id={saved['id']}").status == 200
        assert http.post("purge", {"id": saved["id"]}, query="confirm=yes").json["complete"]
        assert http.get("get", f"id={saved['id']}").status == 404

    def test_a_persons_own_notes_are_not_written_where_nobody_can_be_asked(self, http, monkeypatch):
        asked = {"id": "x", "content": "y", "authorisation": "Ann"}
        monkeypatch.delenv("MEMORY_REVIEW_MODE", raising=False)
        assert http.post("write-personal", asked).kind == "denied"

    def test_work_without_end_is_not_begun(self, http):
        assert http.post("work").status == 422
        assert http.post("work", {"once": True}).status == 200

    def test_nothing_changes_settings_over_http(self):
        """Row 103: there is no operation that could."""
        assert not [
            path for path in BY_PATH if any(word in path for word in ("setting", "config", "model", "log", "token"))
        ]


class TestOpenApi:
    def test_it_is_made_of_the_routes_there_are(self, http):
        told = http.get("openapi.json").json
        assert told["openapi"].startswith("3.1")
        assert told["paths"].keys() == {"/health", *BY_PATH}
        for path, route in BY_PATH.items():
            assert {method.upper() for method in told["paths"][path]} | {"HEAD"} == {*route.methods, "HEAD"}

    def test_every_reference_leads_somewhere(self):
        text = json.dumps(document())
        for ref in {part.partition('"')[0] for part in text.split('"$ref": "')[1:]}:
            found = document()
            for step in ref.removeprefix("#/").split("/"):
                found = found[step]

    def test_it_says_which_words_moments_and_limits_a_field_takes(self):
        search = document()["components"]["schemas"]["Search"]["properties"]
        several, nothing, one = search["types"]["anyOf"]
        assert several["items"]["enum"] == one["enum"] == [*Type]
        assert nothing == {"type": "null"}
        assert search["as_of"]["anyOf"][0]["format"] == "date-time"
        assert (search["limit"]["minimum"], search["limit"]["maximum"]) == (1, 1_000)
        assert "requestBody" not in document()["paths"]["/v1/backup"]["post"]

    def test_every_operation_id_is_there_once(self):
        ids = [one["operationId"] for path in document()["paths"].values() for one in path.values()]
        assert len(ids) == len({*ids})

    @pytest.mark.parametrize("route", [*READING, BY_PATH["/v1/save"], BY_PATH["/v1/verify"], BY_PATH["/v1/process"]],
                             ids=lambda route: route.operation.name)  # fmt: skip
    def test_an_answer_is_what_the_document_says(self, http, filled, route):
        fields = (
            {"content": "x", "type": "episode"}
            if route.operation.name == "save"
            else fields_for(route.operation, filled)
        )
        answer = http.post(route.operation.name, fields)
        for sort in answer_types(route.operation):
            try:
                assert json.loads(msgspec.json.encode(msgspec.json.decode(answer.body, type=sort))) == answer.json
                return
            except msgspec.ValidationError:
                continue
        pytest.fail("none of the types")


def test_metrics_count_and_are_the_operators(http):
    http.get("stats")
    http.get("stats", "book=none")
    text = http("GET", "/metrics").body.decode()
    assert 'commonplace_requests_total{operation="stats",status="200"} 1' in text
    assert 'commonplace_requests_total{operation="stats",status="404"} 1' in text
    assert http("GET", "/metrics", token=http.token("r", "read")).status == 403
