"""What agents of a program remember, where it lies, and who waits for whom."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

from vvm_texts import Script, ran

from commonplace.agent import Host, Notice
from commonplace.errors import UnavailableError


def patched(text: str, **patch: object) -> str:
    """An answer with a patch in it."""
    return f"{text}\n\n```vvm-memory\n{json.dumps(patch)}\n```\n"


def _digest(project: Path, key: str) -> str:
    return (project / ".vvm" / "memory" / key / "digest.md").read_text()


def _ledger(project: Path, key: str) -> list[dict]:
    return [json.loads(line) for line in (project / ".vvm" / "memory" / key / "ledger.jsonl").read_text().splitlines()]


def test_a_patch_is_taken_out_and_kept_and_comes_back(tmp_path: Path) -> None:
    """V20, V22, V25, V26, V30."""
    model = Script(lambda _: patched("hello", digest="Alice likes tabs.", retain=["W @Alice: likes tabs"]))
    text = 'agent a(memory={scope: "project", key: "k"})\nx = @a `One.`(())\ny = @a `Two.`(())\nexport pack(x, y)\n'
    assert ran(tmp_path, text, model) == {"x": "hello", "y": "hello"}
    assert "Alice likes tabs." not in model.asked[0]
    assert "Alice likes tabs." in model.asked[1]
    assert model.asked[1].endswith("Two."), "V23: the memory stands before the task"
    assert _digest(tmp_path, "k") == "Alice likes tabs."
    assert _ledger(tmp_path, "k")[0]["retain"] == ["W @Alice: likes tabs"]


def test_with_keeps_the_scope_and_changes_the_key(tmp_path: Path) -> None:
    """V48: also when the key is known only at run time; without a declaration's memory all of it is given."""
    model = Script(lambda prompt: patched("ok", digest=prompt.splitlines()[-1]))
    text = """\
    input who = "bob"
    agent a(memory={scope: "project", key: "alice"})
    agent b()
    x = @a `for alice`(())
    y = @a.with(memory={key: who}) `for bob`(())
    z = @b.with(memory={scope: "project", key: "carol"}) `for carol`(())
    u = @{memory={scope: "user", key: "dora"}} `for dora`(())
    p = @b.with(memory={scope: "path", path: "kept", key: "emil"}) `for emil`(())
    export pack(x, y, z, u, p)
    """
    ran(tmp_path, text, model)
    assert [_digest(tmp_path, key) for key in ("alice", "bob", "carol")] == ["for alice", "for bob", "for carol"]
    assert (Path.home() / ".vvm" / "memory" / "dora" / "digest.md").read_text() == "for dora"
    assert (tmp_path / "kept" / "emil" / "digest.md").read_text() == "for emil"


def test_two_agents_with_one_binding_share_a_memory(tmp_path: Path) -> None:
    """V8: the name is not part of a memory's identity."""
    model = Script(lambda prompt: "yes" if "written by one" in prompt else patched("no", digest="written by one"))
    text = """\
    agent one(memory={scope: "project", key: "k"})
    agent two(memory={key: "k", scope: "project"}, prompt="another", model="m")
    x = @one `Write.`(())
    y = @two `Read.`(())
    export pack(x, y)
    """
    assert ran(tmp_path, text, model) == {"x": "no", "y": "yes"}


def test_a_patch_is_taken_out_in_every_mode_and_without_a_memory(tmp_path: Path) -> None:
    """V57."""
    model = Script(lambda _: patched("visible", digest="hidden"))
    text = """\
    agent a(memory={scope: "project", key: "k"})
    agent b()
    x = [@a `1`((), memory_mode="dry_run"), @a `2`((), memory_mode="fresh"), @b `3`(()), @b `4`((), memory_mode="dry_run")]
    export x
    """
    assert ran(tmp_path, text, model) == {"x": ["visible"] * 4}
    assert not (tmp_path / ".vvm" / "memory" / "k" / "digest.md").exists()


