"""Proofs: bounds of all values, certificates that others check, and games as model checkers read them.

certify
    `certify` and `bounds`, in interval arithmetic (intervals).
certificate_file
    `write_certificate`, for ``witness/check.py``.
export
    A race as a text for PRISM-games.
"""

from .certificate_file import WrittenCertificate, write_certificate
from .certify import Certificate, bounds, certify
from .export import export

__all__ = [
    "Certificate",
    "WrittenCertificate",
    "bounds",
    "certify",
    "export",
    "write_certificate",
]
