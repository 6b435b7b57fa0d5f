"""Whom an agent asks: any callable, or an OpenAI-compatible server, under the same guards as every other request."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from commonplace.agent import Agent, ErrorValue
from commonplace.surfaces.agent.models import seconds_of

from .conftest import patch

KEY = "sk-test-" + "0123456789abcdef" * 2  # gitleaks:allow - opens nothing


class ChatServer(ThreadingHTTPServer):
    """Answers every question with one text, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self, text, status=200):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.text, self.status, self.seen = text, status, []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        raw = json.dumps({"choices": [{"message": {"role": "assistant", "content": self.server.text}}]}).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_):
        pass


class TestServers:
    def test_an_address_with_a_model_behind_it_is_asked(self, desk):
        with ChatServer(patch(digest="D")) as server:
            helper = desk.agent(prompt="Helpful.").with_(model=f"{server.url}#llama3")
            assert helper("Help with {}.", "tea") == "Done."
            ((path, _, body),) = server.seen
        assert path == "/v1/chat/completions"
        assert body["model"] == "llama3"
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        assert body["messages"][0]["content"] == "Helpful."
        assert "Memory Context" in body["messages"][1]["content"]
        assert "Help with tea." in body["messages"][1]["content"]
        assert "response_format" not in body
        assert desk.digest == "D"

    def test_a_table_may_say_more(self, monkeypatch):
        monkeypatch.setenv("MY_KEY", KEY)
        with ChatServer("Text.") as server:
            model = {"use": server.url, "model": "m", "api_key_env": "MY_KEY", "extra": {"temperature": 0.7}}
            assert Agent(model=model)("Go.") == "Text."
            ((_, headers, body),) = server.seen
        assert headers["Authorization"] == f"Bearer {KEY}"
        assert body["temperature"] == 0.7

    def test_a_server_that_is_not_there_is_spawn_failed(self):
        with ChatServer("Text.") as server:
            url = server.url
        answer = Agent(model=f"{url}#m")("Go.", timeout="2s")
        assert answer.kind in ("spawn_failed", "timeout")

    @pytest.mark.parametrize(
        "model",
        ["http://169.254.169.254/v1#m", "http://localhost:1/v1", "ftp://x/v1#m", {"use": "http://localhost:1/v1"}],
    )
    def test_an_address_that_may_not_be_called_is_rejected(self, model):
        """Row 93: the rules of every other request hold here too."""
        assert Agent(model=model)("Go.").kind == "rejected"

    def test_an_error_never_holds_the_key(self, monkeypatch):
        monkeypatch.setenv("COMMONPLACE_AGENT_KEY", KEY)
        with ChatServer("Text.", status=500) as server:
            answer = Agent(model=f"{server.url}#m")("Go.", timeout="2s")
        assert isinstance(answer, ErrorValue)
        assert KEY not in answer.to_json()


class TestCallables:
    def test_what_a_strangers_error_says_is_one_line_without_secrets(self):
        token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"

        def failing(_):
            raise RuntimeError(f"bad\n\ttoken {token}")

        answer = Agent(model=failing)("Go.")
        assert answer.kind == "spawn_failed"
        assert answer.message.startswith("RuntimeError: bad token [REDACTED:")

    def test_an_interrupt_is_not_an_answer(self, desk):
        def interrupted(_):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            desk.agent().with_(model=interrupted)("Go.")
        assert desk.agent("Text.")("Go.") == "Text.", "the lease was let go"


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("30s", 30.0), ("500ms", 0.5), ("2m", 120.0), ("1h", 3600.0), ("5", 5.0), (7, 7.0), (None, None)],
)
def test_times_are_written_as_people_write_them(written, seconds):
    """V49."""
    assert seconds_of(written) == seconds
