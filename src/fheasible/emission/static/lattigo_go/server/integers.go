package main

import (
	"math/big"

	"emitted/common"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring/ringqp"
	"github.com/tuneinsight/lattigo/v6/schemes/bgv"
)

// integers evaluates BGV, or BFV, which is Lattigo's same evaluator with scale-invariant products.
type integers struct {
	params    bgv.Parameters
	encoder   *bgv.Encoder
	evaluator *bgv.Evaluator
	constants [][]int64
}

func newIntegers(p *common.Parameters, keys rlwe.EvaluationKeySet) *integers {
	params := p.Integers()
	evaluator := bgv.NewEvaluator(params, keys, p.Scheme == "bfv")
	return &integers{params, bgv.NewEncoder(params), evaluator, constants[int64](p)}
}

func (s *integers) received(x *rlwe.Ciphertext) *rlwe.Ciphertext { return x }

// sub is x - y. Where y alone has a component of degree 2 and both scales agree, Lattigo 6.1.1 copies that
// component without its sign.
func (s *integers) sub(x, y *rlwe.Ciphertext) *rlwe.Ciphertext {
	out := must(s.evaluator.SubNew(x, y))
	if x.Scale.Cmp(y.Scale) == 0 {
		ring := s.params.RingQ().AtLevel(out.Level())
		for i := x.Degree() + 1; i <= y.Degree(); i++ {
			ring.Neg(out.Value[i], out.Value[i])
		}
	}
	return out
}

func (s *integers) negate(x *rlwe.Ciphertext) *rlwe.Ciphertext {
	return negated(&s.params.Parameters, x)
}

// switchTo switches moduli one prime at a time. DropLevel would leave the noise as large as it was.
func (s *integers) switchTo(x *rlwe.Ciphertext, level int) *rlwe.Ciphertext {
	if x.Level() == level {
		return x.CopyNew()
	}
	for x.Level() > level {
		out := bgv.NewCiphertext(s.params, x.Degree(), x.Level()-1)
		common.Check(s.evaluator.Rescale(x, out))
		x = out
	}
	return x
}

func (s *integers) digits(x *rlwe.Ciphertext) []ringqp.Poly {
	return digitsOf(s.evaluator.Evaluator, &s.params.Parameters, x)
}

func (s *integers) turn(x *rlwe.Ciphertext, digits []ringqp.Poly, steps int) *rlwe.Ciphertext {
	return turned(s.evaluator.Evaluator, &s.params.Parameters, x, digits, steps)
}

func (s *integers) addNumber(x *rlwe.Ciphertext, number int64) *rlwe.Ciphertext {
	return withScale(must(s.evaluator.AddNew(x, big.NewInt(number))), x.Scale)
}

func (s *integers) multiplyNumber(x *rlwe.Ciphertext, number int64) *rlwe.Ciphertext {
	return withScale(must(s.evaluator.MulNew(x, big.NewInt(number))), x.Scale)
}

// addVector encodes at the plaintext scale of x, so that nothing needs to be matched.
func (s *integers) addVector(x *rlwe.Ciphertext, values []int64) *rlwe.Ciphertext {
	return must(s.evaluator.AddNew(x, s.encoded(values, x.Level(), x.Scale)))
}

// multiplyVector encodes at plaintext scale 1, so that the product keeps the scale of x.
func (s *integers) multiplyVector(x *rlwe.Ciphertext, values []int64) *rlwe.Ciphertext {
	return must(s.evaluator.MulNew(x, s.encoded(values, x.Level(), s.params.NewScale(1))))
}

func (s *integers) encoded(values []int64, level int, scale rlwe.Scale) *rlwe.Plaintext {
	plaintext := bgv.NewPlaintext(s.params, level)
	plaintext.Scale = scale
	common.Check(s.encoder.Encode(common.Tile(values, s.params.MaxSlots()), plaintext))
	return plaintext
}

// withScale keeps the plaintext scale, which Lattigo 6.1.1 loses in AddNew and MulNew of an integer.
func withScale(out *rlwe.Ciphertext, scale rlwe.Scale) *rlwe.Ciphertext {
	out.Scale = scale
	return out
}
