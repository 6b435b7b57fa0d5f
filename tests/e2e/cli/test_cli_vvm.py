"""`commonplace vvm`: programs of agent calls, as real processes with real memories. The examples of the documentation run."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from e2e.cli.shell import PROGRAM, Shell

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples" / "vvm"
PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.vvm"))
MODEL = f"exec:{sys.executable} answer.py"
TICKET = ("--arg", "thread=user:alice/ticket:INC-1234", "--arg", "message=It still crashes.")


@pytest.fixture
def examples(shell: Shell) -> Shell:
    """A shell in a folder that has the examples, as somebody who tries them out has it."""
    shutil.copytree(EXAMPLES, shell.folder, dirs_exist_ok=True)
    return shell


def _memory(shell: Shell, key: str) -> Path:
    return shell.folder / ".vvm" / "memory" / key


def _bytes(folder: Path) -> dict[str, bytes]:
    """Every file of a memory but `meta.json`, which may say when it was used last (V15)."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != "meta.json")
    return {path.name: path.read_bytes() for path in found}


def _arguments(name: str) -> tuple[str, ...]:
    return TICKET if name == "tickets.vvm" else ()


def test_every_example_is_run_below() -> None:
    assert PROGRAMS == ["busy.vvm", "chapters.vvm", "runbook.vvm", "tickets.vvm", "tutor.vvm", "what-if.vvm"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_example_passes_the_check_without_a_warning(examples: Shell, name: str) -> None:
    said = examples("vvm", "check", name)
    assert (said.code, said.out, said.err) == (0, f"ok: {name}\n", "")


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_example_runs_and_remembers_when_it_runs_again(examples: Shell, name: str) -> None:
    """V1, V2, V20: what a run leaves is there for the next one, with no process in between."""
    first, second = (examples("vvm", "run", name, "--model", MODEL, *_arguments(name), "--json") for _ in range(2))
    assert (first.code, second.code, first.err, second.err) == (0, 0, "", "")
    assert "(I remember 0 tasks.)" in first.out
    assert first.out != second.out
    assert "(I remember 1 tasks.)" in second.out or "(I remember 2 tasks.)" in second.out
    assert "vvm-memory" not in first.out + second.out, "V26: the patch is taken out of the answer"


def test_one_agent_has_as_many_memories_as_keys(examples: Shell) -> None:
    """V8, V48: the key of `.with` replaces, the scope stays; the two pupils share nothing."""
    examples("vvm", "run", "tutor.vvm", "--model", MODEL)
    alice, bob = (_memory(examples, key) for key in ("user%3Aalice", "user%3Abob"))
    assert {path.name for path in alice.parent.iterdir()} == {alice.name, bob.name}
    (bob / "digest.md").write_text("- Bob knows pointers.\n- Bob likes tests.\n- Next: lifetimes.\n")
    told = examples("vvm", "run", "tutor.vvm", "--model", MODEL, "--json").json
    assert "(I remember 1 tasks.)" in told["alice"]
    assert "(I remember 3 tasks.)" in told["bob"], "V19: what a person writes into the digest counts on the next call"


def test_a_key_that_is_known_only_at_run_time_is_one_folder(examples: Shell) -> None:
    """V10, V11, V48: another ticket is another memory."""
    first = examples("vvm", "run", "tickets.vvm", "--model", MODEL, *TICKET)
    other = ("--arg", "thread=user:alice/ticket:INC-9", "--arg", "message=Hello, it, and more")
    second = examples("vvm", "run", "tickets.vvm", "--model", MODEL, *other)
    assert first.out == second.out == "Answer the customer. (I remember 0 tasks.)\n"
    folders = [path.name for path in (examples.folder / ".vvm" / "memory").iterdir()]
    assert len(folders) == 2
    assert all("/" not in name and ":" not in name for name in folders)


def test_dry_run_and_fresh_leave_the_memory_as_it_is(examples: Shell) -> None:
    """V12, V14."""
    program = examples.folder / "modes.vvm"
    agent = 'agent a(memory={scope: "project", key: "k"})\n'
    program.write_text(agent + "x = @a `Remember.`(())\nexport x\n")
    examples("vvm", "run", "modes.vvm", "--model", MODEL)
    before = _bytes(_memory(examples, "k"))
    assert {"digest.md", "ledger.jsonl"} <= before.keys()
    for mode, known in (("dry_run", 1), ("fresh", 0)):
        program.write_text(agent + f'x = @a `Try.`((), memory_mode="{mode}")\nexport x\n')
        assert examples("vvm", "run", "modes.vvm", "--model", MODEL).out == f"Try. (I remember {known} tasks.)\n"
        assert _bytes(_memory(examples, "k")) == before


def test_what_goes_in_and_what_comes_out_is_kept_nowhere(examples: Shell) -> None:
    """V33: only what the patch says is kept."""
    (examples.folder / "model.sh").write_text(
        "#!/bin/sh\ncat >/dev/null\necho 'visible-quince'\n"
        """printf '```vvm-memory\\n{"digest": "kept-medlar", "retain": ["W @A: kept-sorb"]}\\n```\\n'\n"""
    )
    (examples.folder / "model.sh").chmod(0o755)
    arguments = ("--arg", "thread=t", "--arg", "message=secret-damson")
    said = examples("vvm", "run", "tickets.vvm", "--model", "exec:./model.sh", *arguments)
    assert said.out == "visible-quince\n"
    kept = b"".join(path.read_bytes() for path in examples.folder.rglob("*") if path.is_file() and path.suffix != ".sh")
    assert b"kept-medlar" in kept
    assert b"kept-sorb" in kept
    assert b"secret-damson" not in kept
    assert b"visible-quince" not in kept
    assert b"Answer the customer" not in kept.replace((EXAMPLES / "tickets.vvm").read_bytes(), b"")


def test_a_memory_in_use_is_locked_and_the_program_says_so(examples: Shell) -> None:
    """V37, V39: the other one holds it while its model thinks; `match error(kind="locked")` decides what then."""
    (examples.folder / "slow.sh").write_text(
        "#!/bin/sh\ncat >/dev/null\ntouch begun\nwhile [ ! -e done ]; do sleep 0.05; done\n"
    )
    (examples.folder / "slow.sh").chmod(0o755)
    holder = subprocess.Popen(
        [*PROGRAM, "vvm", "run", "busy.vvm", "--model", "exec:./slow.sh"], cwd=examples.folder, env=examples.environment
    )
    try:
        deadline = time.monotonic() + 30
        while not (examples.folder / "begun").exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        said = examples("vvm", "run", "busy.vvm", "--model", MODEL, "--timeout", "0.2")
        assert said.out == "Somebody is changing the rules just now; ask again in a minute.\n"
        assert said.code == 0
    finally:
        (examples.folder / "done").touch()
        assert holder.wait(30) == 0
    assert examples("vvm", "run", "busy.vvm", "--model", MODEL).out.startswith("Which rules do we have?")


def test_the_project_is_the_programs_folder_wherever_it_is_run_from(shell: Shell) -> None:
    """V55."""
    project = shell.folder / "elsewhere"
    shutil.copytree(EXAMPLES, project)
    said = shell("vvm", "run", "elsewhere/busy.vvm", "--model", f"exec:{sys.executable} elsewhere/answer.py")
    assert said.code == 0
    assert (project / ".vvm" / "memory" / "house" / "digest.md").is_file()
    assert not (shell.folder / ".vvm").exists()


def test_a_program_with_mistakes_is_not_run_and_each_mistake_is_shown(shell: Shell) -> None:
    (shell.folder / "wrong.vvm").write_text('agent a()\nx = @b `Hi {nme}.`()\ny = "open\n')
    said = shell("vvm", "check", "wrong.vvm")
    assert said.code == 1
    assert said.out.splitlines()[:3] == [
        "wrong.vvm:2:5: E040 there is no agent called `b`", "  x = @b `Hi {nme}.`()", "      ^",
    ]  # fmt: skip
    ran = shell("vvm", "run", "wrong.vvm", "--model", "exec:touch ran")
    assert (ran.code, ran.out) == (14, "")
    assert all(code in ran.err for code in ("E040", "E051", "E003", "nothing was run"))
    assert not (shell.folder / "ran").exists()
    told = shell("vvm", "check", "wrong.vvm", "--json").json
    assert (told["ok"], [one["code"] for one in told["diagnostics"]]) == (False, ["E040", "E051", "E003"])
    assert shell("vvm", "run", "wrong.vvm", "--model", "exec:true", "--json").error["code"] == "E040"


def test_a_secret_in_a_program_is_not_repeated_when_it_is_wrong(shell: Shell) -> None:
    key = "sk-proj-" + "Qm7xTz93LwPb5vRk2NcY8dHf" * 2
    (shell.folder / "wrong.vvm").write_text(f"x = @b `Use {key}`()\nexport x\n")
    said = shell("vvm", "check", "wrong.vvm")
    assert "E040" in said.out
    assert key not in said.out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("vvm",), 2),
        (("vvm", "run"), 2),
        (("vvm", "walk", "busy.vvm"), 2),
        (("vvm", "run", "busy.vvm"), 2),
        (("vvm", "check", "busy.vvm", "--model", "exec:true"), 2),
        (("vvm", "run", "nothing.vvm", "--model", "exec:true"), 13),
        (("vvm", "run", "busy.vvm", "--model", "llama3"), 14),
        (("vvm", "run", "tickets.vvm", "--model", "exec:true"), 14),
        (("vvm", "run", "busy.vvm", "--model", "exec:true", "--arg", "x=1"), 14),
        (("vvm", "run", "busy.vvm", "--model", "exec:true", "--arg", "x"), 14),
    ],
)
def test_what_is_typed_wrongly_is_refused_with_a_next_step(examples: Shell, words: tuple[str, ...], code: int) -> None:
    said = examples(*words)
    assert (said.code, said.out) == (code, "")
    assert "hint:" in said.err
    assert "Traceback" not in said.err


