"""The write mutex: where it lies, what it says, what it refuses (A35, A62, R5, R7, rows 64, 71, 84, 105)."""

from __future__ import annotations

import gc
import itertools
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from commonplace.errors import InvalidError, LockedError
from commonplace.storage.lease import lease
from commonplace.storage.locks import flocked
from commonplace.storage.locks.epochs import EpochLock
from commonplace.storage.locks.heartbeat import Heart
from commonplace.storage.locks.kernel import KernelLock
from commonplace.storage.locks.owner import Owner
from commonplace.storage.mutex import Mutex

WAYS = ("auto", "epochs")


@pytest.fixture
def store(tmp_path: Path) -> str:
    folder = tmp_path / "vault"
    folder.mkdir()
    return str(folder)


@pytest.fixture
def locks(cache: Path, store: str) -> Path:
    return cache / "locks" / sha256(os.fsencode(os.path.realpath(store))).hexdigest()


@contextmanager
def held_elsewhere(mutex: Mutex) -> Iterator[None]:
    """By another thread, for as long as the block runs."""
    taken, enough = threading.Event(), threading.Event()

    def hold() -> None:
        with mutex.held(5.0):
            taken.set()
            enough.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    assert taken.wait(5)
    try:
        yield
    finally:
        enough.set()
        thread.join()


@pytest.mark.parametrize("way", WAYS)
def test_the_lock_lies_outside_the_store_under_the_hash_of_its_real_path(locks: Path, store: str, way: str) -> None:
    """A35, A62: no sync client ever sees it."""
    with Mutex(store, way=way).held(1.0):
        assert [name for name in os.listdir(locks) if name.startswith("write")]
    assert os.listdir(store) == []


@pytest.mark.parametrize("way", WAYS)
def test_a_symlink_to_the_store_shares_its_lock(tmp_path: Path, store: str, way: str) -> None:
    """A62."""
    alias = tmp_path / "alias"
    alias.symlink_to(store)
    with held_elsewhere(Mutex(store, way=way)), pytest.raises(LockedError), Mutex(str(alias), way=way).held(0.05):
        pass


@pytest.mark.parametrize("way", WAYS)
def test_two_stores_do_not_wait_for_each_other(tmp_path: Path, store: str, way: str) -> None:
    with held_elsewhere(Mutex(store, way=way)), Mutex(str(tmp_path / "other"), way=way).held(0.05) as mine:
        assert mine.still_mine()


@pytest.mark.parametrize("way", WAYS)
def test_locks_and_their_folders_are_the_users_alone(locks: Path, store: str, way: str) -> None:
    """Row 105, under any umask."""
    before = os.umask(0)
    try:
        with Mutex(store, way=way).held(1.0):
            files = [path.stat().st_mode & 0o777 for path in locks.iterdir()]
    finally:
        os.umask(before)
    assert files == [0o600]
    assert locks.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("way", WAYS)
def test_the_error_comes_at_the_limit_and_names_the_holder_and_its_age(store: str, way: str) -> None:
    """Row 64."""
    with held_elsewhere(Mutex(store, way=way)):
        time.sleep(0.3)
        started = time.monotonic()
        with pytest.raises(LockedError) as refused, Mutex(store, way=way).held(0.5):
            pass
        waited = time.monotonic() - started
    assert waited == pytest.approx(0.5, abs=0.1)
    assert (
        f"(process {os.getpid()}) has held it for 0.8 seconds" in refused.value.message
        or "0.9" in refused.value.message
    )
    assert refused.value.retryable


@pytest.mark.parametrize("way", WAYS)
def test_a_thread_that_would_wait_for_itself_is_told_at_once(store: str, way: str) -> None:
    started = time.monotonic()
    with (
        Mutex(store, way=way).held(5.0),
        pytest.raises(LockedError) as refused,
        Mutex(store, way=way).held(5.0),
    ):
        pass
    assert refused.value.code == "reentrant"
    assert not refused.value.retryable
    assert time.monotonic() - started < 1.0


