package main

import (
	"fmt"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring/ringqp"
)

// tools are what one thread computes with. Copies share keys and tables, and nothing that is written.
type tools struct {
	backend   backend
	encryptor *rlwe.Encryptor
	decryptor *rlwe.Decryptor
}

// executor runs one program, again and again.
type executor struct {
	tools
	program   *program
	inputs    map[string]array
	operands  map[int]*operand
	keep      map[int]bool // values that stay although the program frees them
	noises    bool         // of the outputs are wanted
	collector *collector
	marks     *marks
	crew      *crew // nil where one thread executes all
	values    map[int]*rlwe.Ciphertext
	digits    map[int][]ringqp.Poly // of values that several rotations share
	left      map[int]int           // how many operations still take each value, where a crew executes them
	fresh     *rlwe.Ciphertext      // the first input that was encrypted, for its size
}

// job is an operation with all that it works on.
type job struct {
	o      *operation
	args   []*rlwe.Ciphertext
	plain  *operand
	fresh  array         // to encrypt
	digits []ringqp.Poly // of the argument, which an earlier rotation made
}

// repetition is what one execution of the program gave; noise where it is asked for.
type repetition struct {
	operations                 []sample
	encrypt, evaluate, decrypt sample
	outputs, noise             map[string]array
}

// once executes the whole program: encrypt, evaluate, decrypt. `number` is that of the repetition.
func (e *executor) once(number int) (*repetition, error) {
	e.values, e.digits = map[int]*rlwe.Ciphertext{}, map[int][]ringqp.Poly{}
	e.fresh, e.left = nil, nil
	e.collector.collect()
	result := &repetition{outputs: map[string]array{}, operations: make([]sample, len(e.program.Operations))}
	for from := 0; from < len(e.program.Operations); {
		phase, to := e.stretch(from)
		e.marks.begin(phase, number)
		took, err := e.execute(from, to, result.operations)
		if err != nil {
			return nil, err
		}
		if phase == "encrypt" {
			result.encrypt.add(took)
		} else {
			result.evaluate.add(took)
		}
		from = to
	}
	e.marks.begin("decrypt", number)
	if err := e.decryptAll(result); err != nil {
		return nil, err
	}
	e.marks.begin("other", number)
	if e.noises {
		result.noise = map[string]array{}
		for _, output := range e.program.Outputs {
			result.noise[output.Name] = e.noise(output)
		}
	}
	return result, nil
}

// firstEncryption is nil where the program encrypts nothing.
func (p *program) firstEncryption() *operation {
	for i := range p.Operations {
		if p.Operations[i].Action == "encrypt" {
			return &p.Operations[i]
		}
	}
	return nil
}

// stretch is the phase of the operation at that place, and the place where the next phase begins.
func (e *executor) stretch(from int) (phase string, to int) {
	phase = e.program.Operations[from].phase()
	for to = from; to < len(e.program.Operations) && e.program.Operations[to].phase() == phase; to++ {
	}
	return phase, to
}

// execute executes the operations from place `from` up to `to`, which are of one phase: one by one, or by the crew.
func (e *executor) execute(from, to int, took []sample) (whole sample, err error) {
	if e.crew != nil {
		return e.phaseAtOnce(from, to, took)
	}
	for i := from; i < to; i++ {
		o := &e.program.Operations[i]
		if took[i], err = e.step(o); err != nil {
			return whole, fmt.Errorf("operation %d, %s: %w", i, o.Action, err)
		}
		whole.add(took[i])
	}
	return whole, nil
}

// phase is that of the run to which the operation belongs.
func (o *operation) phase() string {
	if o.Action == "encrypt" {
		return "encrypt"
	}
	return "evaluate"
}

// step executes and times one operation; bookkeeping and garbage are outside of the sample.
func (e *executor) step(o *operation) (sample, error) {
	what, err := e.job(o)
	if err != nil {
		return sample{}, err
	}
	var result made
	took, err := timed(func() (err error) {
		result, err = e.compute(what)
		return err
	})
	what = job{} // so that what the operation frees is not held by it
	if err := e.accept(o, result, err); err != nil {
		return took, err
	}
	if o.Hoist == last {
		delete(e.digits, o.Args[0])
	}
	e.free(o.Frees)
	return took, nil
}

