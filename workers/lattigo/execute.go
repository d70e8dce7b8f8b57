package main

import (
	"fmt"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring/ringqp"
)

// executor runs one program, again and again.
type executor struct {
	program   *program
	backend   backend
	inputs    map[string]array
	operands  map[int]*operand
	encryptor *rlwe.Encryptor
	decryptor *rlwe.Decryptor
	keep      map[int]bool // values that stay although the program frees them
	noises    bool         // of the outputs are wanted
	collector *collector
	marks     *marks
	values    map[int]*rlwe.Ciphertext
	digits    map[int][]ringqp.Poly // of values that several rotations share
	fresh     *rlwe.Ciphertext      // the first input that was encrypted, for its size
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
	e.fresh = nil
	e.collector.collect()
	result := &repetition{outputs: map[string]array{}}
	phase := ""
	for i := range e.program.Operations {
		o := &e.program.Operations[i]
		if now := o.phase(); now != phase {
			phase = now
			e.marks.begin(phase, number)
		}
		took, err := e.step(o)
		if err != nil {
			return nil, fmt.Errorf("operation %d, %s: %w", i, o.Action, err)
		}
		result.operations = append(result.operations, took)
		if phase == "encrypt" {
			result.encrypt.add(took)
		} else {
			result.evaluate.add(took)
		}
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

// phase is that of the run to which the operation belongs.
func (o *operation) phase() string {
	if o.Action == "encrypt" {
		return "encrypt"
	}
	return "evaluate"
}

// step executes and times one operation; bookkeeping and garbage are outside of the sample.
func (e *executor) step(o *operation) (sample, error) {
	args, err := e.arguments(o)
	if err != nil {
		return sample{}, err
	}
	var plain *operand
	if o.Plain != nil {
		plain = e.operands[*o.Plain]
	}
	var out *rlwe.Ciphertext
	took, err := timed(func() (err error) {
		switch {
		case o.Action == "encrypt":
			out, err = e.encrypt(o)
		case o.Hoist != alone:
			out, err = e.turn(o, args[0])
		default:
			out, err = e.backend.apply(o, args, plain)
		}
		return err
	})
	if err != nil {
		return took, err
	}
	if level := e.backend.limbLevel(o.Level); out.Level() != level {
		return took, badRequest("the result is at level %d, not at %d: an argument has another level", out.Level(), level)
	}
	e.values[o.Out] = out
	if o.Hoist == last {
		delete(e.digits, o.Args[0])
	}
	e.free(o.Frees)
	return took, nil
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

func (e *executor) encrypt(o *operation) (*rlwe.Ciphertext, error) {
	level := e.backend.limbLevel(o.Level)
	plaintext, err := e.backend.encode(e.inputs[o.Source].row(o.Chunk), level)
	if err != nil {
		return nil, err
	}
	out, err := e.encryptor.EncryptNew(plaintext)
	if e.fresh == nil {
		e.fresh = out
	}
	return out, err
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
	slots := e.program.Slots
	all := array{shape: []int{len(vector.Values), slots}}
	for _, number := range vector.Values {
		value := e.values[number]
		if value == nil {
			return array{}, badRequest("%s: value %d was never made, or was freed", vector.Name, number)
		}
		row, err := e.backend.decode(e.decryptor.DecryptNew(value), slots)
		if err != nil {
			return array{}, err
		}
		all.floats = append(all.floats, row.floats...)
		all.ints = append(all.ints, row.ints...)
	}
	return all, nil
}
