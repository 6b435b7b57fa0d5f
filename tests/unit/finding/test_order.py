"""What goes before what: the latest word, both sides of a conflict, statements before essays, wishes, neighbours, no repeats."""

from __future__ import annotations

from datetime import timedelta

import pytest

from commonplace.retrieve import rerank
from commonplace.retrieve.asking import asks_for_help
from commonplace.retrieve.contender import Contender
from commonplace.retrieve.freshest import asks_for_the_latest, tells_of_a_change
from commonplace.retrieve.sequence import Neighbours
from commonplace.retrieve.understand import understand
from commonplace.retrieve.wishes import is_instruction, is_wish
from commonplace.seam.terms import Strand
from commonplace.testing.clocks import EPOCH


@pytest.mark.parametrize(
    "question", ["how many users do we have now", "what is the current port", "what is our budget"]
)
def test_who_asks_for_a_value_gets_the_latest_word_on_it(book, found, question):
    told = {"users": "We have {} users.", "port": "The port is {}.", "budget": "Our budget is {} euros."}
    for said in told.values():
        for n, value in enumerate((120, 340, 560)):
            book.save(said.format(value), type="project", project_id="p", observed_at=EPOCH + timedelta(days=n))
    (subject,) = [word for word in told if word in question]
    assert found(book, question)[0] == told[subject].format(560)


def test_of_several_later_ones_the_best_goes_first_and_not_whatever_came_last(book, found):
    for said in (
        "The port of the shop is 8080, shop port.",
        "The shop port is now 9090.",
        "Port 25 of some shop was seen.",
    ):
        book.save(said, type="project", project_id="p")
    assert found(book, "what is the current port of the shop") == [
        "The shop port is now 9090.",
        "Port 25 of some shop was seen.",
        "The port of the shop is 8080, shop port.",
    ]


def test_what_was_moved_up_says_so_in_its_scores(book):
    book.save("The port is 8080, port port.", type="project", project_id="p")
    late = book.save("The port is 9090.", type="project", project_id="p")
    first, second = book.search("what is the current port", project="p")
    assert first.record.id == late.id
    assert first.scores["freshness"] > 0
    assert first.score >= second.score


def test_among_sessions_the_last_one_does_not_go_first_for_a_number_in_it(understood):
    """A long text holds some number whatever it tells."""
    filler = "We walked and talked and had 3 cups of tea. " * 20
    best = understood.save(f"The port is 8080, port port. {filler}", type="episode")
    for n in range(4):
        understood.save(f"The port came up once more, {n}. {filler}", type="episode")
    understood.index_pending()
    first = understood.search("what is the current port")[0]
    assert first.record.id == best.id
    assert "freshness" not in first.scores


def test_where_statements_stand_at_the_head_of_many_essays_the_last_one_goes_first(understood):
    """All but two are long; what is moved is the head, and there they are not."""
    for n in range(30):
        understood.save(f"A port with a clinic, {n}. " + "The doctor had 3 cups of tea. " * 20, type="episode")
    understood.save("The current port to drive to is 80.", type="episode")
    late = understood.save("The port to drive to is 90.", type="episode")
    understood.index_pending()
    first = understood.search("what is the current port to drive to")[0]
    assert first.record.id == late.id
    assert first.scores["freshness"] > 0


@pytest.mark.parametrize(
    "question", ["what was the first port", "which port did we use previously", "history of the port"]
)
def test_who_asks_for_the_past_does_not(book, question):
    assert not asks_for_the_latest(understand(question, EPOCH))
    book.save("The port is 8080, port port.", type="project", project_id="p")
    book.save("The port is 9090.", type="project", project_id="p")
    assert "8080" in book.search(question, project="p")[0].record.content


