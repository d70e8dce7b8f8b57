package main

import (
	"errors"
	"math"
	"testing"
)

// branching is a program of several branches, with shared digits, a value that is used twice and one that is not.
func branching(branches int) *program {
	p := &program{Scheme: "ckks", Slots: 4, Levels: 3, Relinearizes: true, Rotations: []int{1, 2, 3}}
	add := func(o operation) int {
		o.Out = len(p.Operations)
		p.Operations = append(p.Operations, o)
		return o.Out
	}
	for i := 0; i < branches; i++ {
		add(operation{Action: "encrypt", Level: 3, Source: "x"})
	}
	sum := -1
	for x := 0; x < branches; x++ {
		product := add(operation{Action: "square", Level: 3, Args: []int{x}, Frees: []int{x}})
		square := add(operation{Action: "relinearize", Level: 3, Args: []int{product}, Frees: []int{product}})
		low := add(operation{Action: "rescale", Level: 2, Args: []int{square}, Frees: []int{square}})
		total := low
		for step, mark := range []hoist{first, next, last} {
			turned := add(operation{Action: "rotate", Level: 2, Args: []int{low}, Steps: step + 1, Hoist: mark})
			done := []int{turned}
			if total != low {
				done = append(done, total)
			}
			total = add(operation{Action: "add", Level: 2, Args: []int{total, turned}, Frees: done})
		}
		add(operation{Action: "neg", Level: 2, Args: []int{low}, Frees: []int{low, len(p.Operations)}}) // nobody takes it
		if sum < 0 {
			sum = total
		} else {
			sum = add(operation{Action: "add", Level: 2, Args: []int{sum, total}, Frees: []int{sum, total}})
		}
	}
	p.Outputs = []packed{{"y", []int{sum}}}
	return p
}

func TestManyGoroutinesComputeWhatOneComputes(t *testing.T) {
	p := branching(5)
	e := ready(t, insecure(t, "ckks"), p, map[string]array{"x": floats(0.5, -0.25, 1, 0)}, nil)
	want := 5 * (0.25 + 0.0625 + 1)
	for _, members := range []int{1, 2, 3, 8} {
		if members > 1 {
			e.hire(members)
		}
		done, err := e.once(0)
		if err != nil {
			t.Fatal(err)
		}
		for slot, got := range done.outputs["y"].floats {
			if math.Abs(got-want) > 1e-6 {
				t.Errorf("%d goroutines: slot %d is %v, not %v", members, slot, got, want)
			}
		}
		if len(e.values) != 1 || len(e.digits) != 0 {
			t.Errorf("%d goroutines: %d values and %d digits are left", members, len(e.values), len(e.digits))
		}
		for i, took := range done.operations {
			if took[1] <= 0 {
				t.Errorf("%d goroutines: operation %d has no sample", members, i)
			}
		}
		e.dismiss()
	}
}

func TestAnErrorOfOneGoroutineIsTheRuns(t *testing.T) {
	p := branching(4)
	p.Operations[9].Level = 1 // a result at another level than its operation says
	e := ready(t, insecure(t, "ckks"), p, map[string]array{"x": floats(0.5, -0.25, 1, 0)}, nil)
	e.hire(2)
	defer e.dismiss()
	var refused *refusal
	if _, err := e.once(0); !errors.As(err, &refused) {
		t.Errorf("the error is %v", err)
	}
}

func TestThreadsMayBeLeftToTheLibrary(t *testing.T) {
	for text, want := range map[string]threads{"3": {number: 3}, "null": {byDefault: true}} {
		var got threads
		if err := got.UnmarshalJSON([]byte(text)); err != nil || got != want {
			t.Errorf("%s is %+v, error %v", text, got, err)
		}
	}
	if used := (threads{byDefault: true}).used(); used != 1 {
		t.Errorf("Lattigo by itself uses %d threads", used)
	}
}

type buffered struct{ buffer []int }

func (b *buffered) ShallowCopy() *buffered { return &buffered{make([]int, len(b.buffer))} }

func TestWhatHasBuffersIsCopiedForAnotherGoroutineAndNothingElse(t *testing.T) {
	own, plain := &buffered{make([]int, 1)}, new(int)
	if got := concurrent(own); got == own || len(got.buffer) != 1 {
		t.Error("the buffers are shared")
	}
	if concurrent(plain) != plain {
		t.Error("what has no buffers is copied")
	}
}
