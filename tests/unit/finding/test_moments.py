"""Time in a question: which phrases are read, as which days, and that nothing else is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from commonplace.retrieve.moments import spans_in

SUNDAY = datetime(2026, 5, 3, 15, 30, tzinfo=UTC)  # a Sunday


def day(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


DAYS = {
    "today": ("2026-05-03", "2026-05-04"),
    "what did we do yesterday": ("2026-05-02", "2026-05-03"),
    "the day before yesterday": ("2026-05-01", "2026-05-02"),
    "last night": ("2026-05-02", "2026-05-03"),
    "tonight": ("2026-05-03", "2026-05-04"),
    "this morning": ("2026-05-03", "2026-05-04"),
    "last monday": ("2026-04-27", "2026-04-28"),
    "last Sunday": ("2026-04-26", "2026-04-27"),
    "2026-05-03": ("2026-05-03", "2026-05-04"),
    "on 2024-02-29": ("2024-02-29", "2024-03-01"),
    "2026-05": ("2026-05-01", "2026-06-01"),
    "3 May": ("2026-05-03", "2026-05-04"),
    "the 4th of May": ("2025-05-04", "2025-05-05"),  # this year's is still to come
    "May 3rd, 2024": ("2024-05-03", "2024-05-04"),
    "12 December 2023": ("2023-12-12", "2023-12-13"),
    "Sept. 5": ("2025-09-05", "2025-09-06"),
    "May 2023": ("2023-05-01", "2023-06-01"),
    "December of 2022": ("2022-12-01", "2023-01-01"),
    "in March": ("2026-03-01", "2026-04-01"),
    "during October": ("2025-10-01", "2025-11-01"),
    "in 2024": ("2024-01-01", "2025-01-01"),
    "since 2019": ("2019-01-01", "2020-01-01"),
    "this week": ("2026-04-27", "2026-05-04"),
    "this month": ("2026-05-01", "2026-05-04"),
    "this year": ("2026-01-01", "2026-05-04"),
}


@pytest.mark.parametrize("text", DAYS)
def test_a_phrase_means_these_days(text):
    since, until = DAYS[text]
    (span,) = spans_in(text, SUNDAY)
    assert (span.since, span.until) == (day(since), day(until))


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("last week", ["2026-04-20", "2026-04-26", "2026-05-01"], ["2026-04-19", "2026-05-05"]),
        ("last month", ["2026-04-15"], ["2026-02-20"]),
        ("last year", ["2025-06-01"], ["2024-01-01"]),
        ("the past three days", ["2026-05-01"], ["2026-04-20"]),
        ("last weekend", ["2026-04-25", "2026-04-26"], ["2026-05-01", "2026-04-27"]),
        ("this weekend", ["2026-05-02", "2026-05-03"], ["2026-04-26"]),
        ("two weeks ago", ["2026-04-19", "2026-04-17", "2026-04-22"], ["2026-05-01", "2026-04-10"]),
        ("3 days ago", ["2026-04-30"], ["2026-04-28", "2026-05-02"]),
        ("a few months back", ["2026-02-02"], ["2026-05-01", "2025-10-01"]),
        ("a year ago", ["2025-05-03"], ["2026-05-01"]),
        ("a couple of weeks ago", ["2026-04-19"], ["2026-05-02"]),
    ],
)
def test_a_vague_phrase_holds_what_people_mean_by_it(text, inside, outside):
    (span,) = spans_in(text, SUNDAY)
    assert all(span.holds(day(moment) + timedelta(hours=9)) for moment in inside)
    assert not any(span.holds(day(moment) + timedelta(hours=9)) for moment in outside)


@pytest.mark.parametrize(
    "text",
    [
        "", "31 June", "30 February 2024", "2026-13-01", "2026-02-30", "0000-00-00", "2026-5-3", "99 May", "May 99",
        "you may 3 things", "may I ask", "march on", "the second", "1234567", "version 20.04", "10.0.0.1", "12026-05-03",
        "last", "ago", "999 years ago plus", "in 3024", "todays", "yesterdayish", "9999-99",
    ],
)  # fmt: skip
def test_what_is_no_time_is_read_as_none(text):
    read = spans_in(text, SUNDAY)
    if text == "999 years ago plus":  # far away, and still a time
        assert read[0].until < day("1100-01-01")
        return
    if text == "you may 3 things":  # it cannot be told from 3 May; being wrong costs a little weight and hides nothing
        assert len(read) == 1
        return
    assert read == ()


@pytest.mark.parametrize(
    "text", ["999 years ago", "9999-12-31", "December 9999", "in 2099", "last 999 years", "0001-01-01"]
)
def test_the_edges_of_the_calendar_do_not_break_it(text):
    for now in (datetime.min.replace(tzinfo=UTC), SUNDAY, datetime.max.replace(tzinfo=UTC)):
        spans_in(text, now)


def test_a_leap_day_has_no_twin_in_other_years():
    assert spans_in("29 February", SUNDAY) == ()
    (span,) = spans_in("29 Feb", datetime(2024, 3, 1, tzinfo=UTC))
    assert span.since == day("2024-02-29")


def test_several_times_are_all_read_once():
    spans = spans_in("today or yesterday or today", SUNDAY)
    assert [span.since for span in spans] == [day("2026-05-03"), day("2026-05-02")]


def test_what_is_from_the_time_one_asks_about_goes_first(open_book):
    from commonplace.testing.clocks import FixedClock

    book = open_book(clock=FixedClock(SUNDAY))
    kept = {}
    for moment in ("2026-05-01", "2026-05-02", "2023-05-10"):
        kept[moment] = book.save("The meeting was long.", type="project", project_id=moment, observed_at=day(moment))
    asked = {"meeting yesterday": "2026-05-02", "meeting in May 2023": "2023-05-10", "meeting on 1 May": "2026-05-01"}
    for query, moment in asked.items():
        results = book.search(query, limit=3)
        assert results[0].record.id == kept[moment].id
        assert results[0].scores["time"] > 0
        assert "from the time you asked about" in results[0].explanation
    assert "time" not in book.search("meeting")[0].scores


def test_a_page_is_not_asked_about_its_dates():
    assert spans_in("today " * 1000, SUNDAY) == ()
