#!/usr/bin/env python3
"""Regenerates every quality table of motions over ground for two builds of `ugoki`: see `quality/cli.py`."""
import sys

from quality.cli import main

if __name__ == "__main__":
    sys.exit(main())
