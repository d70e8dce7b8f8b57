package main

import (
	"bytes"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
)

// residentBytes is VmRSS of this process, 0 where the kernel does not say.
func residentBytes() int64 { return statusBytes("VmRSS:") }

// peakBytes is VmHWM: the largest resident set since the last resetPeak.
func peakBytes() int64 { return statusBytes("VmHWM:") }

func statusBytes(field string) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range bytes.Split(status, []byte("\n")) {
		words := bytes.Fields(line)
		if len(words) > 1 && string(words[0]) == field {
			kibibytes, _ := strconv.ParseInt(string(words[1]), 10, 64)
			return kibibytes << 10
		}
	}
	return 0
}

// resetPeak starts a new peak where the kernel allows it.
func resetPeak() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

const (
	heapObjects  = "/memory/classes/heap/objects:bytes"
	smallGarbage = 8 << 20
)

// collector runs Go's garbage collection between operations, never within one.
//
// The automatic collector is off: a cycle that starts within an operation makes it pay for the garbage of
// others (mark assists on its thread, write barriers, cache), so that samples depend on history. Between
// operations a collection costs no sample. It runs once the heap has grown by a quarter since the last one:
// Lattigo allocates a new ciphertext for every result, and the peak shall be near what the program needs,
// and not near twice that, which is what Go's default (GOGC=100) tolerates.
// Where several goroutines execute a program, it collects beside them; where threads are left to the library, so is
// the collector.
type collector struct {
	live      uint64
	sample    [1]metrics.Sample
	automatic bool
	beside    chan uint64 // nil while nothing is collected beside
}

func newCollector(automatic bool) *collector {
	c := &collector{automatic: automatic}
	c.sample[0].Name = heapObjects
	c.collect()
	return c
}

func (c *collector) collect() {
	runtime.GC()
	c.live = c.heap()
}

// maybeCollect collects where the heap has grown enough to be worth it.
func (c *collector) maybeCollect() {
	if c.grown() {
		c.collect()
	}
}

func (c *collector) grown() bool {
	return !c.automatic && c.heap() > c.live+max(c.live/4, smallGarbage)
}

// collectBeside collects while other goroutines compute, where the heap has grown enough to be worth it.
func (c *collector) collectBeside() {
	select {
	case c.live = <-c.beside:
		c.beside = nil
	default:
	}
	if c.beside == nil && c.grown() {
		c.beside = make(chan uint64, 1)
		go func(done chan<- uint64) {
			runtime.GC()
			done <- (&collector{sample: c.sample}).heap()
		}(c.beside)
	}
}

// finish waits for what is collected beside.
func (c *collector) finish() {
	if c.beside != nil {
		c.live, c.beside = <-c.beside, nil
	}
}

func (c *collector) heap() uint64 {
	metrics.Read(c.sample[:])
	return c.sample[0].Value.Uint64()
}
