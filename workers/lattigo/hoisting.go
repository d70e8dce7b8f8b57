package main

import (
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring/ringqp"
)

// hoist says what a rotation has to do with the digits that rotations of one value share.
type hoist string

const (
	alone hoist = ""
	first hoist = "first" // makes them
	next  hoist = "next"
	last  hoist = "last" // they go afterwards
)

// turn rotates a value by digits that are kept for other rotations of it; the first rotation makes them. Without
// special primes Lattigo 6.1.1 has no such digits: then every rotation makes its own.
func (t *tools) turn(j job) (result made, err error) {
	evaluator, params, x := t.backend.keySwitcher(), t.backend.rlwe(), j.args[0]
	if params.MaxLevelP() < 0 {
		result.out, err = t.backend.apply(j.o, j.args, nil)
		return result, err
	}
	if j.o.Hoist == first {
		result.digits = digitsOf(evaluator, params, x)
		j.digits = result.digits
	}
	result.out = rlwe.NewCiphertext(params, 1, x.Level())
	element := params.GaloisElement(j.o.Steps)
	return result, evaluator.AutomorphismHoisted(x.Level(), x, j.digits, element, result.out)
}

// digitsOf are the digits of x's second polynomial, each modulo QP, in objects of their own: the evaluator's
// buffer for them is overwritten by whatever switches keys in between.
func digitsOf(evaluator *rlwe.Evaluator, params *rlwe.Parameters, x *rlwe.Ciphertext) []ringqp.Poly {
	level, special := x.Level(), params.MaxLevelP()
	room := params.RingQP().AtLevel(level, special)
	digits := make([]ringqp.Poly, params.BaseRNSDecompositionVectorSize(level, special))
	for i := range digits {
		digits[i] = room.NewPoly()
	}
	evaluator.DecomposeNTT(level, special, special+1, x.Value[1], x.IsNTT, digits)
	return digits
}

// checkHoists refuses a program whose marks do not pair: digits are made once, and go after the last rotation.
func checkHoists(p *program) error {
	there := map[int]bool{}
	for i := range p.Operations {
		if err := checkHoist(&p.Operations[i], there); err != nil {
			return err
		}
	}
	if len(there) > 0 {
		return badRequest("the digits of %s have no last rotation", plural(len(there), "value"))
	}
	return nil
}

// checkHoist follows which values have digits.
func checkHoist(o *operation, there map[int]bool) error {
	if o.Hoist != alone {
		if known := o.Hoist == first || o.Hoist == next || o.Hoist == last; !known || o.Action != "rotate" {
			return badRequest("%s is %q of no rotations", o.Action, string(o.Hoist))
		}
		if (o.Hoist == first) == there[o.Args[0]] {
			return badRequest("%s rotation: the digits of value %d are not as it says", string(o.Hoist), o.Args[0])
		}
		there[o.Args[0]] = true
		if o.Hoist == last {
			delete(there, o.Args[0])
		}
	}
	for _, number := range o.Frees {
		if there[number] {
			return badRequest("%s frees value %d before its digits", o.Action, number)
		}
	}
	return nil
}
