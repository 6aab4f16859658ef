"""Banks for unittest."""

from __future__ import annotations

import sys
import unittest
from typing import Any

from .bank import Bank

__tracebackhide__ = True  # pytest shows the line of the test, and no line of this file


class BankTestCase(unittest.TestCase):
    """A TestCase whose tests each have a new bank. The class attribute bank_options has the arguments of Bank."""

    bank_options: dict[str, Any] = {}
    bank: Bank

    def _callSetUp(self) -> None:  # noqa: N802
        self.bank = Bank(**self.bank_options)
        self.addCleanup(self.bank.discard)
        super()._callSetUp()  # type: ignore[misc]

    def _callTestMethod(self, method: Any) -> None:  # noqa: N802
        """Calls the test, and has the bank judge it if it passes. A test that fails prints the report to stderr."""
        try:
            method()
        except unittest.SkipTest:
            raise
        except Exception as error:
            print(self.bank.report(str(error)), file=sys.stderr)
            raise
        self.bank.judge()
