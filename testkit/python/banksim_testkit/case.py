"""Banks for unittest."""

from __future__ import annotations

import sys
import unittest
from typing import Any

from .bank import Bank

__tracebackhide__ = __unittest = True  # pytest and unittest show the line of the test, and no line of this file


class BankTestCase(unittest.TestCase):
    """A TestCase whose tests each have a new bank. The class attribute bank_options has the arguments of Bank."""

    bank_options: dict[str, Any] = {}
    bank: Bank

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        order = cls.__mro__
        if unittest.IsolatedAsyncioTestCase in order and \
                order.index(unittest.IsolatedAsyncioTestCase) < order.index(BankTestCase):
            raise TypeError(f"{cls.__name__}: name BankTestCase before IsolatedAsyncioTestCase")

    def _callSetUp(self) -> None:  # noqa: N802
        self.bank = Bank(**self.bank_options)
        self.addCleanup(self.bank.discard)
        super()._callSetUp()  # type: ignore[misc]

    def _callTestMethod(self, method: Any) -> None:  # noqa: N802
        """Calls the test, and has the bank judge it if it passes. A test that fails prints the report to stderr."""
        try:
            super()._callTestMethod(method)  # type: ignore[misc]
            self.bank.judge()
        except unittest.SkipTest:
            raise
        except Exception as error:
            print(self.bank.report(str(error)), file=sys.stderr)
            raise