def test_a_secret_in_a_patch_is_refused_and_somebody_is_told(tmp_path: Path) -> None:
    """V34, V35: nothing of the patch is kept, and the answer comes all the same."""
    secret = "ghp_" + "aB3dE6fG9hJ2kL5mN8pQ1rS4tU7vW0xY3zA6"
    model = Script(lambda _: patched("visible", digest="fine", retain=[f"W @CI: the token is {secret}"]))
    told: list[Notice] = []
    text = 'agent a(memory={scope: "project", key: "k"})\nx = @a `Go.`(())\nexport x\n'
    assert ran(tmp_path, text, model, Host(notify=told.append)) == {"x": "visible"}
    assert len(told) == 1
    kept = b"".join(path.read_bytes() for path in (tmp_path / ".vvm").rglob("*") if path.is_file())
    assert secret.encode() not in kept
    assert b"fine" not in kept


def test_each_try_of_a_call_has_the_same_prompt(tmp_path: Path) -> None:
    """V50: the memory is loaded once for a call, not once for a try."""
    digest = tmp_path / ".vvm" / "memory" / "k" / "digest.md"
    model = Script(lambda _: _fail_after_editing(digest))
    text = 'agent a(memory={scope: "project", key: "k"})\nx = @a `Go.`((), retry=2)\nexport x\n'
    digest.parent.mkdir(parents=True)
    digest.write_text("first\n")
    assert ran(tmp_path, text, model)["x"]["error"]["kind"] == "spawn_failed"
    assert len(model.asked) == 3
    assert len(set(model.asked)) == 1


def _fail_after_editing(digest: Path) -> str:
    digest.write_text("edited meanwhile\n")
    raise UnavailableError("not now")


def test_distinct_keys_in_a_pmap_do_not_wait_for_each_other(tmp_path: Path) -> None:
    """V40: each call waits here until all three are under way; that can only end if nobody waits for a lock."""
    together = threading.Barrier(3, timeout=20)

    def model(prompt: str) -> str:
        together.wait()
        return patched("ok", digest=prompt.splitlines()[-1])

    text = """\
    agent a(memory={scope: "project", key: "none"})
    def f(key):
      return @a.with(memory={key: key}) `{key}`(())
    x = pmap(["k1", "k2", "k3"], f)
    export x
    """
    assert ran(tmp_path, text, model) == {"x": ["ok", "ok", "ok"]}
    assert [_digest(tmp_path, key) for key in ("k1", "k2", "k3")] == ["k1", "k2", "k3"]


def test_one_key_in_a_pmap_is_used_by_one_at_a_time_and_nothing_is_lost(tmp_path: Path) -> None:
    """V31, V37, V40: sharing a key means waiting, not losing."""
    inside: list[int] = []
    most: list[int] = []

    def model(prompt: str) -> str:
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.02)
        digest = prompt.partition("### Digest\n")[2].partition("\n</memory")[0].partition("\n\n###")[0]
        lines = [line for line in digest.splitlines() if line.startswith("- ")]
        inside.pop()
        return patched("ok", digest="\n".join([*lines, f"- {prompt.splitlines()[-1]}"]))

    text = """\
    agent a(memory={scope: "project", key: "shared"})
    def f(n):
      return @a `number {n}`(())
    x = pmap(range(6), f)
    export x
    """
    assert ran(tmp_path, text, model, Host(lock_timeout=60)) == {"x": ["ok"] * 6}
    assert max(most) == 1
    assert sorted(_digest(tmp_path, "shared").splitlines()) == [f"- number {n}" for n in range(6)]
    assert len(_ledger(tmp_path, "shared")) == 6


def test_a_memory_that_is_in_use_is_locked_and_the_program_goes_on(tmp_path: Path) -> None:
    """V39: an error value, and the model was not asked."""
    began, done = threading.Event(), threading.Event()

    def slow(prompt: str) -> str:
        began.set()
        assert done.wait(20)
        return patched("late", digest="late")

    text = """\
    agent a(memory={scope: "project", key: "k"})
    x = @a `Go.`(())
    match x:
      case error(kind="locked"):
        y = "busy"
      case _:
        y = "free"
    export y
    """
    holder = threading.Thread(target=ran, args=(tmp_path, text, slow))
    holder.start()
    assert began.wait(20)
    model = Script("never")
    try:
        assert ran(tmp_path, text, model, Host(lock_timeout=0.2)) == {"y": "busy"}
        assert model.asked == []
    finally:
        done.set()
        holder.join(20)
    assert ran(tmp_path, text, model) == {"y": "free"}
    assert "late" in model.asked[0]
