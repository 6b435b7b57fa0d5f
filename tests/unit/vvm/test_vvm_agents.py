"""Agent calls: what the model is asked, in which order things happen, and what comes back."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from vvm_texts import Script, ran

from commonplace.agent import Host
from commonplace.errors import InvalidError, UnavailableError
from commonplace.surfaces.vvm.errors import ProgramRaisedError
from commonplace.surfaces.vvm.models import Models, models_of
from commonplace.surfaces.vvm.program import load
from commonplace.surfaces.vvm.run import run

A = 'agent a(model="m", prompt="Be brief.")\n'


def _asked(folder: Path, text: str) -> list[str]:
    model = Script()
    ran(folder, A + text, model)
    return model.asked


def test_the_model_gets_prompt_task_and_input(tmp_path: Path) -> None:
    """V47, V56: the input stands below the task, objects with their keys in order."""
    asked = _asked(tmp_path, 'q = "tabs"\nx = @a `Help with {} and {q}. {{ok}}`({b: 1, a: q})\nexport x\n')
    assert asked == [
        'Be brief.\n\nHelp with {"a": "tabs", "b": 1} and tabs. {ok}\n\nInput:\n---\n{"a": "tabs", "b": 1}\n---'
    ]


def test_empty_parentheses_use_it_and_a_pair_inside_means_nothing(tmp_path: Path) -> None:
    """V47: `()` is the implicit input, `(())` an explicit empty one."""
    text = 'with input "draft":\n  x = @a `One.`()\n  y = @a `Two.`(())\nz = @a `Three.`()\nexport pack(x, y, z)\n'
    assert _asked(tmp_path, text) == [
        "Be brief.\n\nOne.\n\nInput:\n---\ndraft\n---", "Be brief.\n\nTwo.", "Be brief.\n\nThree.",
    ]  # fmt: skip


def test_with_overrides_scalars_for_one_call_only(tmp_path: Path) -> None:
    """V48; inline agents have only what they are given (V47)."""
    text = 'x = @a.with(prompt="Be long.") `One.`(())\ny = @a `Two.`(())\nz = @{prompt="New."} `Three.`(())\n'
    text += "export pack(x, y, z)\n"
    assert _asked(tmp_path, text) == ["Be long.\n\nOne.", "Be brief.\n\nTwo.", "New.\n\nThree."]


def test_an_agents_wish_for_a_model_is_heard(tmp_path: Path) -> None:
    path = tmp_path / "p.vvm"
    path.write_text('agent a(model="opus")\nagent b(model="tiny")\n'
                    'x = @a `1`(())\ny = @b `2`(())\nz = @b.with(model="opus") `3`(())\nexport pack(x, y, z)\n')  # fmt: skip
    assert run(load(str(path)), Models(Script("plain"), {"opus": Script("grand")})) == {
        "x": "grand", "y": "plain", "z": "grand",
    }  # fmt: skip


def test_things_happen_from_left_to_right(tmp_path: Path) -> None:
    """V51: the agent's settings, the input, the options, then the template; each is an agent call here."""
    model = Script(lambda prompt: "1" if prompt == "option" else prompt.split("\n")[0])
    text = """\
    agent s()
    x = @a.with(prompt=@s `settings`(())) `{}`(@s `input`(()), name=@s `option`(()))
    export x
    """
    ran(tmp_path, A + text.replace("    ", ""), model)
    assert [prompt.split("\n")[0] for prompt in model.asked] == ["settings", "input", "option", "settings"]


def test_a_name_without_a_value_is_raised_before_the_model_is_asked(tmp_path: Path) -> None:
    """V51: a template that cannot be rendered spawns nothing, and takes no memory."""
    model = Script()
    text = 'agent m(memory={scope: "project", key: "k"})\nx = @m `Hi {late}.`(())\nlate = 1\nexport pack(x, late)\n'
    with pytest.raises(ProgramRaisedError, match="late"):
        ran(tmp_path, text, model)
    assert model.asked == []
    assert not (tmp_path / ".vvm").exists()


def test_a_failing_model_is_an_error_value_and_the_program_goes_on(tmp_path: Path) -> None:
    """V53."""

    def fail(prompt: str) -> str:
        raise UnavailableError("the line is dead")

    text = (
        A + 'x = @a `Go.`(())\nmatch x:\n  case error(kind="spawn_failed"):\n    y = "recovered"\nexport pack(x, y)\n'
    )
    found = ran(tmp_path, text, fail)
    assert found["y"] == "recovered"
    assert found["x"] == {"error": {"kind": "spawn_failed", "message": "the line is dead"}}


