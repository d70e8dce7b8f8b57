// Times the functions of the study ckks-vs-bfv in Lattigo 1.3.0 (December 2019), with its default parameters.
//
// `go run . > rows.jsonl` prints, for each scheme, set and vector length, the least CPU seconds of every function, and
// the significant bits of data, plaintext and ciphertext. The study has the lesser times of two runs, with processor
// and date (src/fheasible/studies/ckks_vs_bfv/lattigo_2020.json).
package main

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"math/rand"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"
)

const (
	repetitions = 9 // of quick functions; slow ones are done until they have taken `enough` seconds
	fewest      = 3
	enough      = 1.0
	threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
)

var lengths = []int{128, 256, 512, 1024, 2048}

// scheme is a scheme at one parameter set: its functions by the paper's names, for vectors of that length.
type scheme interface {
	name() string
	functions(length int) map[string]func()
	redundancy(length int) (data, plaintext, ciphertext uint64)
}

type row struct {
	Scheme  string             `json:"scheme"`
	Set     int                `json:"set"`
	Slots   int                `json:"slots"`
	Seconds map[string]float64 `json:"seconds"`
	Bits    [3]uint64          `json:"bits"` // of the significant digits of data, plaintext and ciphertext
}

func main() {
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	out := json.NewEncoder(os.Stdout)
	for set := 0; set < 4; set++ {
		for _, s := range []scheme{newCKKS(set), newBFV(set)} {
			for _, length := range lengths {
				one := row{Scheme: s.name(), Set: set + 1, Slots: length, Seconds: map[string]float64{}}
				for name, function := range s.functions(length) {
					one.Seconds[name] = least(function)
				}
				one.Bits[0], one.Bits[1], one.Bits[2] = s.redundancy(length)
				if err := out.Encode(one); err != nil {
					panic(err)
				}
				fmt.Fprintln(os.Stderr, one.Scheme, one.Set, length)
			}
		}
	}
}

// least is the least CPU seconds of the function's repetitions, of which the first is not timed.
func least(function func()) float64 {
	function()
	best, total := 1e9, 0.0
	for done := 0; done < repetitions && (done < fewest || total < enough); done++ {
		runtime.GC()
		before := cpuSeconds()
		function()
		took := cpuSeconds() - before
		best, total = min(best, took), total+took
	}
	return best
}

func cpuSeconds() float64 {
	var t syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&t)), 0); e != 0 {
		panic(e)
	}
	return float64(t.Sec) + 1e-9*float64(t.Nsec)
}

// significant is the sum of the lengths, in bits, of the numbers in all rows.
func significant(rows ...[]uint64) (total uint64) {
	for _, numbers := range rows {
		for _, n := range numbers {
			total += uint64(bits.Len64(n))
		}
	}
	return total
}

func uniform(length int) []uint64 {
	made := make([]uint64, length)
	for i := range made {
		made[i] = rand.Uint64()
	}
	return made
}
