package main

import (
	"encoding/binary"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// phaseNames are the phases by their numbers in marks.
var phaseNames = []string{"context", "keygen", "encrypt", "evaluate", "decrypt", "other"}

const (
	unknown   = -1
	markWidth = 8  // columns before those of the events
	eventSize = 24 // value, nanoseconds enabled, nanoseconds running
)

// marks keeps the clock and what the kernel has counted wherever a phase begins. nil keeps nothing.
type marks struct {
	events []int // file descriptors of the kernel's counters
	rows   []int64
}

// begin keeps a row: a phase of a repetition begins.
func (m *marks) begin(phase string, repetition int) {
	if m == nil {
		return
	}
	var used unix.Rusage
	must(unix.Getrusage(unix.RUSAGE_SELF, &used))
	m.rows = append(m.rows,
		int64(slices.Index(phaseNames, phase)), int64(repetition),
		nanoseconds(unix.CLOCK_MONOTONIC), nanoseconds(unix.CLOCK_PROCESS_CPUTIME_ID),
		used.Minflt, used.Majflt, used.Nvcsw, used.Nivcsw)
	for _, event := range m.events {
		m.rows = append(m.rows, eventReading(event)...)
	}
}

// write saves the rows in the folder and returns the path; "" where nothing is kept.
func (m *marks) write(folder string) (string, error) {
	if m == nil {
		return "", nil
	}
	width := markWidth + 3*len(m.events)
	path := filepath.Join(folder, "marks.npy")
	return path, writeNpyFile(path, array{shape: []int{len(m.rows) / width, width}, ints: m.rows})
}

// eventReading is a counter's value, and for how long it was enabled and counted; unknown where it cannot be read.
func eventReading(event int) []int64 {
	var found [eventSize]byte
	if n, err := unix.Read(event, found[:]); err != nil || n != eventSize {
		return []int64{unknown, unknown, unknown}
	}
	values := make([]int64, 3)
	for i := range values {
		values[i] = int64(binary.LittleEndian.Uint64(found[8*i:]))
	}
	return values
}
