// What the programs around HEIR's Go code share: inputs, CPU seconds by phase, and results as one line of JSON.
package main

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// usage: PROGRAM FOLDER REPETITIONS, with the inputs as little-endian float32 in FOLDER/NAME
type clock struct {
	repetitions int
	last        float64
	Seconds     map[string]any `json:"cpu_seconds"`
	Outputs     []float64      `json:"outputs"`
}

func start() *clock {
	repetitions, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	return &clock{repetitions, cpuSeconds(), map[string]any{}, nil}
}

func cpuSeconds() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) * 1e-9
}

func (c *clock) lap() float64 {
	before := c.last
	c.last = cpuSeconds()
	return c.last - before
}

func (c *clock) prepared() {
	c.Seconds["keys"] = c.lap()
}

// more says whether to run again; what came in between is in no phase.
func (c *clock) more() bool {
	c.repetitions--
	c.lap()
	return c.repetitions >= 0
}

func (c *clock) mark(phase string) {
	earlier, _ := c.Seconds[phase].([]float64)
	c.Seconds[phase] = append(earlier, c.lap())
}

func tell[T float32 | int16](c *clock, results []T) {
	for _, x := range results {
		c.Outputs = append(c.Outputs, float64(x))
	}
	if err := json.NewEncoder(os.Stdout).Encode(c); err != nil {
		panic(err)
	}
}

func input(name string) []float32 {
	file, err := os.Open(filepath.Join(os.Args[1], name))
	if err != nil {
		panic(err)
	}
	size, err := file.Stat()
	if err != nil {
		panic(err)
	}
	values := make([]float32, size.Size()/4)
	if err := binary.Read(file, binary.LittleEndian, values); err != nil {
		panic(err)
	}
	return values
}