@pytest.mark.parametrize("way", WAYS)
def test_after_an_error_inside_the_next_one_gets_it(store: str, way: str) -> None:
    mutex = Mutex(store, way=way)
    with pytest.raises(ZeroDivisionError), mutex.held(1.0):
        _ = 1 / 0
    with mutex.held(0.0) as mine:
        assert mine.still_mine()
    assert not mutex.still_mine()


@pytest.mark.parametrize("way", WAYS)
def test_holding_it_many_times_leaves_no_descriptor_open_and_few_files(locks: Path, store: str, way: str) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(300):
        with Mutex(store, way=way).held(1.0):
            pass
    assert len(os.listdir("/proc/self/fd")) == before
    assert len(os.listdir(locks)) <= 20


@pytest.mark.parametrize(("way", "name"), [("auto", "write"), ("epochs", "write.000000000001")])
def test_a_link_or_a_pipe_planted_at_the_locks_name_is_refused(
    tmp_path: Path, locks: Path, store: str, way: str, name: str
) -> None:
    """Row 84: the target is not touched, not created, not waited for."""
    locks.mkdir(parents=True, mode=0o700)
    outside = tmp_path / "outside"
    for plant in (lambda: (locks / name).symlink_to(outside), lambda: os.mkfifo(locks / name)):
        plant()
        with pytest.raises(InvalidError) as refused, Mutex(store, way=way).held(1.0):
            pass
        assert refused.value.code == "unsafe_path"
        assert not outside.exists()
        (locks / name).unlink()


def test_a_link_planted_at_the_lock_folders_name_is_refused(tmp_path: Path, locks: Path, store: str) -> None:
    """Row 84."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    locks.parent.mkdir(parents=True)
    locks.symlink_to(elsewhere)
    with pytest.raises(InvalidError), Mutex(store).held(1.0):
        pass
    assert os.listdir(elsewhere) == []


def test_a_cache_that_cannot_be_made_is_an_error_that_names_it(
    tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row 21: never a silent write without a lock."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(InvalidError) as refused, Mutex(store).held(1.0):
        pass
    assert str(tmp_path / "file") in str(refused.value.where)


@pytest.mark.parametrize("way", WAYS)
def test_a_holder_whose_lock_was_removed_is_told_before_it_commits(locks: Path, store: str, way: str) -> None:
    """Somebody empties the cache while we hold it: another could then hold one of the same name."""
    with Mutex(store, way=way).held(1.0) as mine:
        mine.must_be_mine()
        for path in locks.iterdir():
            path.unlink()
        assert not mine.still_mine()
        with pytest.raises(LockedError) as refused:
            mine.must_be_mine()
    assert refused.value.code == "lost"


def test_a_waiter_whose_lock_was_removed_asks_for_the_one_that_is_there_now(locks: Path, store: str) -> None:
    came = threading.Event()

    def wait() -> None:
        with Mutex(store).held(5.0) as mine:
            assert mine.still_mine()
            came.set()

    with Mutex(store).held(1.0):
        waiter = threading.Thread(target=wait)
        waiter.start()
        time.sleep(0.1)
        (locks / "write").unlink()
        assert not came.is_set()
    waiter.join(5)
    assert came.is_set()


def test_where_the_file_system_cannot_lock_the_other_way_is_taken(
    locks: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row 25."""

    class NoLocks(flocked.KernelLock):
        def take(self, deadline: float) -> bool:
            raise OSError(37, "No locks available")

    monkeypatch.setattr(flocked, "KernelLock", NoLocks)
    with Mutex(store).held(1.0) as mine:
        assert mine.still_mine()
        assert (locks / "write.000000000001").exists()


@pytest.mark.parametrize("jump", [10 * 365 * 86_400, -10 * 365 * 86_400, -3_600])
def test_a_clock_that_jumps_makes_nothing_stale(locks: Path, store: str, jump: int) -> None:
    """Row 71: only the waiter's own patience counts, not what time the file says."""
    with held_elsewhere(Mutex(store, way="epochs", stale=5.0)):
        [file] = locks.iterdir()
        os.utime(file, (time.time() + jump, time.time() + jump))
        with pytest.raises(LockedError), Mutex(store, way="epochs", stale=5.0).held(0.5):
            pass