def test_who_names_a_time_wants_the_value_of_then():
    for question in ("what is our budget", "when is the webinar?", "did I finish the book?", "have they moved yet"):
        assert asks_for_the_latest(understand(question, EPOCH))
    for question in ("what was our budget in May 2023", "what is our budget this year, and what was it last year"):
        assert not asks_for_the_latest(understand(question, EPOCH))


def test_who_names_this_year_wants_the_value_of_now(book):
    assert asks_for_the_latest(understand("what is our budget this year?", EPOCH))
    for n, said in enumerate(("The budget is 120 euros, budget budget.", "The budget is 340 euros.")):
        book.save(said, type="project", project_id="p", observed_at=EPOCH + timedelta(days=n))
    assert "340" in book.search("what is our budget this year?", project="p")[0].record.content


@pytest.mark.parametrize("said", ["The new port is 9090.", "They moved to Oslo.", "The budget was raised to 50."])
def test_who_tells_of_a_change_is_lifted_if_what_holds_now_is_asked(book, said):
    assert tells_of_a_change(said)
    assert not tells_of_a_change(said + " filler" * 100), "a long text has such a word whatever it tells"
    change = book.save(said, type="project", project_id="p")
    book.save("The port, the budget and Oslo.", type="project", project_id="p")
    for query, wanted in (
        ("where do they live now, in Oslo? port, budget", True),
        ("the first of Oslo, port, budget", False),
    ):
        result = {one.record.id: one for one in book.search(query, project="p")}[change.id]
        assert ("change" in result.scores) is ("it tells of a change" in result.explanation) is wanted


def test_what_has_other_words_or_no_number_is_not_moved(book, found):
    book.save("The port of the shop is 8080, the shop port.", type="project", project_id="p")
    book.save("The shop opens at noon these days.", type="project", project_id="p")
    book.save("The gate of the harbour has the number 3.", type="project", project_id="p")
    assert found(book, "what is the port of the shop", project="p")[0].startswith("The port of the shop")


def test_a_superseded_memory_stands_behind_the_one_that_replaced_it(book):
    old = book.save("The port is 8080 port port port.", type="project", project_id="p")
    new = book.evolve(old.id, "It listens on 9090, the port.", reason="moved")
    ids = [result.record.id for result in book.search("which port", statuses=["active", "superseded"])]
    assert ids == [new.id, old.id]
    assert [result.record.id for result in book.search("which port")] == [new.id]


def test_both_sides_of_a_conflict_come_up_together(book):
    """rfc 53: though only one of them holds the words."""
    for n in range(40):
        book.save(f"The release train number {n} leaves on some other day.", type="project", project_id="p")
    one = book.save("Release train Falcon leaves every Tuesday.", type="project", project_id="p")
    other = book.save("It departs on Thursdays, says the schedule.", type="project", project_id="p")
    book.contradict(one.id, other.id)
    ids = [
        result.record.id for result in book.search("when does the release train Falcon leave every week", project="p")
    ]
    assert ids.index(one.id) < ids.index(other.id) < 5
    assert "linked to a strong hit" in book.search("release train Falcon", project="p")[1].explanation


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("listens on port 8080", "listens on port 9090"),
        ("is approved", "is not approved"),
        ("is led by Alice and not by Bob", "is led by Bob and not by Alice"),
        ("is on before the freeze", "is on after the freeze"),
    ],
)
def test_a_long_statement_with_one_word_changed_is_another_statement(book, one, other):
    """rfc 53: many shared words do not make them the same."""
    said = (
        "The production database cluster of the web shop in the Frankfurt region {} since the last big release of May "
        "because the security team asked the platform group for this change in writing."
    )
    saved = {book.save(said.format(each), type="project", project_id="p").id for each in (one, other)}
    assert {result.record.id for result in book.search("production database cluster Frankfurt")} == saved


