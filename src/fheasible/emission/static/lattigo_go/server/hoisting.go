package main

import (
	"emitted/common"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring/ringqp"
)

// digitsOf are the digits of x's second polynomial, each modulo QP, which rotations of x share. Without special
// primes Lattigo has no such digits.
func digitsOf(evaluator *rlwe.Evaluator, params *rlwe.Parameters, x *rlwe.Ciphertext) []ringqp.Poly {
	level, special := x.Level(), params.MaxLevelP()
	if special < 0 {
		return nil
	}
	room := params.RingQP().AtLevel(level, special)
	digits := make([]ringqp.Poly, params.BaseRNSDecompositionVectorSize(level, special))
	for i := range digits {
		digits[i] = room.NewPoly()
	}
	evaluator.DecomposeNTT(level, special, special+1, x.Value[1], x.IsNTT, digits)
	return digits
}

// turned is x rotated by its digits.
func turned(
	evaluator *rlwe.Evaluator, params *rlwe.Parameters, x *rlwe.Ciphertext, digits []ringqp.Poly, steps int,
) *rlwe.Ciphertext {
	out := rlwe.NewCiphertext(params, 1, x.Level())
	element := params.GaloisElement(steps)
	if digits == nil {
		common.Check(evaluator.Automorphism(x, element, out))
	} else {
		common.Check(evaluator.AutomorphismHoisted(x.Level(), x, digits, element, out))
	}
	return out
}
