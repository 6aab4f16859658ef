"""A simulated bank for each test. The test asks the bank afterwards for the requests of the app.

The kit starts the program banksim: the variable BANKSIM names it, or it is on the PATH. If the variable BANKSIM_CONTROL
names the control API of a simulator that runs already, the kit uses that simulator instead.
"""

from .bank import Bank
from .case import BankTestCase
from .control import ControlError

__all__ = ["Bank", "BankTestCase", "ControlError"]