def test_the_same_thing_said_twice_takes_one_place(book):
    first = book.save("The shop database is Postgres.", type="project", project_id="p")
    book.save("The shop's database is a Postgres.", type="artifact", project_id="p")
    book.save("the SHOP database is: Postgres!", type="project", project_id="q")
    book.save("The shop database is Postgres 16.", type="project", project_id="p")
    results = book.search("shop database", limit=10)
    assert len(results) in (2, 3)
    assert any("16" in result.record.content for result in results)
    reasons = {one.memory_id: one.reason for one in book.receipts()[0].near_misses}
    assert any("says the same as" in reason for reason in reasons.values())
    assert first.id in {*reasons, *(result.record.id for result in results)}


def test_a_linked_memory_comes_up_with_a_strong_hit_and_is_worth_less(book):
    hit = book.save("Falcon uses Kafka for events.", type="project", project_id="p")
    beside = book.save("Consumers must be idempotent.", type="project", project_id="p")
    book.save("Lunch is at noon.", type="project", project_id="p")
    book.link(beside.id, hit.id, "applies_to")
    one, two = book.search("Falcon Kafka events", project="p")
    assert (one.record.id, two.record.id) == (hit.id, beside.id)
    assert two.scores["links"] == pytest.approx(0.5 * (one.scores["lexical"]), rel=0.1)
    book.archive(beside.id)
    assert len(book.search("Falcon Kafka events", project="p")) == 1


def test_a_statement_goes_before_an_essay(book):
    essay = book.save("About the kestrel. " + "It is a long story with many turns. " * 80, type="episode")
    said = book.save("The kestrel is our mascot, and a long story.", type="project", project_id="p")
    one, two = book.search("kestrel story")
    assert (one.record.id, two.record.id) == (said.id, essay.id)
    assert two.scores["brevity"] < 0
    assert "brevity" not in one.scores


@pytest.mark.parametrize(
    "question",
    [
        "Can you suggest a dinner?",
        "how should I name this",
        "what should we cook",
        "I need ideas for supper",
        "recommend a film",
    ],
)
def test_a_request_for_help_is_told(question):
    assert asks_for_help(question)


@pytest.mark.parametrize(
    "question",
    [
        "what did I say about dinner?",
        "when was the release",
        "summarize what we did",
        "remind me what I need",
        "what did you recommend for dinner?",
        "how would your advice on dinner go",
        "the port",
        "",
    ],
)
def test_a_question_about_what_was_is_no_request(question):
    assert not asks_for_help(question)


@pytest.mark.parametrize("said", ["I prefer tabs.", "We always squash.", "Never deploy on Friday.", "She prefers tea."])
def test_a_wish_is_told(said):
    assert is_wish(said)
    assert not is_wish(said + " filler" * 300)  # an essay is none


@pytest.mark.parametrize("said", ["From now on answer in French.", "Always cite the file when I ask about code."])
def test_an_instruction_is_told(said):
    assert is_instruction(said)


@pytest.mark.parametrize("said", ["The port is 8080.", "Dinner was late.", "I went home."])
def test_a_plain_statement_is_neither(said):
    assert not is_wish(said)
    assert not is_instruction(said)


def test_who_asks_for_help_has_wishes_lifted(book):
    wish = book.save("I prefer dinner without meat.", type="profile")
    lifts = {
        query: {result.record.id: result.scores for result in book.search(query)}[wish.id].get("wishes", 0.0)
        for query in ("can you suggest a dinner", "where did we have dinner")
    }
    assert [lift > 0 for lift in lifts.values()] == [True, False]


@pytest.mark.parametrize(
    ("question", "others", "wanted", "component"),
    [
        ("budget", "This is the budget number {}.", "In a budget give sums in euros from now on.", "instructions"),
        (
            "suggest a dinner",
            "This is the dinner number {}.",
            "I prefer a dinner without any meat, as we do.",
            "wishes",
        ),
    ],
)
def test_what_is_wanted_every_time_is_found_from_far_down(book, question, others, wanted, component):
    """It shares a word with the question, and so do sixty others, which say nothing else."""
    wish = book.save(wanted, type="project", scope="global")
    for n in range(60):
        book.save(others.format(n), type="project", scope="global")
    found = {one.record.id: one.scores for one in book.search(question)}
    assert found[wish.id][component] > 0
    assert sum(scores["lexical"] > found[wish.id]["lexical"] for scores in found.values()) == len(found) - 1


