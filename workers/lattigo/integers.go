package main

import (
	"math/big"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/bgv"
)

// integerScheme is BGV or BFV. Lattigo has one implementation of both (its folder schemes/bfv holds a README
// alone): BFV is the evaluator whose products are scale-invariant. A plaintext is m * (plaintext scale) / t
// modulo Q; the evaluator follows the plaintext scale through products and modulus switching, and matches
// it, at the price of some noise, where two summands differ.
type integerScheme struct {
	params    bgv.Parameters
	encoder   *bgv.Encoder
	evaluator *bgv.Evaluator
	levelled  bool
	tiled     []int64 // room for a vector that is repeated to fill the ring
}

func newIntegers(p parameters) (backend, error) {
	literal := bgv.ParametersLiteral{LogN: p.logN(), LogQ: p.LogQ, LogP: p.LogP}
	if p.PlainModulus == nil || !p.PlainModulus.IsUint64() {
		return nil, badRequest("BGV and BFV need a plain_modulus of at most 64 bits")
	}
	literal.PlaintextModulus = p.PlainModulus.Uint64()
	var err error
	if literal.Q, literal.P, err = p.chains(); err != nil {
		return nil, err
	}
	params, err := bgv.NewParametersFromLiteral(literal)
	if err != nil {
		return nil, infeasible(err)
	}
	return &integerScheme{
		params: params, encoder: bgv.NewEncoder(params), evaluator: bgv.NewEvaluator(params, nil, p.Scheme == "bfv"),
		levelled: p.Scheme == "bgv", tiled: make([]int64, params.MaxSlots()),
	}, nil
}

func (s *integerScheme) rlwe() *rlwe.Parameters { return &s.params.Parameters }
func (s *integerScheme) rowSlots() int          { return s.params.MaxSlots() / 2 }
func (s *integerScheme) rows() int              { return 2 }

func (s *integerScheme) plainModulus() *uint64 {
	t := s.params.PlaintextModulus()
	return &t
}

// limbLevel: a program of BFV says level 0 throughout, and means the whole chain.
func (s *integerScheme) limbLevel(level int) int {
	if s.levelled {
		return level
	}
	return s.params.MaxLevel()
}

// adopt replaces the keys alone: the evaluator's own WithKey would forget that it is scale-invariant.
func (s *integerScheme) adopt(keys rlwe.EvaluationKeySet) {
	s.evaluator.Evaluator = s.evaluator.Evaluator.WithKey(keys)
}

func (s *integerScheme) clone() backend {
	own := *s
	own.encoder, own.evaluator, own.tiled = concurrent(s.encoder), concurrent(s.evaluator), make([]int64, len(s.tiled))
	return &own
}

func (s *integerScheme) keySwitcher() *rlwe.Evaluator { return s.evaluator.Evaluator }

func (s *integerScheme) encode(values array, level int) (*rlwe.Plaintext, error) {
	return s.encodeAt(values, level, s.params.DefaultScale())
}

func (s *integerScheme) encodeAt(values array, level int, scale rlwe.Scale) (*rlwe.Plaintext, error) {
	if values.ints == nil {
		return nil, badRequest("BGV and BFV take arrays of int64")
	}
	plaintext := bgv.NewPlaintext(s.params, level)
	plaintext.Scale = scale
	return plaintext, s.encoder.Encode(tile(values.ints, s.tiled), plaintext)
}

func (s *integerScheme) decode(plaintext *rlwe.Plaintext, slots int) (array, error) {
	residues := make([]uint64, s.params.MaxSlots())
	if err := s.encoder.Decode(plaintext, residues); err != nil {
		return array{}, err
	}
	values := make([]int64, slots) // centred here: Lattigo 6.1.1 makes (t-1)/2 into -(t+1)/2
	t := s.params.PlaintextModulus()
	for i := range values {
		values[i] = int64(residues[i])
		if residues[i] > t/2 {
			values[i] -= int64(t)
		}
	}
	return array{shape: []int{slots}, ints: values}, nil
}

