package main

import (
	"math"
	"math/big"

	"emitted/common"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring/ringqp"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// reals evaluates CKKS. Every level has a scale of its own, and a product the square of its level's scale.
type reals struct {
	params    ckks.Parameters
	encoder   *ckks.Encoder
	evaluator *ckks.Evaluator
	scales    []float64
	constants [][]float64
	refresher *refresher // nil where nothing is bootstrapped
}

func newReals(p *common.Parameters, keys rlwe.EvaluationKeySet) *reals {
	params := p.CKKS()
	return &reals{
		params, ckks.NewEncoder(params, common.DoublePrecision), ckks.NewEvaluator(params, keys), p.Scales,
		constants[float64](p), newRefresher(p),
	}
}

// received is a fresh ciphertext, with exactly the scale of its level.
func (s *reals) received(x *rlwe.Ciphertext) *rlwe.Ciphertext {
	x.Scale = rlwe.NewScale(s.scales[x.Level()])
	return x
}

func (s *reals) square(level int) rlwe.Scale { return rlwe.NewScale(s.scales[level] * s.scales[level]) }

// settled is a product with exactly the square of its level's scale, from which its own differs by rounding alone.
func (s *reals) settled(x *rlwe.Ciphertext) *rlwe.Ciphertext {
	x.Scale = s.square(x.Level())
	return x
}

// rescale divides by exactly one prime.
func (s *reals) rescale(x *rlwe.Ciphertext) *rlwe.Ciphertext {
	out := ckks.NewCiphertext(s.params, x.Degree(), x.Level()-1)
	common.Check(s.evaluator.Rescale(x, out))
	out.Scale = rlwe.NewScale(s.scales[out.Level()])
	return out
}

func (s *reals) drop(x *rlwe.Ciphertext, level int) *rlwe.Ciphertext {
	out := ckks.NewCiphertext(s.params, x.Degree(), level)
	*out.MetaData = *x.MetaData
	for i := range x.Value {
		out.Value[i].CopyLvl(level, x.Value[i])
	}
	return out
}

func (s *reals) negate(x *rlwe.Ciphertext) *rlwe.Ciphertext { return negated(&s.params.Parameters, x) }

func (s *reals) digits(x *rlwe.Ciphertext) []ringqp.Poly {
	return digitsOf(s.evaluator.Evaluator, &s.params.Parameters, x)
}

func (s *reals) turn(x *rlwe.Ciphertext, digits []ringqp.Poly, steps int) *rlwe.Ciphertext {
	return turned(s.evaluator.Evaluator, &s.params.Parameters, x, digits, steps)
}

func (s *reals) addNumber(x *rlwe.Ciphertext, number float64) *rlwe.Ciphertext {
	out := x.CopyNew()
	ring := s.params.RingQ().AtLevel(x.Level())
	ring.AddScalarBigint(x.Value[0], rounded(number, &x.Scale.Value), out.Value[0])
	return out
}

// multiplyNumber multiplies by a constant polynomial, encoded so that the product has the square of the scale.
func (s *reals) multiplyNumber(x *rlwe.Ciphertext, number float64) *rlwe.Ciphertext {
	scale := s.factorScale(x)
	factor := rounded(number, &scale.Value)
	out := ckks.NewCiphertext(s.params, x.Degree(), x.Level())
	*out.MetaData = *x.MetaData
	for i := range x.Value {
		s.params.RingQ().AtLevel(x.Level()).MulScalarBigint(x.Value[i], factor, out.Value[i])
	}
	return s.settled(out)
}

func (s *reals) addVector(x *rlwe.Ciphertext, values []float64) *rlwe.Ciphertext {
	return must(s.evaluator.AddNew(x, s.encoded(values, x.Level(), x.Scale)))
}

func (s *reals) multiplyVector(x *rlwe.Ciphertext, values []float64) *rlwe.Ciphertext {
	return s.settled(must(s.evaluator.MulNew(x, s.encoded(values, x.Level(), s.factorScale(x)))))
}

func (s *reals) factorScale(x *rlwe.Ciphertext) rlwe.Scale {
	square := s.square(x.Level())
	return rlwe.NewScale(square.Float64() / x.Scale.Float64())
}

func (s *reals) encoded(values []float64, level int, scale rlwe.Scale) *rlwe.Plaintext {
	plaintext := ckks.NewPlaintext(s.params, level)
	plaintext.Scale = scale
	common.Check(s.encoder.Encode(common.Tile(values, s.params.MaxSlots()), plaintext))
	return plaintext
}

// rounded is the integer nearest to value * scale.
func rounded(value float64, scale *big.Float) *big.Int {
	product := new(big.Float).SetPrec(rlwe.ScalePrecision).Mul(big.NewFloat(value), scale)
	half := math.Copysign(0.5, value)
	nearest, _ := product.Add(product, big.NewFloat(half)).Int(nil)
	return nearest
}
