"""Who may do what: scopes, books, projects; nothing of another's by any way (rows 94, 129-132; R10)."""

from __future__ import annotations

import json

import pytest

import commonplace
from commonplace.surfaces.http.rights import FOR_PROJECTS
from commonplace.surfaces.http.routes import BY_PATH, ROUTES
from commonplace.surfaces.http.tokens import Right


@pytest.mark.parametrize("scope", Right)
def test_a_scope_opens_what_it_says_and_nothing_more(http, scope):
    token = http.token("client", scope)
    for route in ROUTES:
        answer = http.post(route.operation.name, {"nonsense": 1}, token=token)
        if scope.includes(route.right):
            assert answer.status != 403, route.operation.name
        else:
            assert (answer.status, answer.kind) == (403, "denied"), route.operation.name


def test_every_operation_that_writes_needs_more_than_reading():
    for route in ROUTES:
        assert (route.right is Right.READ) <= (not route.operation.writes)
    operators = {route.operation.name for route in ROUTES if route.right is Right.OPERATOR}
    assert {"purge", "write-personal", "export", "import", "backup"} <= operators


def test_actor_and_trust_come_from_the_token_and_from_nowhere_else(http):
    """R10: what the body, the query or a header say about it is refused."""
    token = http.token("claude", "write")
    saved = http.post("save", {"content": "Said by an agent.", "type": "episode"}, token=token).json
    assert saved["trust"] == "agent"
    with commonplace.open(http.books.urls["default"]) as book:
        assert book.history(saved["id"])[0].actor == "agent:claude"
    for wrong in ({"actor": "alice"}, {"trust": "operator"}, {"surface": "cli"}):
        assert http.post("save", {"content": "x", "type": "episode", **wrong}, token=token).status == 422
    header = ((b"commonplace-actor", b"alice"),)
    assert http.post("save", {"content": "x", "type": "episode"}, token=token, headers=header).kind == "denied"


def test_an_agent_cannot_overrule_a_person_over_http_either(http):
    saved = http.post("save", {"content": "A person's word.", "type": "profile"}).json
    token = http.token("claude", "write")
    assert http.post("forget", {"id": saved["id"]}, token=token).kind == "denied"


class TestBooks:
    def test_a_token_opens_its_books_and_no_other(self, make_http, tmp_path):
        http = make_http(default=f"sqlite:{tmp_path / 'a.sqlite'}", work=f"sqlite:{tmp_path / 'b.sqlite'}")
        token = http.token("w", "write", books=("work",))
        http.post("save", {"content": "Canary.", "type": "episode"})
        assert http.get("list", "book=work", token=token).json == []
        foreign, absent = http.get("list", token=token), http.get("list", "book=nowhere", token=token)
        assert (foreign.status, foreign.body) == (absent.status, absent.body)
        assert foreign.kind == "not_found"
        http.post("save", {"content": "Here.", "type": "episode"}, token=token, query="book=work")
        assert [one["content"] for one in http.get("list", "book=work").json] == ["Here."]
        assert [one["content"] for one in http.get("list").json] == ["Canary."]

    @pytest.mark.parametrize("name", ["", "*", "%", "../other", "default\0", "Default", "default2", "defaul"])
    def test_a_books_name_is_compared_as_a_whole(self, http, name):
        from urllib.parse import quote

        token = http.token("d", "read")
        assert http.get("stats", f"book={quote(name)}", token=token).status == (200 if name == "" else 404)