def test_inputs_are_text_unless_their_default_is_not(shell: Shell) -> None:
    (shell.folder / "p.vvm").write_text(
        'input a: "text"\ninput n = 1\ninput f = true\ninput l = []\ninput o = {}\nexport pack(a, n, f, l, o)\n'
    )
    given = ("--arg", "a=1,2", "--arg", "n=2.5", "--arg=f=false", "--arg", "l=[1, 2]", "--arg", 'o={"k": null}')
    assert shell("vvm", "run", "p.vvm", *given, "--json").json == {
        "a": "1,2", "n": 2.5, "f": False, "l": [1, 2], "o": {"k": None},
    }  # fmt: skip
    assert shell("vvm", "run", "p.vvm", "--arg", "a=x", "--arg", "n=many").code == 14


def test_an_error_value_that_is_exported_and_an_error_that_is_raised_are_told_apart(shell: Shell) -> None:
    """V53: one is an answer that somebody should look at, the other ends the program."""
    (shell.folder / "value.vvm").write_text("agent a()\nx = @a `Go.`(())\nexport x\n")
    said = shell("vvm", "run", "value.vvm", "--model", "exec:false", "--json")
    assert (said.code, said.json["x"]["error"]["kind"]) == (1, "spawn_failed")
    (shell.folder / "raised.vvm").write_text('x = 1\nraise "enough"\nexport x\n')
    said = shell("vvm", "run", "raised.vvm", "--json")
    assert (said.code, said.error["code"], said.error["where"]) == (14, "thrown", "raised.vvm:2:1")


