"""How the page is built: one file, byte for byte; how its worker answers; its address."""

import json
import re

import numpy as np
import pytest

import dicelab as dl
from collection import page as build
from collection.page import game_data, write_page


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "page.html"
    write_page(file)
    return file


def test_one_file_that_stands_alone(file, tmp_path):
    text = file.read_text(encoding="utf-8")
    assert not re.search(
        r"""(src|href)=["'](?!data:|#)|@import|url\((?!#)|fetch\(|https?://(?!www\.w3\.org)""", text
    )
    assert file.stat().st_size < 300_000
    write_page(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == file.read_bytes()


def test_a_site_carries_the_values_that_take_long(tmp_path, watched):
    write_page(tmp_path / "play.html", home="index.html")
    text = (tmp_path / "play.html").read_text(encoding="utf-8")
    games = json.loads(re.search(r'id="games">(.*?)</script>', text)[1])
    assert {game["slug"] for game in games if "packed" in game} == {"ten-thousand", "farkle"}
    page = watched((tmp_path / "play.html").as_uri() + "?game=farkle")
    page.wait_for_selector("#board", state="visible")
    assert page.text_content("#chance") == "Your chance of winning: 53.5\N{NO-BREAK SPACE}%"


def test_carried_values_are_those_of_the_solver(machinery, watched):
    """Up to half a step; corners that jump, and a target of 1."""
    solved = dl.solve(dl.pig()).values
    steep = np.random.default_rng(1).integers(0, 2, (9, 9)).astype(float)
    for values in (solved, steep, np.array([[0.25]])):
        given = {"packed": build.pack(values), "target": len(values)}
        found = watched(machinery).evaluate(
            """async (given) => {
                const { values, tie } = await modules["carried.js"].unpack(given)
                return [[...values], tie]
            }""",
            given,
        )
        assert np.abs(np.reshape(found[0], values.shape) - values).max() <= 0.5000001 * build.STEP
        assert found[1] == build.STEP


def test_the_policy_forbids_the_network(file, browser):
    """Also a script that got into the page could send nothing."""
    page = browser.new_page()
    page.goto(file.as_uri())
    said = page.evaluate('fetch("data:,x").then(() => "sent", (error) => error.message)')
    page.close()
    assert said == "Failed to fetch"


def test_the_worker_answers_the_newest(machinery, watched):
    """Of requests of one kind the older ones come to nothing; other kinds, and errors, are answered."""
    found = watched(machinery).evaluate(
        """async () => {
            const { newClient } = modules["client.js"], { pigOf, FAIR } = modules["game.js"], client = newClient()
            const first = (target) => (result) => result && [target, result.values.length]
            const solve = (target) => client.ask("solve", { game: pigOf(FAIR, target) }).then(first(target))
            const dragged = [20, 30, 40, 50].map(solve), game = pigOf(FAIR, 20)
            const other = client.ask("surface", { game })
            const grade = client.ask("grade", { game, values: [], rule: "hold at foo" })
            const wrong = grade.catch((error) => error.message)
            const all = [await Promise.all(dragged), (await other).advantage.length, await wrong]
            client.close()
            return all
        }"""
    )
    assert found[0] == [None, None, None, [50, 2500]]
    assert found[1] == 20 and found[2].startswith('I do not know the word "foo"')


def test_long_work_is_broken_off(machinery, watched):
    """A newer request ends an older one that is in the works, which has told how far it got."""
    found = watched(machinery).evaluate(
        """async (farkle) => {
            const { newClient } = modules["client.js"], { pigOf, FAIR } = modules["game.js"]
            let begun = 0
            window.Worker = class extends Worker {
                constructor(url) {
                    super(url)
                    begun += 1
                }
            }
            const client = newClient(), told = [], wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
            const long = client.ask("solve", { game: farkle }, (share) => told.push(share))
            while (told.length < 2) await wait(20)
            await wait(500)
            const short = await client.ask("solve", { game: pigOf(FAIR, 20) })
            client.close()
            return [told, await long, short.values[0], begun]
        }""",
        game_data("farkle"),
    )
    told, long, short, begun = found
    assert told == sorted(told) and 0 < told[0] < 1 and long is None
    assert 0.5 < short < 0.7 and begun == 2, "the first worker is ended"


ADDRESSES = [
    ("", {}, 0),
    ("#", {}, 0),
    ("#die=1,0,2.5,0,3&target=50&game=farkle&rule=hold+at+21+%2B+(j+-+i)%2F8&i=3&j=49", {
        "die": [1, 0, 2.5, 0, 3], "target": 50, "game": "farkle", "rule": "hold at 21 + (j - i)/8", "i": 3, "j": 49,
    }, 0),
    ("#target=20", {"target": 20}, 0),
    ("#die=1&target=0&game=chess&rule=foo&i=100&j=-1", {}, 6),
    ("#die=1,0,0&target=201&i=x&j=1e3", {}, 4),
    ("#die=1,-1,2&target=1.5&i=&j=%00", {}, 4),
    ("#target=20&i=20", {"target": 20}, 1),
    ("#die=" + ",".join(["1"] * 21), {"die": [1] * 21}, 0),
    ("#die=" + ",".join(["1"] * 22), {}, 1),
    ("#unknown=3&die=Infinity,1&%E0%A4%A", {}, 1),
    ("#rule=hold+at+1/0", {}, 1),
]  # fmt: skip
READ = """(addresses) => {
    const { readAddress, writeAddress, DEFAULTS } = modules["address.js"], games = ["pig", "farkle"]
    return addresses.map((address) => {
        const { state, notes } = readAddress(address, games), written = writeAddress(state)
        return [state, notes, written, readAddress(written, games).state, DEFAULTS]
    })
}"""


def test_the_address(machinery, watched):
    """What is wrong falls back to the default, with a note; what is written is read again."""
    found = watched(machinery).evaluate(READ, [address for address, _, _ in ADDRESSES])
    note = r"The link says \w+=.*; allowed is .*\. The page takes its usual value instead\."
    for read, (address, changed, wrong) in zip(found, ADDRESSES, strict=True):
        state, notes, written, again, defaults = read
        assert state == again == defaults | changed, address
        assert len(notes) == wrong and (written == "") == (not changed), (address, notes)
        assert all(re.fullmatch(note, each, re.S) for each in notes)
