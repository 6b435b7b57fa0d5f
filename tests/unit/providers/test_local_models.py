"""Models on this machine: the vectors are those we know, and a vector depends on its text and on nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from commonplace.errors import UnavailableError
from commonplace.providers.choice import choose, choose_reranker
from commonplace.providers.fetch import fetch_models
from commonplace.providers.reranker import CrossEncoder
from commonplace.providers.static import StaticEmbedder
from commonplace.providers.transformer import TransformerEmbedder
from commonplace.providers.weights import BGE, E5, POTION, RERANKER, TAUGHT, TAUGHT_RERANKER
from commonplace.providers.wordpiece import words_of

QUESTION = "When did we raise the limit of the connection pool?"
ANSWER = "The pool holds 20 connections since 14 March, because the importer ran out of them."
ODD = "Café naïve — 東京 2026 🙂"
ASIDE = "The cat sleeps on the sofa."

GOLDEN = {
    TAUGHT.name: {
        ("query", QUESTION): (-0.0643, 0.0435, 0.0275, -0.0383, 0.0160, 0.0449, 0.0028, -0.0377),
        ("document", ANSWER): (-0.0504, 0.0142, 0.0030, -0.0228, -0.0084, -0.0259, 0.0575, -0.0583),
        ("document", ODD): (-0.0650, -0.0301, -0.0132, -0.0086, 0.0551, 0.0787, 0.0147, -0.0695),
    },
    E5.name: {
        ("query", QUESTION): (-0.0801, 0.0861, 0.0260, 0.0087, -0.0149, 0.0315, 0.0385, -0.0477),
        ("document", ANSWER): (-0.0816, 0.0087, 0.0356, 0.0203, -0.0099, 0.0178, 0.0488, -0.0368),
        ("document", ODD): (-0.0789, 0.0003, 0.0010, 0.0068, 0.0070, 0.0659, 0.0265, -0.0373),
    },
    POTION.name: {
        ("query", QUESTION): (-0.2036, 0.1920, 0.0304, -0.1275, 0.0788, 0.1485, 0.0844, -0.0033),
        ("document", ODD): (0.0379, 0.0458, -0.0728, 0.0382, -0.0070, 0.2140, 0.0408, -0.1218),
    },
}


@pytest.fixture(scope="module")
def e5():
    return TransformerEmbedder(E5)


@pytest.fixture(scope="module")
def ours():
    return TransformerEmbedder(TAUGHT)


@pytest.fixture(scope="module")
def potion():
    return StaticEmbedder(POTION)


@pytest.fixture(scope="module", params=[TAUGHT_RERANKER, RERANKER], ids=lambda one: one.name)
def reranker(request):
    return CrossEncoder(request.param)


@pytest.fixture(params=["e5", "ours", "potion"])
def embedder(request):
    return request.getfixturevalue(request.param)


def cosine(one, other):
    return float(np.dot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other)))


@pytest.mark.parametrize(
    ("model", "kind", "text"), [(model, *case) for model, cases in GOLDEN.items() for case in cases]
)
def test_the_vectors_are_those_we_know(model, kind, text):
    """A model, a tokenizer or a runtime that changed would show here, and mix with vectors that were kept."""
    embedder = choose({"embedder": model})
    vector = embedder.query(text) if kind == "query" else embedder.documents([text])[0]
    assert cosine(vector[:8], GOLDEN[model][kind, text]) >= 0.999
    assert np.linalg.norm(vector[:8]) == pytest.approx(np.linalg.norm(GOLDEN[model][kind, text]), rel=0.02)


def test_the_answer_is_nearer_to_the_question_than_something_else(embedder):
    near, far = embedder.documents([ANSWER, ASIDE]) @ embedder.query(QUESTION)
    assert near > far + 0.05


def test_the_taught_one_is_less_taken_in_by_a_line_that_only_shares_the_words(e5, ours):
    """What it was taught for: who plays what, asked with a general word, beside a line that asks the same."""
    question = "Which instrument does Mina play?"
    lines = [
        "Mina: I have my cello lesson at six, so I am in a hurry.",
        "Jo: Which instrument did they play at the fair, Mina?",
    ]
    ahead = [np.subtract(*(one.documents(lines) @ one.query(question))) for one in (e5, ours)]
    assert ahead[1] > ahead[0] + 0.03


def test_every_row_has_length_one_and_its_own_text(embedder):
    texts = [ANSWER, "", ODD, " \n", ASIDE, "\x00\ufffd", "🙂", "\ud800", "word " * 3000]
    rows = embedder.documents(texts)
    assert rows.shape == (len(texts), embedder.dimensions)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    for text, row in zip(texts, rows, strict=True):
        assert np.array_equal(embedder.documents([text])[0], row), "a vector depends on its text alone"


def test_no_texts_are_no_rows(embedder):
    assert embedder.documents([]).shape == (0, embedder.dimensions)


def test_a_question_is_not_embedded_as_a_document(e5):
    assert cosine(e5.query(ANSWER), e5.documents([ANSWER])[0]) < 0.999


@pytest.mark.parametrize("question", [QUESTION, ODD, "", "unbelievably antidisestablishmentarian?", "word " * 3000])
def test_a_question_is_also_understood_word_by_word(e5, question):
    vector, words, rows = e5.query_by_words(question)
    assert np.array_equal(vector, e5.query(question))
    assert words == words_of(question)[: len(words)]
    assert len(words) == len(words_of(question)) or len(words) > 500, "only what is too long is cut"
    assert rows.shape == (len(words), e5.dimensions)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_a_word_means_what_it_means_in_its_question(e5):
    about_money, about_water = e5.documents(
        ["He opened an account to save money.", "The river was high, and it rained."]
    )
    said = {question: e5.query_by_words(question)[1:] for question in ("the bank of my savings", "the bank of a river")}
    bank = {question: rows[words.index("bank")] for question, (words, rows) in said.items()}
    savings, river = bank["the bank of my savings"], bank["the bank of a river"]
    assert savings @ about_money - river @ about_money > 0
    assert river @ about_water - savings @ about_water > 0


def test_what_is_too_long_is_cut(e5):
    begins = "pool " * 600
    assert np.array_equal(e5.query(begins + "cat " * 50), e5.query(begins))


def test_threads_and_their_number_change_nothing(e5):
    texts = [f"{ANSWER} {n}" * (n % 3 + 1) for n in range(12)]
    alone = e5.documents(texts)
    assert np.array_equal(TransformerEmbedder(E5, threads=1).documents(texts), alone)
    assert np.array_equal(TransformerEmbedder(E5, threads=4).documents(texts), alone)
    with ThreadPoolExecutor(4) as pool:
        at_once = [*pool.map(lambda _: e5.documents(texts[:4]), range(4))]
    assert all(np.array_equal(rows, alone[:4]) for rows in at_once)


def test_many_threads_may_be_the_first():
    fresh = TransformerEmbedder(E5)
    with ThreadPoolExecutor(4) as pool:
        rows = [*pool.map(fresh.query, [QUESTION] * 4)]
    assert all(np.array_equal(row, rows[0]) for row in rows)


def test_a_child_process_may_go_on_with_a_loaded_model():
    script = (
        "import os\nfrom commonplace.providers.choice import choose\n"
        "e = choose({}); before = e.query('x').tobytes(); e.documents(['a', 'b'])\n"
        "pid = os.fork()\n"
        "if not pid: os._exit(0 if e.query('x').tobytes() == before and len(e.documents(['a', 'b', 'c'])) == 3 else 1)\n"
        "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    )
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0


def test_the_reranker_knows_what_answers_a_question(reranker):
    right, wrong = reranker.scores(QUESTION, [ANSWER, ASIDE])
    assert right > 0 > wrong


def test_a_score_depends_on_its_passage_alone_and_keeps_its_place(reranker):
    passages = [ASIDE, ANSWER, "", ODD, ANSWER * 20, ANSWER]
    together = reranker.scores(QUESTION, passages)
    assert together == [reranker.scores(QUESTION, [one])[0] for one in passages]
    assert together[1] == together[5]
    assert reranker.scores(QUESTION, []) == []


def test_any_question_and_any_passage_are_legal(reranker):
    scores = reranker.scores("why? " * 2000, ["", "\x00", "because " * 5000])
    assert np.isfinite(scores).all()


@pytest.fixture
def copied(no_models, monkeypatch):
    """The models' files, copied so that they may be broken."""

    def copy(weights):
        monkeypatch.delenv("COMMONPLACE_MODELS")
        origin = weights.folder
        monkeypatch.setenv("COMMONPLACE_MODELS", str(no_models))
        shutil.copytree(origin, weights.folder)
        return Path(weights.folder)

    return copy


