"""The pictures of notebooks/README.md: ``python -m tests.by_hand.pictures``, some minutes.

Executes the notebooks, and keeps of each the first picture that is larger than a line, made small, in
``notebooks/pictures``. A notebook without one has no picture, so that the index shows another's.
"""

import base64
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import nbformat
from PIL import Image

from collection.notebooks import execute_all

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
KINDS = "*.ipynb", "lectures/*.ipynb", "explore/*.ipynb", "beyond/*.ipynb", "papers/*.ipynb"
WIDTH, HEIGHT, LEAST = 240, 180, 150


def pictures_of(notebook):
    """The PNG pictures in the outputs of an executed notebook."""
    for cell in nbformat.read(notebook, as_version=4).cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {}).get("image/png")
            if data:
                yield Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


def shrink(picture):
    """A picture that fits into 240 by 180 pixels, in 32 colours."""
    picture.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    return picture.quantize(32)


@click.command()
@click.option(
    "--executed",
    type=click.Path(path_type=Path),
    help="A folder with executed copies; else they are made.",
)
def main(executed):
    """Write notebooks/pictures."""
    with TemporaryDirectory() as folder:
        if executed is None:
            executed = Path(folder)
            paths = [path for kind in KINDS for path in sorted(NOTEBOOKS.glob(kind))]
            failed = execute_all(
                {path: executed / path.relative_to(NOTEBOOKS) for path in paths}, 900
            )
            for path, reason in failed.items():
                if reason:
                    raise click.ClickException(f"{path}: {reason}")
        (NOTEBOOKS / "pictures").mkdir(exist_ok=True)
        for path in sorted(path for kind in KINDS for path in executed.glob(kind)):
            large = (picture for picture in pictures_of(path) if min(picture.size) > LEAST)
            picture = next(large, None)
            if picture is not None:
                shrink(picture).save(NOTEBOOKS / "pictures" / f"{path.stem}.png", optimize=True)


if __name__ == "__main__":
    main()
