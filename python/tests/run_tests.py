"""Runs the Python tests: unittest over this folder, with the package of the build first in the path."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

if __name__ == "__main__":
    pattern = sys.argv[1] if len(sys.argv) > 1 else "test_*.py"
    found = unittest.defaultTestLoader.discover(HERE, pattern=pattern)
    result = unittest.TextTestRunner(verbosity=1).run(found)
    sys.exit(0 if result.wasSuccessful() and result.testsRun else 1)
