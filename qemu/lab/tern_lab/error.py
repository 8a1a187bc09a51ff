# SPDX-License-Identifier: BSD-2-Clause
"""What the lab could not do, in one line that says what to do about it."""


class LabError(Exception):
    pass
