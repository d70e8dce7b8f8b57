"""The clocks of samples, in nanoseconds."""

import sys
from time import perf_counter_ns, thread_time_ns

# Windows counts the CPU time of a thread in ticks of 1/64 s, which hold thousands of operations. There the
# wall clock stands for it, and the machine must be idle.
CPU_CLOCK = "wall" if sys.platform == "win32" else "thread"
CLOCK_TOLD = {} if CPU_CLOCK == "thread" else {"cpu_clock": CPU_CLOCK}  # what hello says of it

cpu_ns = perf_counter_ns if CPU_CLOCK == "wall" else thread_time_ns
wall_ns = perf_counter_ns