def test_options_reach_the_agent_and_unknown_ones_are_ignored(tmp_path: Path) -> None:
    """V49: retry with the same prompt, waits of one and two seconds."""
    tries: list[str] = []

    def third(prompt: str) -> str:
        tries.append(prompt)
        if len(tries) < 3:
            raise UnavailableError("not yet")
        return "at last"

    slept: list[float] = []
    text = A + 'x = @a `Go.`((), retry=3, backoff="exponential", timeout="30s", name="n", mood="good")\nexport x\n'
    assert ran(tmp_path, text, third, Host(sleep=slept.append)) == {"x": "at last"}
    assert (len(tries), len(set(tries)), slept) == (3, 1, [1.0, 2.0])


@pytest.mark.parametrize(
    "call",
    ['@a `Go.`((), retry="2")', "@a `Go.`((), retry=1.5)", "@a `Go.`((), memory_mode=1)", "@a `Go.`((), timeout=true)",
     "@a.with(prompt=1) `Go.`(())", '@a.with(memory="k") `Go.`(())', '@{skills="s"} `Go.`(())'],
)  # fmt: skip
def test_settings_and_options_of_the_wrong_sort_are_raised(tmp_path: Path, call: str) -> None:
    model = Script()
    with pytest.raises(ProgramRaisedError):
        ran(tmp_path, f"{A}x = {call}\nexport x\n", model)
    assert model.asked == []


def test_a_memory_that_cannot_be_one_is_rejected(tmp_path: Path) -> None:
    model = Script()
    text = A + 'x = @a.with(memory={scope: "galaxy", key: "k"}) `Go.`(())\nexport x\n'
    assert ran(tmp_path, text, model)["x"]["error"]["kind"] == "rejected"
    assert model.asked == []


def test_criteria_are_judged_by_the_model_and_doubt_is_no(tmp_path: Path) -> None:
    answers = {"good": "True.", "bad": "false", "unclear": "perhaps", "warm {": "`true`"}
    model = Script(lambda prompt: next(said for word, said in answers.items() if f"Criterion: {word}" in prompt))
    text = """\
    word = "warm"
    a = ?`good`(1)
    b = ?`bad`(1)
    c = ?`unclear`(1)
    with input "soup":
      d = ?`{word} {{`
    export pack(a, b, c, d)
    """
    assert ran(tmp_path, text, model) == {"a": True, "b": False, "c": False, "d": True}
    assert "Input:\n---\nsoup\n---" in model.asked[-1]


def test_match_choose_and_constrain_ask_the_judge(tmp_path: Path) -> None:
    def judge(prompt: str) -> str:
        if "Options:" in prompt:
            return "- Thorough" if "risky" in prompt else "neither"
        return "true" if "Criterion: short" in prompt else "false"

    text = """\
    match "x":
      case ?`long`:
        m = "long"
      case ?`short`:
        m = "short"
    choose "risky" by ?`best plan` as first:
      option "quick":
        p = 1
      option "thorough":
        p = 2
    choose "safe" by ?`best plan` as second:
      option "quick":
        p = p + 10
      option "thorough":
        p = p + 20
    draft = "d"
    constrain draft(attempts=3):
      require ?`short`
      require ?`cited`
    kept = "k"
    constrain kept():
      require ?`short`
    export pack(m, first, second, p, draft, kept)
    """
    found = ran(tmp_path, text, Script(judge))
    violated = found.pop("draft")["error"]
    assert found == {"m": "short", "first": "thorough", "second": "quick", "p": 12, "kept": "k"}
    assert violated == {
        "kind": "constraint_violation", "message": "Constraints not satisfied",
        "data": {"value": "d", "violations": ["cited"], "requirements": ["short", "cited"]},
    }  # fmt: skip


def test_a_judge_who_cannot_answer_is_raised(tmp_path: Path) -> None:
    def fail(prompt: str) -> str:
        raise UnavailableError("nobody is there")

    with pytest.raises(ProgramRaisedError, match="nobody is there"):
        ran(tmp_path, "x = ?`good`(1)\nexport x\n", fail)