func (s *integerScheme) operand(c constant) (operand, error) {
	if c.vector != nil {
		return operand{vector: *c.vector}, nil
	}
	number, ok := new(big.Int).SetString(c.text, 10)
	if !ok {
		return operand{}, badRequest("the scalar %s is not an integer", c.text)
	}
	return operand{integer: centred(number, s.params.PlaintextModulus())}, nil
}

func (s *integerScheme) apply(o *operation, args []*rlwe.Ciphertext, plain *operand) (*rlwe.Ciphertext, error) {
	x := args[0]
	switch o.Action {
	case "add":
		return s.evaluator.AddNew(x, args[1])
	case "sub":
		return s.sub(x, args[1])
	case "neg":
		return negated(s.rlwe(), x), nil
	case "mul":
		return s.evaluator.MulNew(x, args[1])
	case "square":
		return s.evaluator.MulNew(x, x)
	case "relinearize":
		return s.evaluator.RelinearizeNew(x)
	case "rescale":
		return s.switchTo(x, x.Level()-1)
	case "drop":
		return s.switchTo(x, o.Level)
	case "rotate":
		return s.evaluator.RotateColumnsNew(x, o.Steps)
	case "swap_rows":
		return s.evaluator.RotateRowsNew(x)
	case "add_plain", "add_scalar":
		return s.addPlain(x, plain)
	case "mul_plain", "mul_scalar":
		return s.mulPlain(x, plain)
	}
	return nil, refuse(unsupportedOperation, "BGV and BFV have no %s", o.Action)
}

// sub is x - y. Where y alone has a component of degree 2 and both scales agree, Lattigo 6.1.1 copies that
// component without its sign.
func (s *integerScheme) sub(x, y *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
	out, err := s.evaluator.SubNew(x, y)
	if err == nil && x.Scale.Cmp(y.Scale) == 0 {
		ring := s.params.RingQ().AtLevel(out.Level())
		for i := x.Degree() + 1; i <= y.Degree(); i++ {
			ring.Neg(out.Value[i], out.Value[i])
		}
	}
	return out, err
}

// switchTo switches moduli one prime at a time until x is at `level`. Lattigo's DropLevel would be right
// and cheaper, but it leaves the noise as large as it was under the larger modulus.
func (s *integerScheme) switchTo(x *rlwe.Ciphertext, level int) (*rlwe.Ciphertext, error) {
	if level < 0 || level > x.Level() {
		return nil, badRequest("a value at level %d cannot be brought to level %d", x.Level(), level)
	}
	if level == x.Level() {
		return x.CopyNew(), nil
	}
	for x.Level() > level {
		out := bgv.NewCiphertext(s.params, x.Degree(), x.Level()-1)
		if err := s.evaluator.Rescale(x, out); err != nil {
			return nil, err
		}
		x = out
	}
	return x, nil
}

// addPlain encodes at the plaintext scale of x, so that nothing needs to be matched.
func (s *integerScheme) addPlain(x *rlwe.Ciphertext, plain *operand) (*rlwe.Ciphertext, error) {
	if plain.integer != nil {
		out, err := s.evaluator.AddNew(x, new(big.Int).Set(plain.integer)) // it overwrites what it is given
		return withScale(out, x.Scale), err
	}
	plaintext, err := s.encodeAt(plain.vector, x.Level(), x.Scale)
	if err != nil {
		return nil, err
	}
	return s.evaluator.AddNew(x, plaintext)
}

// mulPlain encodes at plaintext scale 1, so that the product keeps the scale of x.
func (s *integerScheme) mulPlain(x *rlwe.Ciphertext, plain *operand) (*rlwe.Ciphertext, error) {
	if plain.integer != nil {
		out, err := s.evaluator.MulNew(x, new(big.Int).Set(plain.integer))
		return withScale(out, x.Scale), err
	}
	plaintext, err := s.encodeAt(plain.vector, x.Level(), s.params.NewScale(1))
	if err != nil {
		return nil, err
	}
	return s.evaluator.MulNew(x, plaintext)
}

// withScale keeps the plaintext scale, which Lattigo 6.1.1 loses in AddNew and MulNew of an integer.
func withScale(out *rlwe.Ciphertext, scale rlwe.Scale) *rlwe.Ciphertext {
	out.Scale = scale
	return out
}
