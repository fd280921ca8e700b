"""Kill runs at random moments, and look at what they leave: ``python -m tests.by_hand.kills``.

In a copy of this checkout, over and over, one of three commands is begun with old results in place and gets a SIGINT, a
SIGTERM or a SIGKILL at a random moment. Asked or made to end, it has to be gone within two seconds, kernels included.
Every file then has to be the old one or, byte for byte, that of a run which was left in peace; in the end, one such run
has to make everything.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
import nbformat

ROOT = Path(__file__).parents[2]
OLD = b"the old one\n"
COMMANDS = {
    "reproduce": ["reproduce", "minimax-pig"],
    "exact": ["solve", "pig", "--target", "45", "--exact", "-o", "build/values.csv"],
    "site": ["site"],
}
MADE = {
    "reproduce": ["build/report.md", "figures/minimax-pig/*"],
    "exact": ["build/values.csv"],
    "site": ["build/site/**/*.*"],
}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)


def begin(folder, command, mark):
    """The command in a session of its own, with a mark that its kernels inherit."""
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        "DICELAB_MARK": mark,
        "TQDM_DISABLE": "1",
    }
    whole = [sys.executable, "-m", "dicelab", *COMMANDS[command]]
    out = (folder.parent / f"{mark}.log").open("w")
    return subprocess.Popen(
        whole, cwd=folder, env=environment, stdout=out, stderr=out, start_new_session=True
    )


def alive(mark):
    """The processes that have this mark."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
            if (
                state != "Z"
                and f"DICELAB_MARK={mark}\0".encode() in (process / "environ").read_bytes()
            ):
                found.append(int(process.name))
        except OSError:
            continue
    return found


def results(folder, command):
    """The files that a command makes, by name; executed copies, which carry times, only if they can be read."""
    files = {}
    for pattern in MADE[command]:
        for path in sorted(folder.glob(pattern)):
            if path.is_file():
                files[path.relative_to(folder).as_posix()] = path.read_bytes()
    for copy in folder.glob("build/papers/*.ipynb"):
        nbformat.validate(nbformat.read(copy, as_version=4))
    return files


def make_old(folder, files):
    """Put something in place of every result."""
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(OLD)


def kill(folder, command, seconds, sign, peaceful, mark):
    """Begin, kill, look; what is wrong, a list of sentences, and whether it was running still."""
    make_old(folder, peaceful)
    process, wrong = begin(folder, command, mark), []
    try:
        process.wait(seconds)
        running = False
    except subprocess.TimeoutExpired:
        running = True
        process.send_signal(sign)
        killed = time.monotonic()
        while alive(mark) and time.monotonic() - killed < 20:
            time.sleep(0.02)
        took = time.monotonic() - killed
        if took > 2:
            wrong.append(f"{took:.1f} s until all had ended")
        process.wait(20)
    for name, now in results(folder, command).items():
        if now not in (OLD, peaceful.get(name)):
            wrong.append(f"{name} is neither old nor new")
    return wrong, running


@click.command()
@click.option("--kills", default=50, show_default=True)
@click.option(
    "--command",
    "commands",
    multiple=True,
    default=list(COMMANDS),
    type=click.Choice(list(COMMANDS)),
)
@click.option("--seed", default=1, show_default=True)
def main(kills, commands, seed):
    """Kill, and report."""
    # What is begun in the background of a shell ignores it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chance = random.Random(seed)
    failed = 0
    in_time = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "dicelab"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
        if (ROOT / "build" / "node").exists():
            shutil.copytree(ROOT / "build" / "node", folder / "build" / "node", symlinks=True)
        peaceful, lasts = {}, {}
        for command in commands:
            for _ in "compiles", "is timed":
                started, before = time.monotonic(), peaceful.get(command)
                assert begin(folder, command, "peace").wait() == 0, (
                    Path(place) / "peace.log"
                ).read_text()
                lasts[command], peaceful[command] = (
                    time.monotonic() - started,
                    results(folder, command),
                )
            assert peaceful[command] == before, f"{command}: two runs left in peace differ"
            click.echo(
                f"{command}: left in peace, {lasts[command]:.1f} s and {len(peaceful[command])} files"
            )
        for number in range(kills):
            command = commands[number % len(commands)]
            sign = SIGNALS[number // len(commands) % len(SIGNALS)]
            seconds = chance.uniform(0, lasts[command])
            wrong, running = kill(
                folder, command, seconds, sign, peaceful[command], f"kill-{number}"
            )
            failed, in_time = failed + bool(wrong), in_time + running
            click.echo(
                f"{number + 1}: {command}, {sign.name} after {seconds:.1f} s: {'; '.join(wrong) or 'as it should'}"
            )
        for command in commands:
            make_old(folder, peaceful[command])
            assert begin(folder, command, "again").wait() == 0, (
                Path(place) / "again.log"
            ).read_text()
            same = results(folder, command) == peaceful[command]
            click.echo(
                f"{command}: the next run's results are {'the same bytes' if same else 'OTHERS'}"
            )
            failed += not same
        left = [path.name for path in folder.glob("build/.*") if path.name != ".lock"]
        click.echo(
            f"{kills} kills, {in_time} of them in time; {failed} failures; left in build/: {left or 'nothing'}"
        )
    raise SystemExit(bool(failed or left))


if __name__ == "__main__":
    main()
