"""Where may a request go? Decided on the address a name resolves to, and the connection is made to that very address.

Row 93: a name in the settings may point at a cloud's metadata service, at this machine, or at one thing when it is checked and at
another when it is called. So only public addresses are called, with two exceptions: this machine, when the URL itself says
so (that is where local model servers live), and what the user put on the list `allow`.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from commonplace.errors import DeniedError, InvalidError, UnavailableError
from commonplace.model.base import Noun

_PUBLIC_V6 = IPv6Network("2000::/3")
_CARRIES_V4 = (IPv6Network("2001::/32"), IPv6Network("2002::/16"))  # tunnels: an IPv4 address in disguise


class Asker(Noun, frozen=True, kw_only=True):
    """For whom a server is asked: what its errors speak of."""

    name: str
    wants: str
    hint: str

    def __str__(self) -> str:
        """The part of the settings that it is told by."""
        return f"[{self.name}]"


EMBEDDER = Asker(
    name="embedder",
    wants="vectors",
    hint="Check that the server runs and that [embedder] is right; until then everything works on words.",
)


class Target(Noun, frozen=True, kw_only=True):
    """A URL taken apart and found to be one that may be meant."""

    secure: bool
    host: str
    port: int
    path: str
    allow: tuple[str, ...] = ()
    asker: Asker = EMBEDDER

    @property
    def shown(self) -> str:
        """The address as errors may show it: never more than scheme, host and port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}"

    @property
    def names_this_machine(self) -> bool:
        if self.host == "localhost":
            return True
        literal = _literal(self.host)
        # An IPv4 address written as an IPv6 one says something else than it means: `::ffff:127.0.0.1` is no name for here.
        return literal is not None and literal.is_loopback and _mapped(literal) is None

    @property
    def is_private(self) -> bool:
        """May a key go there in the clear: this machine, or what the user vouches for?"""
        return self.names_this_machine or _on_list(self.host, _literal(self.host), self.allow)

    def resolve(self) -> list[str]:
        """The addresses that may be called. Asks the resolver; whoever connects must connect to one of these."""
        found = _addresses(self.host, self.port)
        may = [str(address) for address in found if self._may(address)]
        if not may:
            raise self._refused() if found else self._unknown()
        return may

    def _may(self, address: IPv4Address | IPv6Address) -> bool:
        if _on_list(self.host, address, self.allow):
            return True
        if self.names_this_machine:
            return address.is_loopback and _mapped(address) is None
        return _is_public(address)

    def _unknown(self) -> UnavailableError:
        return UnavailableError(
            f"{self.shown} has no address",
            code=self.asker.name,
            hint=f"Check the name in {self.asker} use, and the network.",
        )

    def _refused(self) -> DeniedError:
        return DeniedError(
            f"{self.shown} leads to an address that is not public",
            hint=f'If you mean it, add it to {self.asker}: allow = ["{self.host}"]',
            where=self.asker.name,
        )


def target_of(url: str, allow: Sequence[str] = (), asker: Asker = EMBEDDER) -> Target:
    """Take a base URL apart; refuse what is not a plain http or https address."""
    split = _split(url, asker)
    plain = url.isascii() and url.isprintable() and " " not in url
    if split.scheme not in ("http", "https") or not split.hostname or not plain:
        raise InvalidError("this is not an http or https address", where=asker.name)
    if "@" in split.netloc:
        raise InvalidError("a password in an address is seen by many", where=asker.name, hint="Use `api_key_env`.")
    if split.query:
        raise InvalidError("an address with a question mark cannot be continued", where=asker.name)
    secure = split.scheme == "https"
    return Target(
        secure=secure,
        host=split.hostname.rstrip("."),
        port=split.port or (443 if secure else 80),
        path=split.path.rstrip("/"),
        allow=tuple(allow),
        asker=asker,
    )


def _split(url: str, asker: Asker) -> SplitResult:
    try:
        split = urlsplit(url)
        _ = split.port
    except ValueError:
        raise InvalidError("this is not an address", where=asker.name) from None
    return split


def _addresses(host: str, port: int) -> list[IPv4Address | IPv6Address]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    # A zone (`fe80::1%eth0`) is cut off: such an address is not public anyway.
    return [*dict.fromkeys(ip_address(str(where[0]).partition("%")[0]) for *_, where in found)]


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast
    return address in _PUBLIC_V6 and address.is_global and not any(address in net for net in _CARRIES_V4)


def _on_list(host: str, address: IPv4Address | IPv6Address | None, allow: Sequence[str]) -> bool:
    return host in allow or (address is not None and any(_covers(entry, address) for entry in allow))


def _covers(entry: str, address: IPv4Address | IPv6Address) -> bool:
    try:
        return address in ip_network(entry, strict=False)
    except ValueError:  # a name: compared as such
        return False


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _mapped(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    return address.ipv4_mapped if isinstance(address, IPv6Address) else None
