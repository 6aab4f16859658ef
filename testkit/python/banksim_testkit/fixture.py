"""The fixture of pytest: bank, a new one for each test. It is there once the package is installed."""

import pytest

from . import Bank


@pytest.fixture
def bank():
    with Bank() as new:
        yield new