# Neighbours -------------------------------------------------------------------------------------------------------------

TALK = ["Ann: shall we go to the lake?", "Bob: yes, on Sunday!", "Ann: I bring the tent."]


def saved(book, texts, **more):
    return [book.save(text, **({"type": "episode", "scope": "project", "project_id": "p"} | more)) for text in texts]


def test_what_was_said_right_after_a_hit_is_lifted_by_it(understood):
    """A short remark is about what the one before it names."""
    saved(understood, TALK)
    saved(understood, [f"Note {n}: nothing much." for n in range(12)], type="artifact")
    understood.index_pending()
    found = {result.record.content: result for result in understood.search("the lake", project="p")}
    assert "what was said right before or after it" in found[TALK[1]].explanation
    assert found[TALK[1]].scores["lexical"] > 0


def test_speakers_make_a_conversation_of_other_types_too(understood):
    saved(understood, TALK, type="artifact")
    saved(understood, [f"Note number {n} says nothing much." for n in range(12)], type="artifact")
    understood.index_pending()
    assert TALK[1] in [result.record.content for result in understood.search("the lake", project="p")]


@pytest.mark.parametrize(
    ("texts", "more"),
    [
        (["We go to the lake.", "It is on Sunday."], {"type": "artifact"}),  # statements, nobody's words
        (["Ann: shall we go to the lake?", "Bob: yes. " + "And then there is much more to say. " * 60], {}),
    ],
)
def test_facts_stand_alone_and_long_texts_nearly_so(understood, texts, more):
    saved(understood, texts, **more)
    saved(understood, [f"Note number {n} says nothing much." for n in range(12)], type="artifact")
    understood.index_pending()
    results = {result.record.content: result for result in understood.search("the lake", project="p")}
    own = results[texts[0]].scores["lexical"]
    assert texts[1] not in results or results[texts[1]].scores.get("lexical", 0.0) < 0.1 * own


def test_another_owner_or_an_hour_later_is_another_conversation(understood):
    saved(understood, TALK[:1])
    saved(understood, TALK[1:2], project_id="q")
    saved(understood, TALK[:1], project_id="r", observed_at=EPOCH)
    saved(understood, TALK[1:2], project_id="r", observed_at=EPOCH + timedelta(hours=1))
    understood.index_pending()
    for result in understood.search("the lake", limit=20):
        assert result.record.content == TALK[0] or not result.scores.get("lexical")


def test_a_sitting_about_one_thing_does_not_lift_itself():
    """Who holds the words gains hardly anything from neighbours who hold them too; who lacks them gains most of it (ADR 37)."""
    owner, opening = ("episode", "p", None, None), "Ann: the lake"
    strands = {place: Strand(owner, 0, 60, opening) for place in range(1, 8)}
    alike = dict.fromkeys(strands, 5.0)
    words, nearness = Neighbours([4], strands).lent(alike, dict.fromkeys(strands, 0.1))
    assert words[4] < 1.15 * alike[4]
    assert nearness[4] == 0.1, "nobody is nearer, so there is nothing to borrow"
    words, nearness = Neighbours([4], strands).lent({3: 5.0}, {3: 0.1, 4: 0.0})
    assert words[4] > 0.65 * 5.0
    assert nearness[4] > 0.0


def test_of_whom_no_meaning_is_known_none_is_borrowed_and_none_lent():
    strands = {place: Strand(("episode", "p", None, None), 0, 60, "Ann: hello") for place in (1, 2, 3)}
    _, nearness = Neighbours([1, 2, 3], strands).lent({2: 3.0}, {1: -0.2, 3: -0.3})
    assert nearness == {1: -0.2, 3: pytest.approx(-0.3 + 0.1 * 0.1)}