// job is the operation with all that it works on.
func (e *executor) job(o *operation) (job, error) {
	args, err := e.arguments(o)
	found := job{o: o, args: args}
	if o.Plain != nil {
		found.plain = e.operands[*o.Plain]
	}
	if o.Action == "encrypt" {
		found.fresh = e.inputs[o.Source].row(o.Chunk)
	}
	if o.Hoist == next || o.Hoist == last {
		found.digits = e.digits[o.Args[0]]
	}
	return found, err
}

// compute executes an operation.
func (t *tools) compute(j job) (result made, err error) {
	switch {
	case j.o.Action == "encrypt":
		result.out, err = t.encrypt(j)
	case j.o.Hoist != alone:
		return t.turn(j)
	default:
		result.out, err = t.backend.apply(j.o, j.args, j.plain)
	}
	return result, err
}

// accept keeps what an operation has made.
func (e *executor) accept(o *operation, result made, err error) error {
	if err != nil {
		return err
	}
	if level := e.backend.limbLevel(o.Level); result.out.Level() != level {
		return badRequest("the result is at level %d, not at %d: an argument has another level", result.out.Level(), level)
	}
	if o == e.program.firstEncryption() {
		e.fresh = result.out
	}
	e.values[o.Out] = result.out
	if result.digits != nil {
		e.digits[o.Args[0]] = result.digits
	}
	return nil
}

func (e *executor) arguments(o *operation) ([]*rlwe.Ciphertext, error) {
	args := make([]*rlwe.Ciphertext, len(o.Args))
	for i, number := range o.Args {
		if args[i] = e.values[number]; args[i] == nil {
			return nil, badRequest("value %d was never made, or was freed", number)
		}
	}
	return args, nil
}

func (t *tools) encrypt(j job) (*rlwe.Ciphertext, error) {
	plaintext, err := t.backend.encode(j.fresh, t.backend.limbLevel(j.o.Level))
	if err != nil {
		return nil, err
	}
	return t.encryptor.EncryptNew(plaintext)
}

// clone is tools for another goroutine.
func (t *tools) clone() *tools {
	return &tools{t.backend.clone(), concurrent(t.encryptor), concurrent(t.decryptor)}
}

func (e *executor) free(numbers []int) {
	for _, number := range numbers {
		if !e.keep[number] {
			delete(e.values, number)
		}
	}
	e.collector.maybeCollect()
}

func (e *executor) decryptAll(result *repetition) (err error) {
	if e.crew != nil {
		result.decrypt, err = e.decryptAtOnce(result)
		return err
	}
	result.decrypt, err = timed(func() error {
		for _, output := range e.program.Outputs {
			values, err := e.decrypt(output)
			if err != nil {
				return err
			}
			result.outputs[output.Name] = values
		}
		return nil
	})
	return err
}

// decrypt is the decoded slots of a packed vector, of shape (chunks, slots).
func (e *executor) decrypt(vector packed) (array, error) {
	rows := make([]array, len(vector.Values))
	for i, number := range vector.Values {
		value, err := e.value(vector.Name, number)
		if err != nil {
			return array{}, err
		}
		if rows[i], err = e.decryptRow(value, e.program.Slots); err != nil {
			return array{}, err
		}
	}
	return joined(rows, e.program.Slots), nil
}

func (e *executor) value(name string, number int) (*rlwe.Ciphertext, error) {
	if value := e.values[number]; value != nil {
		return value, nil
	}
	return nil, badRequest("%s: value %d was never made, or was freed", name, number)
}

func (t *tools) decryptRow(value *rlwe.Ciphertext, slots int) (array, error) {
	return t.backend.decode(t.decryptor.DecryptNew(value), slots)
}

// joined is one array of rows.
func joined(rows []array, slots int) array {
	all := array{shape: []int{len(rows), slots}}
	for _, row := range rows {
		all.floats = append(all.floats, row.floats...)
		all.ints = append(all.ints, row.ints...)
	}
	return all
}