def test_pmap_runs_agents_at_once_and_answers_in_order(tmp_path: Path) -> None:
    """V54: the three calls wait for each other, so they must be under way together."""
    together = threading.Barrier(3, timeout=10)

    def model(prompt: str) -> str:
        together.wait()
        return prompt.strip()

    text = 'agent a()\ndef f(n):\n  return @a `{n}`((), memory_mode="fresh")\nx = pmap([3, 1, 2], f)\nexport x\n'
    assert ran(tmp_path, text, model) == {"x": ["3", "1", "2"]}


def test_a_local_program_is_a_model(tmp_path: Path) -> None:
    answer = tmp_path / "answer.sh"
    answer.write_text('#!/bin/sh\nprintf "%s: " "$1"; head -n 1\n')
    answer.chmod(0o755)
    model = models_of([f"exec:{answer} 'two words'"]).of("anything")
    assert callable(model)
    assert model("first line\nsecond") == "two words: first line"


@pytest.mark.parametrize("command", ["/no/such/program", "false"])
def test_a_local_program_that_fails_is_unavailable(command: str) -> None:
    model = models_of([f"exec:{command}"]).of(None)
    assert callable(model)
    with pytest.raises(UnavailableError):
        model("prompt")


def test_a_local_program_is_ended_when_nobody_waits_any_more(tmp_path: Path) -> None:
    import time

    models = models_of(["exec:sleep 60"])
    model = models.of(None)
    assert callable(model)
    failed: list[Exception] = []

    def ask() -> None:
        try:
            model("prompt")
        except UnavailableError as problem:
            failed.append(problem)

    waiting = threading.Thread(target=ask)
    waiting.start()
    while not model._running:  # type: ignore[union-attr]
        time.sleep(0.01)
    models.close()
    waiting.join(10)
    assert len(failed) == 1


@pytest.mark.parametrize("named", ["llama3", "opus=", "=", "exec:", "exec:'open", "file:///etc/passwd", "opus=llama3"])
def test_a_model_that_cannot_be_one_is_refused(named: str) -> None:
    with pytest.raises(InvalidError):
        models_of([named])


def _raced(folder: Path, options: str, **answers: str) -> dict:
    """What comes of a `parallel` whose branches answer in this order, each after the one before; `!` fails, `!!` raises."""
    turn = {name: threading.Event() for name in answers}
    names = [*answers]
    turn[names[0]].set()

    def model(prompt: str) -> str:
        name = prompt.strip()
        assert turn[name].wait(20)
        following = names[names.index(name) + 1 :]
        threading.Timer(0.05, lambda: [turn[one].set() for one in following[:1]]).start()
        if answers[name] == "!":
            raise UnavailableError(f"{name} failed")
        return answers[name]

    lines = [f"  {name} = " + ("missing" if answers[name] == "!!" else f"@a `{name}`(())") for name in reversed(names)]
    return ran(folder, f"agent a()\nparallel({options}) as r:\n" + "\n".join(lines) + "\nexport r\n", model)["r"]


def test_parallel_waits_for_all(tmp_path: Path) -> None:
    """V59."""
    assert _raced(tmp_path, "", a="1", b="2", c="3") == {"a": "1", "b": "2", "c": "3"}


def test_parallel_may_take_the_first_or_the_first_few(tmp_path: Path) -> None:
    assert _raced(tmp_path, 'join="first"', a="!", b="2", c="3") == {"_winner": "b", "b": "2"}
    few = _raced(tmp_path, 'join="any", count=2', a="1", b="!", c="3", d="4")
    assert few.pop("b")["error"]["kind"] == "spawn_failed"
    assert few == {"_completed": ["a", "c"], "a": "1", "c": "3"}
    nobody = _raced(tmp_path, 'join="first"', a="!", b="!")
    assert {one["error"]["kind"] for one in nobody.values()} == {"spawn_failed"}
    assert nobody.keys() == {"a", "b"}


def test_parallel_stops_waiting_at_the_first_failure_unless_told_otherwise(tmp_path: Path) -> None:
    fast = _raced(tmp_path, "", a="1", b="!", c="3")
    assert fast.keys() == {"a", "b"}
    with pytest.raises(ProgramRaisedError, match="missing"):
        _raced(tmp_path, "", a="1", b="!!")
    kept = _raced(tmp_path, 'on_fail="continue"', a="!", b="2", c="!!")
    assert (kept["a"]["error"]["kind"], kept["b"], kept["c"]["error"]["kind"]) == ("spawn_failed", "2", "thrown")
    assert _raced(tmp_path, 'on_fail="ignore"', a="!", b="2", c="!!") == {"a": None, "b": "2", "c": None}
