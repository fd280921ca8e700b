"""The package as a wheel installs it, away from the checkout: it works, and says in a sentence what is missing."""

import os
import subprocess
import sys
import sysconfig
import venv
from zipfile import ZipFile

import pytest

import dicelab as dl
from collection.papers.published import ROOT

EXTRAS = "PIL filelock gmpy2 gymnasium ipykernel ipympl ipywidgets jupyter_client jupyterlab matplotlib nbclient"
EXTRAS += " nbconvert nbformat papermill pettingzoo psutil pyarrow sphinx traitlets"
WORK = """
import importlib.util
import dicelab as dl
from dicelab_extras import proofs
game, half = dl.pig(20), dl.hold_at(10)
solution = dl.solve(game)
wins = dl.evaluate(game, solution.policy, half).first_wins
assert abs(dl.simulate(game, solution.policy, half, games=10_000, seed=1).first_wins - wins) < 0.03
assert wins - 1e-12 < dl.best_response(game, half).value < 1
assert dl.solve(dl.pig(10), exact=True).value.denominator == 10961
assert proofs.certify(solution).optimal
assert repr(solution) and solution._repr_html_() is None, "a card has a picture"
solution.to_frame().to_csv("pig.csv", index=False)
assert importlib.util.find_spec("collection") is None
"""
DICELAB = "import sys; from dicelab.cli import main; main(sys.argv[1:], 'dicelab')"


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """An environment with the wheel, which shares all other packages with ours."""
    folder = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    venv.create(folder / "venv", symlinks=os.name != "nt")
    packages = sysconfig.get_path("purelib", "venv", {"base": str(folder / "venv")})
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(packages)
    shared = [path for path in sys.path if path.endswith("-packages")]
    (folder / packages / "shared.pth").write_text("\n".join(shared))
    return os.path.join(
        sysconfig.get_path("scripts", "venv", {"base": str(folder / "venv")}), "python"
    )


def run(python, folder, code, *arguments, without="", typed=""):
    """Run code in a folder, as if the modules in `without` were not installed."""
    code = f"import sys; sys.modules.update(dict.fromkeys({without.split()}))\n{code}"
    command = [python, "-I", "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, input=typed, capture_output=True, text=True)


@pytest.mark.slow
def test_the_package_alone_solves_evaluates_and_compares(python, tmp_path):
    done = run(python, tmp_path, WORK, without=EXTRAS)
    assert done.returncode == 0, done.stderr
    assert (
        (tmp_path / "pig.csv").read_text().startswith("own,opponent,mode,dice,first,last,action,")
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "typed", "said"),
    [
        ("--version", "", dl.__version__),
        ("solve pig --target 20", "", "0.61"),
        ("play pig --target 20", "q\n", "Pig"),
        ("grade 8 --target 20", "", "It gives away"),
    ],
)
def test_the_command_line(python, tmp_path, arguments, typed, said):
    done = run(python, tmp_path, DICELAB, *arguments.split(), without=EXTRAS, typed=typed)
    assert done.returncode == 0 and said in done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", ["reproduce", "verify --full"])
def test_what_needs_the_notebooks_says_how_to_get_them(python, tmp_path, command):
    done = run(python, tmp_path, DICELAB, *command.split(), without=EXTRAS)
    assert done.returncode and "Clone the repository" in " ".join(done.stderr.split()), done.stderr
    assert "Traceback" not in done.stderr and not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "module", "name"),
    [
        ("from dicelab import plots", "matplotlib", "plots"),
        ("from dicelab_extras.learning import environments", "gymnasium", "gym"),
        ("from dicelab_extras.play import widgets", "ipywidgets", "papers"),
        ("from collection import runner", "papermill", "papers"),
        ("from collection import site; site.run_sphinx(None, None)", "sphinx", "site"),
    ],
)
def test_a_missing_extra_is_named_with_the_command(tmp_path, code, module, name):
    code = f"sys.path.insert(0, {str(ROOT)!r})\n{code}"
    done = run(sys.executable, tmp_path, code, without=module)
    said = f"{module} is missing; install it with: pip install 'dicelab[{name}]'"
    assert done.stderr.endswith(f"ModuleNotFoundError: {said}\n")


def test_importing_the_package_imports_no_extra(tmp_path):
    code = f"sys.path.insert(0, {str(ROOT)!r})\nimport dicelab, dicelab.cli; print(*sys.modules)"
    done = run(sys.executable, tmp_path, code)
    tried = {"gmpy2", "psutil", "pyarrow", "yaml"}  # if they are there, by us, numba and pandas
    extras = set(EXTRAS.split()) - tried
    assert "dicelab.cli" in done.stdout and not extras & set(done.stdout.split()), done.stderr