class TestProjects:
    """A token for certain projects."""

    @pytest.fixture
    def world(self, http):
        kept = {}
        for project in ("test_user", "test_user1"):
            body = {
                "content": f"Canary of {project} says the launch code word is heliotrope.",
                "type": "project",
                "project_id": project,
            }
            kept[project] = http.post("save", body).json
        kept["global"] = http.post("save", {"content": "Alice likes heliotrope tea.", "type": "profile"}).json
        http.post(
            "link", {"from_id": kept["test_user"]["id"], "relation": "supports", "to_id": kept["test_user1"]["id"]}
        )
        kept["token"] = http.token("held", "write", projects=("test_user",))
        return kept

    @pytest.mark.parametrize(
        "project", [None, "", "*", "%", "../test_user1", "test_user1", "TEST_USER", "test_user ", ["test_user"]]
    )
    def test_no_project_or_another_is_refused(self, http, world, project):
        """Rows 129, 130."""
        token = world["token"]
        for answer in (
            http.post("search", {"query": "heliotrope", "project": project}, token=token),
            http.post("context", {"task": "heliotrope", "project": project}, token=token),
            http.post("list", {"project_id": project}, token=token),
            http.post("save", {"content": "x", "type": "project", "project_id": project}, token=token),
            http.post("capture-session", {"source": "User: x", "project_id": project}, token=token),
        ):
            assert answer.status in (403, 422), answer.body
            assert b"Canary" not in answer.body

    def test_its_own_project_and_what_is_for_all_come_up_and_nothing_else(self, http, world):
        """Rows 130, 132: linked and strong memories of other projects too stay where they are."""
        token = world["token"]
        asked = {"query": "launch code word heliotrope", "project": "test_user"}
        found = http.post("search", asked, token=token).json["results"]
        assert {one["record"]["id"] for one in found} == {world["test_user"]["id"], world["global"]["id"]}
        context = http.post("context", {"task": "what is the launch code word?", "project": "test_user"}, token=token)
        assert "Canary of test_user says" in context.json["text"]
        assert "test_user1" not in context.body.decode()
        listed = http.post("list", {"project_id": "test_user"}, token=token).json
        assert [one["id"] for one in listed] == [world["test_user"]["id"]]

    def test_a_foreign_id_and_an_absent_one_are_answered_alike(self, http, world):
        """Row 131: message, status, headers, for each operation that takes an id."""
        token = world["token"]
        foreign, absent = world["test_user1"]["id"], "01" + "Z" * 24
        for name in ("get", "forget", "archive", "restore", "evolve"):
            more = {"content": "y", "reason": "z"} if name == "evolve" else {}
            said = [http.post(name, {"id": id, **more}, token=token) for id in (foreign, absent)]
            assert [one.status for one in said] == [404, 404]
            assert said[0].body.replace(foreign.encode(), b"ID") == said[1].body.replace(absent.encode(), b"ID")
            assert said[0].headers.keys() == said[1].headers.keys()
        assert http.get("get", f"id={world['test_user']['id']}", token=token).status == 200

    def test_what_is_for_all_is_read_but_not_changed(self, http, world):
        token = world["token"]
        assert http.get("get", f"id={world['global']['id']}", token=token).status == 200
        assert http.post("forget", {"id": world["global"]["id"]}, token=token).kind == "denied"
        for scope in ("global", "personal", "everything"):
            body = {"content": "x", "type": "project", "project_id": "test_user", "scope": scope}
            assert http.post("save", body, token=token).kind == "denied"

    def test_another_agents_own_memories_stay_its_own(self, http, world):
        body = {
            "content": "Private heliotrope.",
            "type": "project",
            "project_id": "test_user",
            "scope": "agent",
            "agent_id": "other",
        }
        private = http.post("save", body).json
        token = world["token"]
        assert http.get("get", f"id={private['id']}", token=token).status == 404
        assert private["id"] not in http.post("list", {"project_id": "test_user"}, token=token).body.decode()
        assert (
            http.post("search", {"query": "x", "project": "test_user", "agent": "other"}, token=token).kind == "denied"
        )

    def test_nothing_it_may_ask_holds_anything_of_another_project(self, http, world):
        """Row 132: every operation, with the ids of the other project and without."""
        token = world["token"]
        foreign = world["test_user1"]["id"]
        for route in ROUTES:
            for fields in ({}, {"id": foreign}, {"query": "Canary"}, {"task": "Canary"}, {"memory": foreign}, {"ids": [foreign]},
                           {"project_id": "test_user"}, {"project": "test_user", "query": "Canary"}):  # fmt: skip
                answer = http.post(route.operation.name, fields, token=token)
                assert b"Canary of test_user1" not in answer.body
                if route.operation.name not in FOR_PROJECTS:
                    assert answer.status == 403, route.operation.name

    def test_the_same_idempotency_key_of_another_client_is_another_key(self, http, world):
        http.post("save", {"content": "Canary of the key.", "type": "episode", "idempotency_key": "k"})
        body = {"content": "Mine.", "type": "project", "project_id": "test_user", "idempotency_key": "k"}
        answer = http.post("save", body, token=world["token"])
        assert answer.json["content"] == "Mine."

    def test_material_that_was_captured_elsewhere_is_not_handed_over(self, http, world):
        text = "User: remember the canary.\nAssistant: yes."
        event = http.post("capture-session", {"source": text, "project_id": "test_user1"}).json
        asked = {"source": text, "project_id": "test_user"}
        answer = http.post("capture-session", asked, token=world["token"])
        assert answer.kind == "conflict"
        assert event["id"] not in answer.body.decode()
        asked = {"source": event["source_ref"], "project_id": "test_user"}
        assert http.post("capture-session", asked, token=world["token"]).kind == "denied"


def test_a_folder_of_this_machine_is_named_by_an_operator_only(http, tmp_path):
    asked = {"task": "x", "root": str(tmp_path)}
    assert http.post("context", asked, token=http.token("w", "write")).kind == "denied"
    assert http.post("context", asked).status == 200


def test_rights_are_written_down_for_every_route():
    assert {route.operation.name: str(route.right) for route in ROUTES if route.operation.name in ("get", "save", "purge")} == {
        "get": "read", "save": "write", "purge": "operator",
    }  # fmt: skip
    assert json.dumps(sorted(BY_PATH))
