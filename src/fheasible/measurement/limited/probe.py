"""Uses more memory than it may keep, pass by pass; run as a program in a control group by `speed`.

It says a line before the first pass and after each one: its name, and its wall seconds. It imports nothing of
ours, so that it takes little memory itself.
"""

import mmap
import random
import sys
import time

CHUNK = 128 * 1024  # bytes that are used one after another, like a limb of a polynomial
FILL, READ, WRITE = "fill", "read", "write"
PASSES = (FILL, READ, WRITE, READ, WRITE, READ, WRITE)


def main() -> None:
    held = mmap.mmap(-1, int(sys.argv[1]), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    print("ready", 0.0, flush=True)
    for number, name in enumerate(PASSES):
        sys.stdin.readline()  # until the counters before this pass are taken
        chunks = list(range(0, len(held), CHUNK))
        random.Random(number).shuffle(chunks)
        begun = time.perf_counter()
        for chunk in chunks:
            _use(held, chunk, name)
        print(name, time.perf_counter() - begun, flush=True)


def _use(held: mmap.mmap, chunk: int, name: str) -> None:
    for place in range(chunk, min(chunk + CHUNK, len(held)), mmap.PAGESIZE):
        if name == READ:
            held[place]
        else:
            held[place] = 1


if __name__ == "__main__":
    main()
