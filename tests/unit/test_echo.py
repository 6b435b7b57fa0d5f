"""What was injected does not come back as something new: it is a use of a memory, not evidence for it."""

from __future__ import annotations

import pytest

from commonplace.ingest.echo import echo_of, injected_spans


@pytest.fixture
def handed(book):
    """A book whose memories were handed to an agent."""
    book.save("Falcon deploys to port 8443 because 443 is taken.", type="project", project_id="falcon")
    book.save("Alice prefers short answers without apologies.", type="profile")
    context = book.context_for("falcon", task="which port does falcon deploy to, and how does Alice like answers?")
    assert "8443" in context.text
    return context.text


def echo(book, text):
    with book._scribe.reading() as view:
        return echo_of(view, text)


class TestInTheFence:
    def test_a_fenced_block_is_found_whole_with_what_is_around_it_left_out(self, handed):
        text = f"user: hello\n{handed}\nassistant: hi"
        ((start, end),) = injected_spans(text)
        assert text[start:end] == handed

    def test_a_block_that_was_cut_off_reaches_to_the_end(self, handed):
        text = "user: hello\n" + handed[: len(handed) // 2]
        assert injected_spans(text) == [(12, len(text))]

    def test_its_lines_are_known_without_the_fence_too(self, handed):
        line = handed.splitlines()[1]
        assert injected_spans(f"I was told:\n{line}\nthanks") == [(12, 12 + len(line))]

    def test_ordinary_text_has_none(self):
        assert injected_spans("The memory of the server is full. <memory> | a | b |") == []

    def test_it_takes_linear_time(self):
        import time

        def spent(text):
            started = time.process_time()
            injected_spans(text)
            return time.process_time() - started

        for seed in ("<memory aaaaaaaaaaaaaaaaaaaa> ", "- 01ARZ3NDEKTSV4RRFFQ69G5FAV | ", "<memory ", "- \n"):
            small, large = min(spent(seed * 2_000) for _ in range(3)), min(spent(seed * 20_000) for _ in range(3))
            assert large < 40 * max(small, 1e-4), seed


class TestInOtherWords:
    @pytest.mark.parametrize("text", [
        "Falcon deploys to port 8443 because 443 is taken.", "falcon deploys to port 8443, because 443 is taken",
        "As noted, Falcon deploys to port 8443.", "Port 8443 is what Falcon deploys to, since 443 is taken.",
        "Alice prefers short answers, without apologies.", "Alice prefers short answers.",
    ])  # fmt: skip
    def test_a_light_paraphrase_of_what_was_handed_out_is_an_echo(self, book, handed, text):
        assert echo(book, text)

    @pytest.mark.parametrize("text", [
        "Falcon deploys to port 9000 because 8443 is taken.", "Falcon is written in Rust by three people.",
        "Bob prefers long answers with many examples.", "", "?",
    ])  # fmt: skip
    def test_what_says_something_of_its_own_is_not(self, book, handed, text):
        assert echo(book, text) is None

    def test_what_was_only_searched_for_was_not_handed_out(self, book):
        book.save("Falcon deploys to port 8443.", type="project", project_id="falcon")
        assert book.search("falcon port")
        assert echo(book, "Falcon deploys to port 8443.") is None
