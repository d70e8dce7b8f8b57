package main

import (
	"runtime"
	"runtime/debug"
)

// goDefaultGC is Go's own setting: a collection when the heap has doubled.
const goDefaultGC = 100

// used is the number of threads that execute a program. Lattigo 6.1.1 itself starts none.
func (t threads) used() int {
	return max(t.number, 1)
}

// set gives Go as many threads as are asked for, and no collections but the worker's own. Where it is left to the
// library, Go is as it starts: a thread for each core, and collections beside the program.
func (t threads) set() {
	if t.byDefault {
		runtime.GOMAXPROCS(runtime.NumCPU())
		debug.SetGCPercent(goDefaultGC)
		return
	}
	runtime.GOMAXPROCS(t.used())
	debug.SetGCPercent(-1)
}
