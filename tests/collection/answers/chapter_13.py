"""The electives stand in one file."""

from .electives import WAYS as WAYS
