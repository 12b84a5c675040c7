# SPDX-License-Identifier: MIT
"""The command `tact`, which lies beside the module: `tact run hand_lift`, or `python -m tact run hand_lift`."""
import os
import sys


def main():
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "tact")
    os.execv(command, ["tact", *sys.argv[1:]])


if __name__ == "__main__":
    main()