def test_a_damaged_vocabulary_is_refused(copied):
    """A vocabulary with two words exchanged would give vectors that look right and mean nothing."""
    vocabulary = copied(E5) / "vocab.txt"
    raw = vocabulary.read_bytes()
    vocabulary.write_bytes(raw.replace(b"\nthe\nof\n", b"\nof\nthe\n"))
    assert vocabulary.stat().st_size == len(raw)
    with pytest.raises(UnavailableError, match="vocabulary is damaged") as refused:
        TransformerEmbedder(E5).query("x")
    assert "python -m commonplace.providers.fetch e5-small-v2" in refused.value.hint


@pytest.mark.parametrize("content", [b"", b"\0" * E5.files[0].size, b"not a model"])
def test_a_damaged_model_is_refused_and_not_a_crash(copied, content):
    (copied(E5) / "model.onnx").write_bytes(content)
    with pytest.raises(UnavailableError) as refused:
        TransformerEmbedder(E5).query("x")
    assert refused.value.code == "no_model"


def test_asking_which_model_it_is_loads_nothing_heavy():
    script = (
        "import sys\nfrom commonplace.providers.choice import choose, choose_reranker\n"
        "print(choose({}).model, choose({}).dimensions, choose_reranker({}).model)\n"
        "print({'numpy', 'onnxruntime', 'ssl', 'socket', 'asyncio', 'logging'} & {*sys.modules})"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said == f"{TAUGHT.mark} 384 {TAUGHT_RERANKER.mark}\nset()\n"


def test_a_cold_process_has_its_first_vector_soon():
    """Python, numpy, onnxruntime, the model and one question: at most 0.7 s of processor time; the best of five counts."""
    script = "from commonplace.providers.choice import choose; choose({}).query('When did we raise the limit?')"
    spent = []
    for _ in range(5):
        before = os.times()
        subprocess.run([sys.executable, "-c", script], check=True)
        after = os.times()
        spent.append(after.children_user + after.children_system - before.children_user - before.children_system)
        if spent[-1] <= 0.7:
            return
    raise AssertionError(spent)


@pytest.mark.nightly
def test_the_other_transformer_works_too(no_models):
    fetch_models([BGE.name])
    bge = choose({"embedder": BGE.name})
    near, far = bge.documents([ANSWER, ASIDE]) @ bge.query(QUESTION)
    assert near > far + 0.05
    assert bge.model == "bge-small/int8/6c9c6101"


def test_what_is_chosen_keeps_the_promises_of_the_seam(embedder, reranker):
    from commonplace.seam.embedder import Embedder, Judge, Reranker

    assert {name for name in vars(Embedder) if not name.startswith("_")} <= {*dir(embedder)}
    promised = {name for name in (*vars(Reranker), *vars(Judge)) if not name.startswith("_")}
    assert {"scores", "least", "knows_absence"} <= promised <= {*dir(choose_reranker({}))}
    assert embedder.max_tokens >= 512


def test_a_model_that_cannot_be_run_is_unavailable_and_not_a_crash():
    """Most often for want of memory; then words answer (agentm 77)."""

    class Full:
        def run(self, *_):
            raise MemoryError

    embedder = TransformerEmbedder(E5)
    tokenizer, _ = embedder._onnx.load()
    embedder._onnx._loaded = (tokenizer, Full())
    with pytest.raises(UnavailableError, match="e5-small-v2"):
        embedder.query("which port?")
