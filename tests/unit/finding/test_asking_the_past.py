"""`as_of`: what would a search have found then? Statuses, replacements and scopes as they were."""

from __future__ import annotations

import pytest


def ids(results):
    return {result.record.id for result in results}


def test_what_was_replaced_since_is_found_as_it_was(book, clock):
    old = book.save("The port is 8080.", type="project", project_id="p")
    then = clock.moment
    new = book.evolve(old.id, "The port is 9090.", reason="moved")
    assert ids(book.search("port")) == {new.id}
    (result,) = book.search("port", as_of=then)
    assert (result.record.id, result.record.status, result.record.superseded_by) == (old.id, "active", None)


def test_it_agrees_with_the_listing_at_every_moment(book, clock):
    moments = []
    saved = [book.save(f"The port of service {n}.", type="project", project_id="p") for n in range(4)]
    moments.append(clock.moment)
    book.archive(saved[0].id)
    moments.append(clock.moment)
    book.forget(saved[1].id)
    book.restore(saved[0].id)
    moments.append(clock.moment)
    book.evolve(saved[2].id, "The port of service two is new.", reason="moved")
    moments.append(clock.moment)
    for moment in moments:
        assert ids(book.search("port service", as_of=moment)) == {record.id for record in book.list(as_of=moment)}
        everything = {record.id for record in book.list(as_of=moment, statuses="all")}
        assert ids(book.search("port service", as_of=moment, statuses="all")) == everything


def test_a_memory_is_there_from_the_very_moment_it_was_saved(book):
    record = book.save("The port is 8080.", type="project", project_id="p")
    assert ids(book.search("port", as_of=record.created_at)) == {record.id}


def test_before_the_beginning_there_is_nothing(book):
    book.save("The port is 8080.", type="project", project_id="p")
    results = book.search("port", as_of="2020-01-01T00:00:00Z")
    assert (len(results), results.outcome) == (0, "nothing_found")


def test_the_filter_comes_first_then_too(book, clock):
    """rfc 39: hundreds of others do not hide the one that is asked for."""
    for n in range(130):
        book.save(f"The port of service {n} port port.", type="project", project_id="other")
    wanted = book.save("In some long remark somebody named a port among much else that was said.", type="decision",
                       project_id="mine", rationale="why not")  # fmt: skip
    now = clock.moment
    for asked in ({"project": "mine"}, {"types": ["decision"]}):
        assert ids(book.search("port", as_of=now, **asked)) == {wanted.id}


def test_nothing_crosses_over_from_the_past(book, clock):
    book.save("The kestrel cluster runs on spot instances.", type="project", project_id="other")
    own = book.save("A secret kestrel cluster.", type="task_hint", scope="agent", agent_id="bob")
    now = clock.moment
    assert ids(book.search("kestrel cluster spot instances", project="p", as_of=now)) == set()
    assert own.id not in ids(book.search("kestrel", agent="eve", as_of=now))
    assert own.id in ids(book.search("kestrel", agent="bob", as_of=now))


def test_what_was_purged_is_gone_from_the_past_too(book, clock):
    doomed = book.save("The port is 8080.", type="project", project_id="p")
    then = clock.moment
    book.purge(doomed.id)
    assert len(book.search("port", as_of=then)) == 0


def test_yesterday_is_seen_from_there(book, clock):
    told = book.save("The standup was short.", type="project", project_id="p", observed_at="2026-01-09T10:00:00Z")
    clock.moment = clock.moment.replace(year=2027)
    (result,) = book.search("standup yesterday", as_of=told.created_at)
    assert "time" not in result.scores
    book.save("The standup was long.", type="project", project_id="p", observed_at="2026-05-02T10:00:00Z")
    found = {r.record.content: r for r in book.search("standup yesterday", as_of="2026-05-03T23:00:00Z", limit=5)}
    assert found.keys() == {"The standup was short."}


@pytest.mark.parametrize("moment", ["yesterday", "2026-05-03", "2026-05-03T12:00:00", 7])
def test_a_moment_without_a_time_zone_is_refused(book, moment):
    from commonplace.errors import InvalidError

    with pytest.raises(InvalidError):
        book.search("x", as_of=moment)


def test_tags_and_trust_are_those_of_that_moment(book, open_book, clock):
    """What has changed since is compared with what it was then, also if today's indexes say otherwise."""
    waiting = open_book("agent:claude", trust="extracted").save("The port is 8080.", type="project", project_id="p")
    later = book.inbox_defer(waiting.id, "2030-01-01T00:00:00Z")
    then = clock.moment
    book.inbox_edit(waiting.id, "The port is 8081.")
    (tag,) = later.tags
    assert book.get(waiting.id).tags == ()
    assert book.get(waiting.id).trust != later.trust
    asked = {"statuses": "all", "tags": [tag], "trusts": [str(later.trust)]}
    assert ids(book.search("port", **asked)) == set()
    assert ids(book.search("port", as_of=then, **asked)) == {waiting.id}