def test_a_waiter_that_was_stopped_itself_does_not_count_its_sleep(
    locks: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A laptop wakes up: the waiter runs first and finds an hour passed, the holder has had no chance to give a sign."""
    locks.mkdir(parents=True)
    path = str(locks / "write")
    holder, waiter = EpochLock(path, stale=5.0), EpochLock(path, stale=5.0)
    assert holder.take(time.monotonic(), Owner.now())
    real, slept = time.sleep, []

    def stopped(seconds: float) -> None:
        real(seconds)
        slept.append(3_600.0)

    monkeypatch.setattr("commonplace.storage.locks.epochs.time.sleep", stopped)
    clock = time.monotonic
    monkeypatch.setattr("commonplace.storage.locks.epochs.time.monotonic", lambda: clock() + sum(slept))
    assert not waiter.take(clock() + 7_500, Owner.now())
    monkeypatch.undo()
    assert len(slept) >= 2
    assert holder.still_mine()
    holder.let_go()


def test_a_holder_that_is_silent_for_long_enough_is_succeeded_and_knows_it(store: str) -> None:
    with held_elsewhere(Mutex(store, way="epochs", stale=100.0)):
        with Mutex(store, way="epochs", stale=0.3).held(5.0) as mine:
            assert mine.still_mine()
        with Mutex(store, way="epochs", stale=0.3).held(0.1):
            pass


def test_a_holder_that_gives_signs_of_life_is_waited_for(store: str) -> None:
    """V-j: a lease of minutes is held by its heartbeat."""
    with (
        held_elsewhere(Mutex(store, way="epochs", stale=0.4)),
        pytest.raises(LockedError),
        Mutex(store, way="epochs", stale=0.4).held(1.5),
    ):
        pass


def test_a_delayed_waiter_that_saw_a_stale_lock_cannot_take_the_new_one(locks: Path) -> None:
    """A65: it has measured, and falls asleep while another takes over; at each step of its way, one after the other."""
    locks.mkdir(parents=True)
    overtaken, step = 0, 0
    while overtaken == step:
        step += 1
        path = str(locks / f"lock{step}")
        dead, delayed, quick = EpochLock(path, stale=60.0), EpochLock(path, stale=0.05), EpochLock(path, stale=0.0)
        assert dead.take(time.monotonic(), Owner.now())
        assert not delayed.take(time.monotonic() + 0.02, Owner.now())
        delayed._silence = 1.0  # it has watched for long enough
        before_step(delayed, step, lambda quick=quick: quick.take(time.monotonic() + 1, Owner.now()))
        came = delayed._try(Owner.now())
        overtaken += quick.fd >= 0
        if quick.fd >= 0:
            assert quick.still_mine()
            assert not (came and delayed.still_mine())
        assert not dead.still_mine()
    print(f"overtaken at {overtaken} steps")
    assert overtaken >= 6
    assert came, "undisturbed, it takes over"


def before_step(lock: EpochLock, number: int, deed: Callable[[], object]) -> None:
    """Let something happen right before the lock's n-th step."""
    steps = itertools.count(1)

    def watched(real: Callable[..., object]) -> Callable[..., object]:
        def step(*given: object) -> object:
            if next(steps) == number:
                deed()
            return real(*given)

        return step

    for name in ("_highest", "_numbers", "_is_open", "_name", "still_mine"):
        setattr(lock, name, watched(getattr(lock, name)))


def test_a_waiter_so_slow_that_its_number_was_used_and_swept_notices(locks: Path) -> None:
    """A65, the far end: it makes the next number, and finds that it is an old one."""
    locks.mkdir(parents=True)
    path = str(locks / "write")
    slow = EpochLock(path, stale=100.0)
    others = EpochLock(path, stale=100.0)
    for _ in range(40):
        assert others.take(time.monotonic(), Owner.now())
        others.let_go()
    assert others.take(time.monotonic(), Owner.now())
    real, answers = slow._highest, [1]
    slow._highest = lambda: answers.pop() if answers else real()  # type: ignore[method-assign]
    slow._is_open = lambda number: True  # type: ignore[method-assign]
    assert not slow._try(Owner.now())
    assert others.still_mine()
    assert not os.path.exists(f"{path}.000000000002")


class Living:
    def __init__(self) -> None:
        self.beats = 0

    def beat(self) -> None:
        self.beats += 1


def test_signs_of_life_come_at_their_own_pace_and_end_with_the_last() -> None:
    heart, slow, fast = Heart(), Living(), Living()
    heart.add(slow, 10.0)
    heart.add(fast, 0.02)
    time.sleep(0.5)
    assert fast.beats >= 4
    assert slow.beats == 1
    heart.remove(slow)
    heart.remove(fast)
    time.sleep(0.5)
    assert heart._thread is None
    heart.add(fast, 0.02)
    count = fast.beats
    time.sleep(0.2)
    assert fast.beats > count


def test_what_nobody_knows_any_more_gives_no_sign() -> None:
    """A lock that an interrupt left behind must not look alive."""
    heart, left = Heart(), Living()
    heart.add(left, 0.02)
    gone = weakref.ref(left)
    del left
    time.sleep(0.5)
    assert gone() is None
    assert heart._thread is None


def test_a_lease_and_the_write_mutex_do_not_wait_for_each_other(store: str) -> None:
    """X-12: while an agent thinks, others write."""
    with lease(store, "user:alice"), Mutex(store).held(0.0), lease(store, "user:bob", timeout=0.0):
        pass


@pytest.mark.parametrize("way", WAYS)
def test_a_lease_is_exclusive_and_says_who_has_it(store: str, way: str) -> None:
    """V37, V39."""

    def take() -> None:
        with lease(store, "user:alice", timeout=0.2, way=way):
            pass

    with lease(store, "user:alice", way=way) as held:
        assert _in_a_thread(take).code == "locked"
        assert held.still_mine()
        with pytest.raises(LockedError) as refused:
            take()
        assert refused.value.code == "reentrant"
    take()


def _in_a_thread(work: Callable[[], object]) -> LockedError:
    caught: list[LockedError] = []

    def run() -> None:
        try:
            work()
        except LockedError as refused:
            caught.append(refused)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    [refused] = caught
    return refused


def test_a_shared_lease_is_shared_and_keeps_the_exclusive_one_out(store: str) -> None:
    """V38."""
    with ExitStack() as many:
        for _ in range(3):
            many.enter_context(lease(store, "k", shared=True, timeout=0.0))
        with pytest.raises(LockedError):  # this thread would wait for itself
            many.enter_context(lease(store, "k", timeout=0.1))
        assert _in_a_thread(lambda: many.enter_context(lease(store, "k", timeout=0.1))).code == "locked"
    # Who gave up waiting gets its turn now, for the moment it takes to let go again.
    with lease(store, "k", timeout=5.0), pytest.raises(LockedError):
        many.enter_context(lease(store, "k", shared=True, timeout=0.1))


@pytest.mark.parametrize("key", ["", "../../etc", "a/b", "x" * 10_000, "ключ\n\x00", "\ud800"])
def test_any_text_is_a_legal_key_of_a_lease(locks: Path, store: str, key: str) -> None:
    """Rows 45 and 82: it is never part of a name."""
    with lease(store, key, timeout=0.0):
        assert [name[:6] for name in os.listdir(locks)] == ["lease-"]


def test_a_lock_that_was_closed_has_nothing_to_do_when_it_goes(tmp_path):
    """What is raised in a `__del__` is swallowed: a Ctrl-C that came while one ran was lost. An open one still closes itself."""
    lock = KernelLock(str(tmp_path / "lock"))
    assert not hasattr(type(lock), "__del__")
    for _ in range(2):
        assert lock.take(time.monotonic() + 5)
        assert hasattr(type(lock), "__del__")
        lock.close()
        assert not hasattr(type(lock), "__del__")
    assert lock.take(time.monotonic() + 5)
    fd = lock.fd
    del lock
    gc.collect()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)
