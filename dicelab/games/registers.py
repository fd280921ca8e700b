"""What players have between turns: Register and Score; and all scores of a game as arrays."""

from dataclasses import dataclass

from .._validation import check_int, check_name

__all__ = ["PLAIN", "Register", "Score"]


@dataclass(frozen=True)
class Register:
    """What a player remembers between turns: one of a few states that each player of a game is in.

    Parameters
    ----------
    name : str
    after_hold, after_bust : str, optional
        The registers to which a hold and a bust lead. By default the player keeps this one. A reset leads to the first.
    penalty : int
        The points that a bust costs. No score falls below the game's `lowest`. Where it is negative a bust scores: the
        turn's points are lost, and the player gets the others instead. A bust that reaches the target finishes, as a
        hold does, whatever `least_hold` says; one that would pass a target that must be hit exactly stops at it.
    least_hold : int
        The fewest points that a hold may bank, at least 1, also where fewer would reach the target. If the target must
        be hit exactly, a player who hits it with fewer points than that busts, in a mode that allows a hold.
    mode : str, optional
        The mode in which the player's turns begin; by default the first.

    Examples
    --------
    An opening minimum of 20 points, and three busts in a row that cost 10 points:

    >>> opening = Register("not opened", after_hold="opened", least_hold=20), Register("opened")
    >>> busts = [Register(f"{n} busts", "0 busts", f"{(n + 1) % 3} busts", penalty=10 * (n == 2)) for n in range(3)]
    >>> busts[2].after_bust, busts[2].penalty
    ('0 busts', 10)

    A bust that scores one point:

    >>> print(Register("one", penalty=-1))
    a bust scores 1
    """

    name: str
    after_hold: str = None  # type: ignore[assignment]  # its own name is stored
    after_bust: str = None  # type: ignore[assignment]
    penalty: int = 0
    least_hold: int = 1
    mode: str | None = None

    def __post_init__(self):
        vars(self).update(
            name=check_name(self.name, "name", "the name of a register"),
            after_hold=check_name(self.after_hold or self.name, "after_hold"),
            after_bust=check_name(self.after_bust or self.name, "after_bust"),
            penalty=check_int(self.penalty, "penalty"),
            least_hold=check_int(self.least_hold, "least_hold", 1),
            mode=self.mode
            if self.mode is None
            else check_name(self.mode, "mode", "the name of a mode"),
        )

    def __str__(self):
        """What the register does, in words.

        >>> print(Register("2 busts", "0 busts", "0 busts", penalty=10))
        a hold leads to 0 busts, a bust costs 10 and leads to 0 busts
        """
        bust = {
            f"costs {self.penalty}": self.penalty > 0,
            f"scores {self.pays}": self.pays,
            f"leads to {self.after_bust}": self.after_bust != self.name,
        }
        busts = " and ".join(filter(bust.get, bust))
        said = {
            f"turns begin with {self.mode}": self.mode,
            f"a hold takes at least {self.least_hold}": self.least_hold > 1,
            f"a hold leads to {self.after_hold}": self.after_hold != self.name,
            f"a bust {busts}": busts,
        }
        return ", ".join(filter(said.get, said)) or "a hold and a bust change nothing"

    @property
    def pays(self) -> int:
        """The points that a bust scores, an int."""
        return max(-self.penalty, 0)


PLAIN = Register("none")


class Score(int):
    """A banked score and the register of the player who has it: an int that knows its register.

    Wherever a score is asked for, a game with registers takes a Score. A plain int stands for the first register.

    Examples
    --------
    >>> Score(30, "opened") + 5, Score(30, "opened")
    (35, Score(30, 'opened'))
    """

    register: str

    def __new__(cls, points: int, register: str):
        """Make a score; ValueError if the register is no name."""
        score = super().__new__(cls, check_int(points, "points"))
        score.register = check_name(register, "register", "the name of a register")
        return score

    def __getnewargs__(self):
        return int(self), self.register

    def __repr__(self):
        return f"Score({int(self)}, {self.register!r})"

    def __str__(self):
        return f"{int(self)} ({self.register})"
