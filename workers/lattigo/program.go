package main

import (
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// constant is a plain operand as it was sent: a vector, or the text of a number.
type constant struct {
	vector *array
	text   string
}

// operand is a plain operand as a scheme takes it: one of the three.
type operand struct {
	vector  array
	real    *big.Float
	integer *big.Int
}

// checkProgram refuses what cannot be executed, before anything is built.
func checkProgram(r *request) error {
	p := &r.Program
	if p.Scheme != r.Parameters.Scheme {
		return badRequest("a program of %q with parameters of %q", p.Scheme, r.Parameters.Scheme)
	}
	if p.Automatic {
		return refuse(unsupportedOperation, "Lattigo does not rescale by itself: the program must hold every rescaling")
	}
	if r.Options.Noise && p.Scheme == "ckks" {
		return refuse(unsupportedOperation, "CKKS keeps its noise within the message: compare what it decrypts to")
	}
	if p.Slots < 1 || p.Slots&(p.Slots-1) != 0 {
		return badRequest("%d slots are not a power of two", p.Slots)
	}
	for i := range p.Operations {
		if err := checkOperation(p, &p.Operations[i]); err != nil {
			return err
		}
	}
	if err := checkHoists(p); err != nil {
		return err
	}
	return checkNames(append(append([]packed{}, p.Inputs...), p.Outputs...))
}

// bootstraps says whether any operation brings levels back.
func (p *program) bootstraps() bool {
	return slices.ContainsFunc(p.Operations, func(o operation) bool { return o.Action == "bootstrap" })
}

func checkOperation(p *program, o *operation) error {
	count, known := arity[o.Action]
	if !known {
		return refuse(unsupportedOperation, "unknown action %q; possible are %s", o.Action, strings.Join(actions, ", "))
	}
	if reason, none := absent[p.Scheme][o.Action]; none {
		return refuse(unsupportedOperation, "%s has no %s: %s", p.Scheme, o.Action, reason)
	}
	if len(o.Args) != count {
		return badRequest("%s takes %s, not %d", o.Action, plural(count, "argument"), len(o.Args))
	}
	if takesPlain(o.Action) != (o.Plain != nil) {
		return badRequest("%s: a plain operand is missing or too many", o.Action)
	}
	return nil
}

func checkNames(vectors []packed) error {
	for _, vector := range vectors {
		if vector.Name == "" || vector.Name != filepath.Base(vector.Name) {
			return badRequest("%q cannot name a file", vector.Name)
		}
	}
	return nil
}

// checkRing refuses a program that needs more slots or levels than the parameters give.
func checkRing(p *program, b backend) error {
	possible := b.rowSlots()
	if p.TwoRows {
		possible *= b.rows()
	}
	if p.Slots > possible || p.TwoRows && p.Slots != possible {
		return refuse(infeasibleParameters, "the program needs %s; ring dimension %d and this plain modulus give %d",
			plural(p.Slots, "slot"), b.rlwe().N(), possible)
	}
	if scheme, real := b.(*ckksScheme); real && p.bootstraps() {
		if err := scheme.refresher.check(p.Slots, p.Levels); err != nil {
			return err
		}
	}
	for i := range p.Operations {
		if level := b.limbLevel(p.Operations[i].Level); level < 0 || level > b.rlwe().MaxLevel() {
			return badRequest("level %d; the chain has levels 0 to %d", level, b.rlwe().MaxLevel())
		}
	}
	return nil
}

// loadInputs reads the array of every source that is encrypted.
func loadInputs(r *request) (map[string]array, error) {
	inputs := map[string]array{}
	for i := range r.Program.Operations {
		o := &r.Program.Operations[i]
		if o.Action != "encrypt" {
			continue
		}
		if _, loaded := inputs[o.Source]; !loaded {
			path, given := r.Inputs[o.Source]
			if !given {
				return nil, badRequest("the program encrypts %q, but no such input is given", o.Source)
			}
			values, err := readNpyFile(path)
			if err != nil {
				return nil, badRequest("input %q: %v", o.Source, err)
			}
			inputs[o.Source] = values
		}
		if err := checkChunk(o, inputs[o.Source], r.Program.Slots); err != nil {
			return nil, err
		}
	}
	return inputs, nil
}

func checkChunk(o *operation, values array, slots int) error {
	if len(values.shape) != 2 || values.shape[1] != slots || o.Chunk < 0 || o.Chunk >= values.shape[0] {
		return badRequest("input %q has shape %v; the program encrypts its row %d of %s",
			o.Source, values.shape, o.Chunk, plural(slots, "slot"))
	}
	return nil
}

// loadOperands reads every plain operand, by its index.
func loadOperands(p *program, b backend) (map[int]*operand, error) {
	vectors := map[string]array{}
	if p.Plains != nil {
		var err error
		if vectors, err = readNpzFile(*p.Plains); err != nil {
			return nil, badRequest("plain operands: %v", err)
		}
	}
	operands := map[int]*operand{}
	for i := range p.Operations {
		index := p.Operations[i].Plain
		if index == nil || operands[*index] != nil {
			continue
		}
		sent, err := findConstant(p, vectors, strconv.Itoa(*index))
		if err != nil {
			return nil, err
		}
		loaded, err := b.operand(sent)
		if err != nil {
			return nil, err
		}
		operands[*index] = &loaded
	}
	return operands, nil
}

func findConstant(p *program, vectors map[string]array, index string) (constant, error) {
	if number, found := p.Scalars[index]; found {
		return constant{text: strings.Trim(string(number), `"`)}, nil
	}
	vector, found := vectors[index]
	if !found {
		return constant{}, badRequest("there is no plain operand %s", index)
	}
	if len(vector.shape) != 1 || vector.shape[0] != p.Slots {
		return constant{}, badRequest("plain operand %s has shape %v, not (%d,)", index, vector.shape, p.Slots)
	}
	return constant{vector: &vector}, nil
}
