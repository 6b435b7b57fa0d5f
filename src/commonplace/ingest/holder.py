"""Who has taken a piece of work, and is that process still there?

A pid alone says nothing: it is used again, and another container counts its own (row 60). A holder is known by the machine's
boot, the namespace of its pids, its pid and the moment it began; and how long it may hold on is counted on the clock that
nobody can set. Where a system does not tell these, only the lease's own end counts.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from datetime import datetime, timedelta

from commonplace import settings
from commonplace.model.chance import chance
from commonplace.model.job import Job


def claim() -> str:
    """A name for one taking of one job by this process: `BOOT/PIDS/PID/BEGAN/UNTIL/CHANCE`."""
    until = int((time.monotonic() + settings.LEASE_SECONDS) * 1000)
    return f"{_machine()}/{os.getpid()}/{_began(os.getpid())}/{until}/{chance(6).hex()}"


def is_free(job: Job, now: datetime) -> bool:
    """May somebody else take what this job's holder has taken?"""
    machine, _, rest = (job.lease_owner or "").rpartition("/")[0].partition("/")
    pids, _, rest = rest.partition("/")
    parts = rest.split("/")
    if f"{machine}/{pids}" == _machine() and len(parts) == 3 and _machine() != _UNKNOWN:
        pid, began, until = parts
        return _began(_number(pid)) != began or time.monotonic() * 1000 > _number(until)
    return job.lease_until is None or job.lease_until <= now or job.lease_until > now + _LONGEST


# A lease that ends later than any lease can was given by a clock that is not ours.
_LONGEST = timedelta(seconds=settings.LEASE_SECONDS * 2)
_UNKNOWN = "-/-"


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0


def _machine() -> str:
    with suppress(OSError), open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return f"{file.read().strip()}/{os.readlink('/proc/self/ns/pid').strip('pid:[]')}"
    return _UNKNOWN


def _began(pid: int) -> str:
    """When this process began, in the kernel's own count; `-` if there is none, or only what is left of one."""
    with suppress(OSError, IndexError), open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        state, *fields = file.read().rpartition(")")[2].split()  # a program's name may hold anything, brackets too
        return "-" if state in ("Z", "X") else fields[18]
    return "-"
