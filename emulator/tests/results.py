# SPDX-License-Identifier: GPL-2.0-only
"""Results of tests as lines of TAP, and their sum as the last line: of all programs in Python
that have some. It lies here for these tests are used without the rest of the tree, and the
rest of the tree has them."""


class Results:
    """Each is printed as it comes, with a number, or with the name of the program"""

    def __init__(self, program=None, most=None):
        """most: of what is wrong with one, print so many lines"""
        self.program, self.most = program, most
        self.passed = self.failed = self.skipped = 0
        self.planned = program is not None

    def check(self, name, holds, *why):
        """One test; whether it passes. If it does not, these lines say why."""
        self.passed += bool(holds)
        self.failed += not holds
        self._tell("ok" if holds else "not ok", name)
        if not holds:
            for line in why[:self.most]:
                print(f"# {line}")
        return bool(holds)

    def none_wrong(self, name, problems):
        """One test, which passes if there are no problems"""
        problems = list(problems)
        return self.check(name, not problems, *problems)

    def skip(self, name, why):
        """One that cannot be made here"""
        self.skipped += 1
        self._tell("ok", f"{name} # SKIP {why}".rstrip())

    def plan(self):
        """How many there have been; what comes later has no number"""
        print(f"1..{self.passed + self.failed + self.skipped}")
        self.planned = True

    def finish(self):
        """Print the sum; the exit status. Where nothing passes, nothing was tested."""
        if not self.planned:
            self.plan()
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 1 if self.failed or not self.passed else 0

    def _tell(self, result, name):
        number = "" if self.planned else f" {self.passed + self.failed + self.skipped}"
        program = f"{self.program}: " if self.program else ""
        print(f"{result}{number} - {program}{name}", flush=True)
