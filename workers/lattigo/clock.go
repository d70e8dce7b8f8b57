package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// sample is CPU seconds of the executing thread, then wall seconds.
type sample [2]float64

func (s *sample) add(other sample) {
	s[0] += other[0]
	s[1] += other[1]
}

// timed is what `action` took. The goroutine must be locked to its thread.
func timed(action func() error) (sample, error) {
	wall, cpu := time.Now(), threadSeconds()
	err := action()
	return sample{threadSeconds() - cpu, time.Since(wall).Seconds()}, err
}

func threadSeconds() float64 {
	return 1e-9 * float64(nanoseconds(unix.CLOCK_THREAD_CPUTIME_ID))
}

func nanoseconds(clock int32) int64 {
	var t unix.Timespec
	must(unix.ClockGettime(clock, &t))
	return t.Nano()
}
