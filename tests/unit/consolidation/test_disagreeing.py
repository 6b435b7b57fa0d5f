"""When can two statements not both be true? Precision first: what is unclear is no conflict (rfc 22, R-b)."""

from __future__ import annotations

import pytest

from commonplace.ingest.consolidate.conflict import disagreement

OPPOSED = [
    ("The API listens on port 8080.", "The API listens on port 9090.", "8080 and 9090"),
    ("Port 8080", "port 9090", "8080 and 9090"),
    ("Alice uses tabs.", "Alice never uses tabs.", "denies"),
    ("Alice uses tabs in Python.", "Alice no longer uses tabs.", "denies"),
    ("Nobody reviews the config", "Somebody reviews the config", "denies"),
    ("Alice moved to Berlin.", "Alice lives in Paris.", "Berlin, and Paris"),
    ("The default branch is main.", "The default branch is trunk.", "main, and trunk"),
    ("The database is Postgres.", "The database is MySQL.", "Postgres, and MySQL"),
    ("Bob works at Acme", "Bob works for Initech", "Acme, and Initech"),
    ("Alice prefers tabs over spaces", "Alice prefers spaces over tabs", "tabs over spaces"),
    ("Deploys happen on Friday.", "Deploys happen on Tuesday.", "Friday and Tuesday"),
    ("We use Python 3.11.", "We use Python 3.12.", "3.11 and 3.12"),
    ("Use v1.2.3 of the SDK.", "Use v1.3.0 of the SDK.", "v1.2.3 and v1.3.0"),
    ("The release is due 12 May 2026.", "The release is due 2026-05-19.", "12 May 2026 and 2026-05-19"),
    ("The release moved to 12 May.", "The release moved to 19 May.", "12 May and 19 May"),
    ("Bob has 2 cats", "Bob has three cats", "2 and three"),
    ("The pool holds 10 connections", "The pool holds 20 connections", "10 and 20"),
    ("We use 3 workers", "We use 4 workers", "3 and 4"),
    ("Logs are kept for 30 days", "Logs are kept for 90 days", "30 and 90"),
    ("The cache is enabled.", "The cache is disabled.", "enabled and disabled"),
    ("The heating is on", "The heating is off", "on and off"),
    ("I lead a team of 4 engineers.", "In my role I now lead a team of five engineers.", "4 and five"),
]
NOT_OPPOSED = [
    ("Alice likes tea", "Alice likes coffee"),
    ("The API is slow.", "The API is documented."),
    ("The staging API runs on port 8080", "The production API runs on port 9090"),
    ("The limit is 100 requests per minute for free users", "The limit is 1000 requests per minute for paid users"),
    ("Do not push to main on Fridays.", "Push to main."),
    ("The timeout is 30 seconds", "The timeout was 60 seconds"),
    ("We use Python 3.", "We use Python 3.12."),
    ("Two dogs are running in the park", "Three dogs are running in the park"),
    ("He lives in Berlin", "He lives in Paris"),
    ("Alice lives in Berlin", "Alice lives in Berlin and Paris"),
    ("Use tabs if the file has tabs", "Use spaces if the file has spaces"),
    ("The meeting is on Friday", "The meeting is on 2026-05-12"),
    ("The cat sits on the desk", "The cat sits off the desk"),
    ("Take a note", "Take no note of it"),
    ("Server 1 runs nginx", "Server 2 runs nginx"),
    ("Issue 12 is closed", "Issue 13 is closed"),
    ("Server 1 runs nginx on port 80 with cache", "Server 2 runs nginx on port 80 with the cache on"),
    ("The staging server 1 runs nginx", "The staging server 2 runs nginx"),
    ("Chapter 3 of the book covers joins", "Chapter 4 of the book covers joins"),
    ("In sprint 12 we rewrote the login", "In sprint 13 we rewrote the login"),
    ("Alice visited Rome in 2023", "Alice visited Rome in 2024"),
    ("We met on Friday", "We met on Monday"),
    ("We fixed issue 12 in the login page", "We fixed issue 13 in the login page today"),
    ("Statement one of mine", "Statement two of mine"),
]


@pytest.mark.parametrize(("one", "other", "reason"), OPPOSED)
def test_what_cannot_both_be_true_is_seen_from_either_side(one, other, reason):
    found, turned = disagreement(one, other), disagreement(other, one)
    assert found is not None
    assert turned is not None
    assert reason in found.reason


@pytest.mark.parametrize(("one", "other"), NOT_OPPOSED)
def test_what_may_both_be_true_is_no_conflict(one, other):
    assert disagreement(one, other) is None
    assert disagreement(other, one) is None


@pytest.mark.parametrize("said", [pair[0] for pair in OPPOSED])
def test_nothing_disagrees_with_itself(said):
    assert disagreement(said, said) is None
