package main

import (
	"slices"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
)

// backend is a scheme of the library, as the executor sees it.
type backend interface {
	rlwe() *rlwe.Parameters
	plainModulus() *uint64 // nil where the scheme has none
	rowSlots() int         // slots of one row of the ring
	rows() int
	adopt(rlwe.EvaluationKeySet)
	clone() backend // for another goroutine: keys and tables are shared, and nothing that is written
	keySwitcher() *rlwe.Evaluator
	limbLevel(level int) int // the library's level for a program's level
	encode(values array, level int) (*rlwe.Plaintext, error)
	decode(plaintext *rlwe.Plaintext, slots int) (array, error)
	operand(constant) (operand, error)
	apply(o *operation, args []*rlwe.Ciphertext, plain *operand) (*rlwe.Ciphertext, error)
}

// arity is the number of arguments of every action that a program may hold.
var arity = map[string]int{
	"encrypt": 0, "add": 2, "sub": 2, "neg": 1, "mul": 2, "square": 1, "relinearize": 1, "rescale": 1, "drop": 1,
	"add_plain": 1, "mul_plain": 1, "add_scalar": 1, "mul_scalar": 1, "rotate": 1, "swap_rows": 1,
	"bootstrap": 1,
}

// absent are the actions that a scheme does not have.
var absent = map[string]map[string]string{
	"ckks": {"swap_rows": "a CKKS ciphertext has one row of slots"},
	"bgv":  {"bootstrap": "Lattigo bootstraps CKKS alone"},
	"bfv":  {"rescale": "BFV has no levels", "drop": "BFV has no levels", "bootstrap": "Lattigo bootstraps CKKS alone"},
}

var actions = []string{
	"encrypt", "add", "sub", "neg", "mul", "square", "relinearize", "rescale", "drop",
	"add_plain", "mul_plain", "add_scalar", "mul_scalar", "rotate", "swap_rows", "bootstrap",
}

// actionNames are the actions, and that rotations can share digits.
func actionNames() []string { return append(slices.Clone(actions), "rotate_hoisted") }

// takesPlain says whether an action has a plain operand.
func takesPlain(action string) bool {
	switch action {
	case "add_plain", "mul_plain", "add_scalar", "mul_scalar":
		return true
	}
	return false
}
