package main

import (
	"container/heap"
	"fmt"
	"runtime"
	"time"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring/ringqp"
)

// crew executes operations that do not need each other at the same time, each goroutine with tools of its own. A
// goroutine that is free takes the first operation in the program's order whose operands are there. A phase begins
// when the one before it has ended.
type crew struct {
	members int
	graph   graph
	orders  chan order
	done    chan outcome
}

// order is an operation to execute (or, without one, a result to decrypt), and answers which one it was.
type order struct {
	place int
	job   job
	value *rlwe.Ciphertext // to decrypt
	slots int
}

type outcome struct {
	place int
	made  made
	row   array // decrypted
	took  sample
	err   error
}

// graph says what waits for what.
type graph struct {
	users   map[int][]int // the operations that take a value, each once
	freed   map[int]bool  // values that the program frees
	turning map[int][]int // the rotations that share the digits of a value, the first first
}

func graphOf(p *program) graph {
	g := graph{users: map[int][]int{}, freed: map[int]bool{}, turning: map[int][]int{}}
	for i := range p.Operations {
		o := &p.Operations[i]
		for _, value := range distinct(o.Args) {
			g.users[value] = append(g.users[value], i)
		}
		for _, value := range o.Frees {
			g.freed[value] = true
		}
		if o.Hoist != alone {
			g.turning[o.Args[0]] = append(g.turning[o.Args[0]], i)
		}
	}
	return g
}

func distinct(numbers []int) []int {
	if len(numbers) == 2 && numbers[0] == numbers[1] {
		return numbers[:1]
	}
	return numbers
}

// hire starts goroutines that share keys and tables with the executor's tools, and nothing that is written.
func (e *executor) hire(members int) {
	e.crew = &crew{members: members, graph: graphOf(e.program), orders: make(chan order), done: make(chan outcome, members)}
	for i := 0; i < members; i++ {
		go e.crew.serve(e.tools.clone())
	}
}

// dismiss ends the goroutines.
func (e *executor) dismiss() {
	if e.crew != nil {
		close(e.crew.orders)
		e.crew = nil
	}
}

// serve executes orders until there are none. Its thread is its own, so that the thread's CPU time is that of the
// operations; it ends with the goroutine.
func (c *crew) serve(with *tools) {
	runtime.LockOSThread()
	for next := range c.orders {
		done := outcome{place: next.place}
		done.took, done.err = timed(func() (err error) {
			if next.value != nil {
				done.row, err = with.decryptRow(next.value, next.slots)
				return err
			}
			done.made, err = with.compute(next.job)
			return err
		})
		c.done <- done
	}
}

// phaseAtOnce executes the operations from place `from` up to `to`, which are one phase. Its wall seconds are those
// until the last of them has ended, and its CPU seconds those of all.
func (e *executor) phaseAtOnce(from, to int, took []sample) (whole sample, err error) {
	waiting, ready := e.waiting(from, to), &places{}
	for place := from; place < to; place++ {
		if waiting[place-from] == 0 {
			heap.Push(ready, place)
		}
	}
	left := e.usersLeft()
	begun := time.Now()
	for running := 0; running > 0 || ready.Len() > 0 && err == nil; {
		for running < e.crew.members && ready.Len() > 0 && err == nil {
			place := heap.Pop(ready).(int)
			var what job
			if what, err = e.job(&e.program.Operations[place]); err == nil {
				e.crew.orders <- order{place: place, job: what}
				running++
			}
		}
		if running == 0 {
			break
		}
		done := <-e.crew.done
		running--
		took[done.place] = done.took
		whole[0] += done.took[0]
		o := &e.program.Operations[done.place]
		if failed := e.accept(o, done.made, done.err); failed != nil {
			if err == nil {
				err = fmt.Errorf("operation %d, %s: %w", done.place, o.Action, failed)
			}
			continue
		}
		for _, place := range e.awakened(o) {
			if place >= from && place < to {
				if waiting[place-from]--; waiting[place-from] == 0 {
					heap.Push(ready, place)
				}
			}
		}
		e.release(o, left)
	}
	whole[1] = time.Since(begun).Seconds()
	e.collector.finish()
	return whole, err
}

// waiting is how many results each operation of a phase still waits for.
func (e *executor) waiting(from, to int) []int {
	found := make([]int, to-from)
	for place := from; place < to; place++ {
		for _, user := range e.awakened(&e.program.Operations[place]) {
			if user >= from && user < to {
				found[user-from]++
			}
		}
	}
	return found
}

// awakened are the operations that wait for this one: those that take its result, and those that share its digits.
func (e *executor) awakened(o *operation) []int {
	users := e.crew.graph.users[o.Out]
	if o.Hoist != first {
		return users
	}
	return append(append([]int{}, users...), e.crew.graph.turning[o.Args[0]][1:]...)
}

// usersLeft is how many operations each value is still taken by. It lives through all phases of a repetition.
func (e *executor) usersLeft() map[int]int {
	if e.left == nil {
		e.left = map[int]int{}
		for value, users := range e.crew.graph.users {
			e.left[value] = len(users)
		}
	}
	return e.left
}

// release lets values go that nothing else takes, whatever the order in which the program was executed.
func (e *executor) release(o *operation, left map[int]int) {
	for _, value := range distinct(o.Args) {
		left[value]--
		e.releaseIfDone(value, left)
	}
	e.releaseIfDone(o.Out, left)
	e.collector.collectBeside()
}

func (e *executor) releaseIfDone(value int, left map[int]int) {
	if left[value] > 0 {
		return
	}
	delete(e.digits, value)
	if e.crew.graph.freed[value] && !e.keep[value] {
		delete(e.values, value)
	}
}

// decryptAtOnce decrypts the rows of all outputs.
func (e *executor) decryptAtOnce(result *repetition) (whole sample, err error) {
	var all []order
	for _, output := range e.program.Outputs {
		for _, number := range output.Values {
			value, err := e.value(output.Name, number)
			if err != nil {
				return whole, err
			}
			all = append(all, order{place: len(all), value: value, slots: e.program.Slots})
		}
	}
	rows, begun, given := make([]array, len(all)), time.Now(), 0
	for taken := 0; taken < len(all); taken++ {
		for given < len(all) && given-taken < e.crew.members {
			e.crew.orders <- all[given]
			given++
		}
		done := <-e.crew.done
		rows[done.place] = done.row
		whole[0] += done.took[0]
		if err == nil {
			err = done.err
		}
	}
	whole[1] = time.Since(begun).Seconds()
	for _, output := range e.program.Outputs {
		result.outputs[output.Name] = joined(rows[:len(output.Values)], e.program.Slots)
		rows = rows[len(output.Values):]
	}
	return whole, err
}

// places are operations that are ready, the first in the program's order first.
type places []int

func (p places) Len() int           { return len(p) }
func (p places) Less(i, j int) bool { return p[i] < p[j] }
func (p places) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *places) Push(place any)    { *p = append(*p, place.(int)) }
func (p *places) Pop() any {
	old := *p
	last := old[len(old)-1]
	*p = old[:len(old)-1]
	return last
}

// made is the result of an operation, and the digits that it made for others.
type made struct {
	out    *rlwe.Ciphertext
	digits []ringqp.Poly
}

// concurrent is a structure of the library for another goroutine: a copy with buffers of its own up to Lattigo
// 6.1, and the structure itself from 6.2 on, whose methods may be called at the same time.
func concurrent[T any](shared T) T {
	if copied, ok := any(shared).(interface{ ShallowCopy() T }); ok {
		return copied.ShallowCopy()
	}
	return shared
}
