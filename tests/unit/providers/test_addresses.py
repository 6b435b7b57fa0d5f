"""Row 93: where a request may go is decided on the address it really goes to."""

from __future__ import annotations

import socket

import pytest

from commonplace.errors import DeniedError, InvalidError, UnavailableError
from commonplace.providers.addresses import target_of
from commonplace.providers.choice import choose

from .server import Server


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest",
        "http://[fd00:ec2::254]/",
        "http://[::ffff:169.254.169.254]/",
        "http://[::ffff:127.0.0.1]:11434/v1",
        "http://[::ffff:7f00:1]:11434/v1",
        "http://2130706433:11434/v1",
        "http://0x7f000001:11434/v1",
        "http://0177.0.0.1:11434/v1",
        "http://127.1:11434/v1",
        "http://0.0.0.0:11434/v1",
        "http://[::]:11434/v1",
        "http://10.0.0.1/v1",
        "http://172.16.3.4/v1",
        "http://192.168.1.5:8000/v1",
        "http://100.64.0.1/v1",
        "http://[fe80::1]/v1",
        "http://[64:ff9b::7f00:1]/v1",
        "http://[2002:7f00:1::]/v1",
        "http://224.0.0.1/v1",
        "http://255.255.255.255/v1",
    ],
)
def test_an_address_that_is_not_public_is_refused(url):
    with pytest.raises(DeniedError, match="not public"):
        target_of(url).resolve()


@pytest.mark.parametrize("url", ["https://8.8.8.8/v1", "https://[2606:4700::1111]/v1"])
def test_a_public_address_may_be_called(url):
    assert target_of(url).resolve() == [target_of(url).host]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.0.0.53", "LOCALHOST", "localhost."])
def test_this_machine_may_be_called_when_the_url_says_so(host):
    """That is where Ollama and LM Studio live."""
    assert all(socket.getaddrinfo(one, 80) for one in target_of(f"http://{host}:11434/v1").resolve())


def test_a_name_that_has_two_addresses_is_tried_at_both():
    """`localhost` is often both; a server often listens at one."""
    with Server() as server:
        url = f"http://localhost:{server.server_port}/v1#m"
        assert choose({"embedder": url}).query("x").shape == (4,)


@pytest.mark.parametrize("allow", ["192.168.1.5", "192.168.0.0/16", "0.0.0.0/0"])
def test_what_the_user_put_on_the_list_may_be_called(allow):
    target = target_of("http://192.168.1.5:8000/v1", [allow])
    assert target.resolve() == ["192.168.1.5"]
    assert target.is_private
    with pytest.raises(DeniedError):
        target_of("http://192.168.1.5:8000/v1", ["10.0.0.0/8", "name.example", "192.168.1.50"]).resolve()


@pytest.fixture
def resolver(monkeypatch):
    """A resolver whose answers change; there is no name service to ask here."""
    answers = []

    def getaddrinfo(host, port, *_, **__):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (where, port)) for where in answers.pop(0)]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return answers


@pytest.mark.parametrize("inner", ["127.0.0.1", "169.254.169.254", "10.1.2.3"])
def test_a_public_name_that_leads_inside_is_refused(resolver, inner):
    resolver.append([inner])
    with pytest.raises(DeniedError):
        target_of("https://models.example/v1").resolve()


def test_of_several_addresses_only_the_public_ones_are_called(resolver):
    resolver.append(["10.0.0.1", "8.8.8.8", "127.0.0.1"])
    assert target_of("https://models.example/v1").resolve() == ["8.8.8.8"]


def test_a_name_that_says_here_and_leads_elsewhere_is_refused(resolver):
    resolver.append(["8.8.8.8"])
    with pytest.raises(DeniedError):
        target_of("http://localhost:11434/v1").resolve()


def test_a_name_is_resolved_once_for_each_request_and_that_address_is_called(resolver):
    """A name that is public when checked and here when called is called at its public address, or not at all."""
    with Server() as server:
        resolver += [["192.0.2.1"], ["127.0.0.1"]]  # reserved for documentation: not public either
        chosen = choose({"embedder": {"use": f"http://models.example:{server.server_port}/v1", "model": "m"}})
        for _ in range(2):
            with pytest.raises(DeniedError):
                chosen.query("x")
        assert server.seen == []


def test_a_name_that_nobody_knows_is_unavailable_and_not_refused(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(UnavailableError, match="has no address"):
        target_of("https://models.example/v1").resolve()


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/",
        "gopher://example.org/",
        "http://",
        "http:///v1",
        "https://user:secret@example.org/v1",
        "https://example.org/v1?key=secret",
        "http://exa mple.org/",
        "http://example.org:99999/",
        "http://[::1/",
        "http://exämple.org/",
        "http://example.org/\r\nX-Header: 1",
    ],
)
def test_what_is_no_plain_address_is_refused_without_being_quoted(url):
    with pytest.raises(InvalidError) as refused:
        target_of(url)
    assert "secret" not in str(refused.value.to_dict())


def test_a_key_does_not_go_over_an_open_line():
    with pytest.raises(InvalidError, match="must not go over http"):
        choose({"embedder": {"use": "http://models.example/v1", "model": "m", "api_key": "k"}})
    for settings in ({"use": "https://models.example/v1"}, {"use": "http://localhost:1/v1"},
                     {"use": "http://gpu.lan/v1", "allow": ["gpu.lan"]}):  # fmt: skip
        assert choose({"embedder": {**settings, "model": "m", "api_key": "k"}})
