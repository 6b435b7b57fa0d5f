"""Was it then? A time in the question lifts what was observed then, what was told of it later, and shuts nothing out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from commonplace.retrieve.moments import Span, spans_in
from commonplace.retrieve.then import by_the_book, observed, told
from commonplace.retrieve.understand import understand
from commonplace.testing.clocks import FixedClock
from commonplace.testing.makers import a_memory

from .points import points

NOW = datetime(2026, 5, 3, 15, 30, tzinfo=UTC)


def day(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


MAY = Span(day("2023-05-01"), day("2023-06-01"))


def seen(moment, content="We talked."):
    return a_memory(content, observed_at=day(moment))


def test_what_is_told_a_little_later_counts_less_the_later():
    worth = [
        observed(seen(moment), [MAY])
        for moment in ("2023-05-20", "2023-06-01", "2023-06-08", "2023-09-01", "2023-04-30")
    ]
    assert worth[0] == 1.0
    assert worth == [*sorted(worth[:4], reverse=True), 0.0]
    assert worth[3] < 0.001


def test_a_memory_speaks_of_a_time_as_of_its_own_day():
    about_the_seventh = [Span(day("2023-05-07"), day("2023-05-08"))]
    assert told(seen("2023-05-08", "Ann: I ran a race yesterday."), about_the_seventh) == 1.0
    assert told(seen("2023-05-08", "Ann: I run."), about_the_seventh) == 0.0
    assert 0 < told(seen("2023-06-08", "Ann: I ran a lot last month."), about_the_seventh) < 0.1


def test_what_was_told_of_a_day_goes_before_what_else_was_said_soon_after(open_book):
    book = open_book(clock=FixedClock(NOW))
    book.save("Ann: the race, oh the race, was fun.", type="episode", observed_at=day("2023-05-08"))
    right = book.save("Ann: I ran a race yesterday.", type="episode", observed_at=day("2023-05-08") + timedelta(days=1))
    book.save("Ann: I ran a race.", type="episode", observed_at=day("2024-01-08"))
    found = book.search("Which race did Ann run on 8 May 2023?")
    assert right.id in [each.record.id for each in found[:2]]
    assert len(found) == 3, "no time shuts anything out"


@pytest.mark.parametrize("phrase", ["last week", "two weeks ago", "last month", "yesterday"])
def test_in_a_book_that_slept_time_is_counted_from_its_newest_memory(phrase):
    asleep, awake = [seen("2023-05-20")], [seen("2023-05-20"), seen("2026-05-02")]
    question = understand(f"What did we decide {phrase}?", NOW)
    read = by_the_book(question, asleep)
    assert all(span.since < day("2023-05-21") and span.until > day("2023-04-01") for span in read.spans)
    assert by_the_book(question, awake) == question
    assert by_the_book(question, []) == question


def test_a_date_with_a_year_is_the_same_in_any_book(open_book):
    book = open_book(clock=FixedClock(NOW))
    kept = book.save("The meeting was long.", type="project", project_id="a", observed_at=day("2019-03-03"))
    assert "time" not in book.search("the meeting of 5 March 2024")[0].scores
    assert points(book, "the meeting of 3 March 2019")[kept.content]["time"] == pytest.approx(3.0, abs=1e-3)
    assert book.search("the meeting of last week")[0].record.id == kept.id


def test_until_a_day_is_not_that_day():
    assert spans_in("how far did we get until 3 May 2024", NOW) == ()


def test_who_wants_help_for_today_does_not_ask_about_today():
    assert understand("Can you suggest a dinner for tonight?", NOW).spans == ()
    assert understand("What should I do this week?", NOW).spans == ()
    assert len(understand("What did we decide today?", NOW).spans) == 1
    assert len(understand("Can you suggest a dinner like that of 3 March 2024?", NOW).spans) == 1


@pytest.mark.parametrize("date", ["9999-12-30", "2031-02-03", "3 February 2031", "in 2031"])
def test_a_date_that_is_named_is_itself_also_in_a_book_that_slept(open_book, date):
    """Also one at the end of all dates, which people write for `never`."""
    question = understand(f"What is due {date}?", NOW)
    assert question.spans
    assert by_the_book(question, [seen("2023-05-20")]).spans == question.spans
    book = open_book(clock=FixedClock(NOW))
    book.save("The fee is due.", type="episode", observed_at=day("2023-05-20"))
    assert len(book.search(f"What is due {date}?")) == 1


def test_who_wants_help_for_tonight_does_not_ask_about_the_end_of_a_book_that_slept():
    question = understand("Can you recommend a dinner for tonight, as it was two weeks ago?", NOW)
    assert question.wants_help
    [two_weeks_ago] = by_the_book(question, [seen("2023-05-20")]).spans
    assert not two_weeks_ago.holds(day("2023-05-20"))
