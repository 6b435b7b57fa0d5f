"""Whatever is sent, nothing breaks: every operation with values of every sort, and no answer of 500 or more (row 100)."""

from __future__ import annotations

import json
import string

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace.surfaces.http.routes import BY_PATH, ROUTES

ASKED = [route for route in ROUTES if not (route.is_upload or route.is_download)]
_ODD = [
    "", " ", "\0", "../..", "%", "*", "all", "global", "active", "episode", "profile", "project", "agent",
    "hybrid", "once", "open",
    "2026-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-01-01", "transcript", "supports",
    "\u202e", "\U000e0041", "'; DROP TABLE memories; --", "NEAR(a b)", '"', "a" * 5_000, "x: y", "[[z]]", "[[accept]]",
    "user: hi\nassistant: ho", '{"role": "user"}', "goal", "phase", "plan",
]  # fmt: skip
TEXTS = st.one_of(st.text(max_size=40), st.sampled_from(_ODD))
_NUMBERS = [0, -1, 1, 2, 20, 1_000, 1_001, 2**31, 2**63, 2**64, 10**40]
NUMBERS = st.one_of(st.integers(), st.sampled_from(_NUMBERS), st.floats(allow_nan=False))
VALUES = st.one_of(TEXTS, NUMBERS, st.booleans(), st.none(), st.lists(TEXTS, max_size=4),
                   st.dictionaries(TEXTS, NUMBERS, max_size=2),
                   st.just([[]]), st.just(["a"] * 300))  # fmt: skip


@st.composite
def asked(draw):
    """An operation and fields for it: mostly its own, now and then one that it does not have."""
    route = draw(st.sampled_from(ASKED))
    known = [field.name for field in msgspec.structs.fields(route.operation.request_class())]
    required = [field.name for field in msgspec.structs.fields(route.operation.request_class()) if field.required]
    names = {*required, *draw(st.lists(st.sampled_from([*known, "odd"]), max_size=4))}
    fields = {}
    for name in sorted(names):
        values = st.one_of(TEXTS, st.just("KNOWN")) if name in required else VALUES
        fields[name] = draw(values)
    if fields.get("type") and draw(st.booleans()):
        fields["type"] = "episode"
    if route.operation.name == "work":
        fields["once"] = True
    return route, fields, draw(st.sampled_from(["", "confirm=yes"])) if route.operation.destroys else ""


def _check(http, known, drawn):
    route, fields, query = drawn
    body = json.dumps(fields).replace('"KNOWN"', f'"{known}"').encode()
    answer = http("POST", f"/v1/{route.operation.name}", body, query=query)
    assert answer.status < 500, (route.operation.name, fields, answer.body)
    if answer.status != 200:
        assert answer.kind in ("invalid", "secret", "too_large", "denied", "conflict", "not_found", "stale"), (
            answer.body
        )


@pytest.fixture
def known(http):
    return http.post("save", {"content": "Known.", "type": "episode", "aliases": ["known"]}).json["id"]


@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(drawn=asked())
def test_no_fields_of_any_operation_break_it(http, known, drawn):
    _check(http, known, drawn)


@pytest.mark.nightly
@settings(max_examples=10_000, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(drawn=asked())
def test_no_fields_of_any_operation_break_it_at_length(http, known, drawn):
    _check(http, known, drawn)


QUERIES = st.one_of(
    st.text(string.printable, max_size=60),
    st.lists(
        st.tuples(
            st.sampled_from(["limit", "types", "query", "id", "book", "as_of", "rerank", "budget", "odd"]),
            st.text(string.printable, max_size=12),
        ),
        max_size=5,
    ).map(lambda pairs: "&".join(f"{name}={value}" for name, value in pairs)),
)  # fmt: skip


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(path=st.sampled_from(sorted(BY_PATH)), query=QUERIES)
def test_no_query_breaks_anything(http, path, query):
    if BY_PATH[path].is_download:
        return
    assert http("GET", path, query=query).status < 500


HEADERS = st.lists(
    st.tuples(
        st.sampled_from([b"host", b"origin", b"authorization", b"content-type", b"content-length", b"idempotency-key",
                         b"commonplace-actor", b"sec-fetch-site", b"content-encoding", b"cookie", b"x-forwarded-host"]),
        st.binary(max_size=40),
    ),
    max_size=4,
)  # fmt: skip


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(headers=HEADERS, body=st.binary(max_size=60), method=st.sampled_from(["GET", "POST", "BREW"]))
def test_no_headers_and_no_bytes_break_anything(http, headers, body, method):
    answer = http(method, "/v1/save", body, headers=tuple(headers))
    assert answer.status < 500


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    body=st.one_of(
        st.binary(max_size=200), st.text(max_size=200).map(str.encode), st.just(b'{"manifest":{}}\n{"memory":{}}\n')
    )
)
def test_no_import_breaks_anything(http, body):
    assert http("POST", "/v1/import", body, sort="application/x-ndjson").status < 500