# Read again -------------------------------------------------------------------------------------------------------------


class Reading:
    """A second model that keeps what it is given to read."""

    model = "reading"

    def __init__(self):
        self.read = []

    def scores(self, query, passages):
        self.read += passages
        return [0.0] * len(passages)


@pytest.mark.parametrize(
    ("before", "text", "read"),
    [
        ("Ann: shall we go?", "Bob: yes!", "Ann: shall we go? Bob: yes!"),
        ("A long answer. " * 40, "Bob: yes!", "Bob: yes!"),  # an essay's end is no question
        ("Ann: shall we go?", "Bob: yes. " * 60, "Bob: yes. "),
    ],
)
def test_a_short_memory_is_read_with_the_short_one_before_it(book, before, text, read):
    first, second = saved(book, [before, text])
    contender, model = Contender(second.id, 2), Reading()
    contender.record = second
    rerank.rerank(model, understand("do we go?", EPOCH), [contender], {1: first})
    assert model.read[0].startswith(read)
    assert (before in model.read[0]) is (read != text[: len(read)])


def test_what_the_second_model_says_counts_half_for_a_request_for_help(book):
    """It knows what answers a question, and not what helps with a task."""
    record, adds = book.save("The oven is small.", type="project", scope="global"), {}
    for asked in ("how small is the oven?", "can you suggest a dinner for tonight?"):
        contender = Contender(record.id, 1)
        contender.record = record
        rerank.rerank(Reading(), understand(asked, EPOCH), [contender], {})
        adds[asks_for_help(asked)] = contender.scores["rerank"]
    assert adds[True] == pytest.approx(adds[False] / 2)


def test_what_the_second_model_says_counts_less_if_it_read_but_a_passage_or_was_not_taught_to_tell(book):
    record, adds = book.save("The oven is small.", type="project", scope="global"), {}
    for taught, long in ((True, False), (True, True), (False, False)):
        contender, model = Contender(record.id, 1), Reading()
        contender.record, model.knows_absence = record, taught
        rerank.rerank(model, understand("how small is the oven?", EPOCH), [contender], {}, are_long=long)
        adds[taught, long] = contender.scores["rerank"]
    assert 0 < adds[True, True] == adds[False, False] < adds[True, False]


def test_to_be_told_no_harder_than_the_model_means_it_costs_nothing(book):
    """A model says how low its no can sensibly go: what is below is all the same to it."""
    record, adds = book.save("The oven is small.", type="project", scope="global"), {}
    for answer in (-9.0, -2.0, 1.0):
        model, contender = Reading(), Contender(record.id, 1)
        model.least, model.knows_absence = -2.0, True
        model.scores = lambda query, passages, answer=answer: [answer] * len(passages)
        contender.record = record
        rerank.rerank(model, understand("how small is the oven?", EPOCH), [contender], {})
        adds[answer] = contender.scores["rerank"]
        assert rerank.best_answer(model, [contender]) == answer
        assert rerank.best_answer(Reading(), [contender]) is None
    assert adds[-9.0] == adds[-2.0] == 0.0 < adds[1.0]


def test_one_yes_among_many_may_be_a_slip():
    """The second best answer counts for whether there is one at all; but where one memory alone answers, that one does."""
    model = Reading()
    model.knows_absence = True

    def best(*answers: float) -> float | None:
        ranked = [Contender(str(n), n) for n in range(len(answers))]
        for one, answer in zip(ranked, answers, strict=True):
            one.raw["rerank"] = answer
        return rerank.best_answer(model, ranked)

    assert best(3.0, 2.5, -1.0) == best(2.5, 3.0) == 2.5
    assert best(3.0, -4.0, -5.0) == 1.0
    assert best(3.0) == 3.0
    assert best() is None