def test_several_exports_are_named_and_a_single_one_stands_alone(shell: Shell) -> None:
    (shell.folder / "p.vvm").write_text('a = "one"\nb = {y: 1, x: ()}\nexport a\nexport b\n')
    assert shell("vvm", "run", "p.vvm").out == 'a\none\n\nb\n{"x": null, "y": 1}\n'
    assert shell("vvm", "run", "p.vvm", "-q").out == 'one\n{"x": null, "y": 1}\n'


def test_an_answer_cannot_move_the_cursor(shell: Shell) -> None:
    (shell.folder / "p.vvm").write_text("agent a()\nx = @a `Go.`(())\nexport x\n")
    said = shell("vvm", "run", "p.vvm", "--model", r"exec:printf 'red \033[31m'")
    assert "\x1b" not in said.out
    assert "red" in said.out


class _Server(BaseHTTPRequestHandler):
    asked: list[dict] = []

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        body = json.dumps({"choices": [{"message": {"content": "from afar"}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    _Server.asked.clear()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_a_model_behind_an_address_answers(shell: Shell, address: str) -> None:
    (shell.folder / "p.vvm").write_text('agent a(model="grand", prompt="Be brief.")\nx = @a `Go.`("in")\nexport x\n')
    said = shell("vvm", "run", "p.vvm", "--model", "exec:false", "--model", f"grand={address}#large")
    assert (said.out, said.err) == ("from afar\n", "")
    (asked,) = _Server.asked
    assert asked["model"] == "large"
    assert [one["content"] for one in asked["messages"]] == ["Be brief.", "Go.\n\nInput:\n---\nin\n---"]


def test_nothing_of_it_is_loaded_unless_it_is_asked_for(shell: Shell) -> None:
    code = (
        "import sys; from commonplace.surfaces.cli.program import run\nrun(%r); sys.stderr.write(' '.join(sys.modules))"
    )
    for words in (["--help"], ["help", "exit-codes"]):
        done = subprocess.run(
            [sys.executable, "-c", code % words], capture_output=True, text=True, env=shell.environment, check=True
        )
        assert not [name for name in done.stderr.split() if "vvm" in name or "agent" in name]


def test_a_program_from_the_pipe_has_the_current_folder_for_its_project(examples: Shell) -> None:
    """V55."""
    text = (EXAMPLES / "busy.vvm").read_text()
    assert examples("vvm", "check", "-", stdin=text).out == "ok: -\n"
    assert examples("vvm", "run", "-", "--model", MODEL, stdin=text).out.endswith("(I remember 0 tasks.)\n")
    assert (_memory(examples, "house") / "digest.md").is_file()


def test_ctrl_c_ends_the_run_and_the_programs_that_answer_for_it(shell: Shell) -> None:
    text = "agent a()\ndef f(n):\n  return @a `{n}`(())\nx = pmap(range(20), f)\nexport x\n"
    (shell.folder / "p.vvm").write_text(text)
    (shell.folder / "slow.sh").write_text("#!/bin/sh\ncat >/dev/null\necho $$ >> begun\nsleep 60\n")
    (shell.folder / "slow.sh").chmod(0o755)
    running = subprocess.Popen(
        [*PROGRAM, "vvm", "run", "p.vvm", "--model", "exec:./slow.sh"],
        cwd=shell.folder, env=shell.environment, stderr=subprocess.PIPE,
    )  # fmt: skip
    begun = shell.folder / "begun"
    deadline = time.monotonic() + 30
    while not begun.exists() or len(begun.read_text().split()) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    assert running.wait(20) == 130
    assert running.stderr is not None
    assert running.stderr.read() == b"\n"
    running.stderr.close()
    assert not [pid for pid in begun.read_text().split() if Path(f"/proc/{pid}").exists()]


def test_a_program_that_answers_without_end_is_ended(shell: Shell) -> None:
    (shell.folder / "p.vvm").write_text("agent a()\nx = @a `Go.`(())\nexport x\n")
    said = shell("vvm", "run", "p.vvm", "--model", "exec:yes")
    assert said.code == 1
    assert "without end" in said.out
