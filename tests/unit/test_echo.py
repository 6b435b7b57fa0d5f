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


def said_back(context, number):
    """What was handed out, as a transcript may hold it: whole, repeated, strung together, or politely introduced."""
    lines = [line.rsplit(" | ", 1)[1] for line in context.text.splitlines() if line.startswith("- ")]
    strung = " and that ".join(line[0].lower() + line[1:].rstrip(".") for line in lines)
    return (
        f"user: hello\n{context.text}\nassistant: ok",
        "assistant: " + " ".join(lines),
        f"user: I know that {strung}.",
        "\n".join(f"assistant: As you told me, {line}" for line in lines),
    )[number % 4]


def feed_back(book, rounds):
    things, steps = ("Falcon", "Osprey", "Heron", "Kestrel"), ("editor", "shell", "build", "deploy")
    for n in range(60):
        book.save(f"{things[n % 4]} service {n} listens on port {8000 + n} because {7000 + n} is taken.", type="project",
                  project_id="p")  # fmt: skip
        book.save(f"Alice prefers option {n} for the {steps[n % 4]} step.", type="profile")
        book.save(f"We decided to use library-{n} because it is faster than library-{n + 100}.", type="decision",
                  project_id="p")  # fmt: skip
    before = {record.id for record in book.list(statuses="all", limit=1000)}
    for n in range(rounds):
        task = f"the port of service {n % 60}, library-{n % 59}, option {n % 53}"
        book.capture_session(said_back(book.context_for("p", task=task, session=f"s{n}"), n), project_id="p")
    report = book.process_pending()
    assert (report.failed, report.dead) == (0, 0)
    return report, {record.id for record in book.list(statuses="all", limit=1000)} - before


def test_injected_contexts_that_come_back_as_transcripts_make_no_memory(book):
    """Each of them is kept as a source; none of them becomes a memory, not even an episode."""
    report, new = feed_back(book, 16)
    assert report.done == 16
    assert new == set()


@pytest.mark.nightly
def test_a_thousand_of_them_make_none_either(book):
    report, new = feed_back(book, 1_000)
    assert (report.done, new) == (1_000, set())


def test_what_is_said_beside_the_echo_is_kept(book):
    book.save("Falcon deploys to port 8443.", type="project", project_id="falcon")
    context = book.context_for("falcon", task="falcon port")
    text = f"user: hello\n{context.text}\nuser: I prefer answers in French, please, from now on."
    book.capture_session(text, project_id="falcon")
    assert book.process_pending().made == 1
    (item,) = book.inbox()
    assert "French" in item.record.content
    (episode,) = book.list(types="episode")
    assert "8443" not in episode.content
