package main

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// doublePrecision of the encoder: values come and go as float64. Above it Lattigo would encode by
// arbitrary-precision arithmetic, thousands of times slower and to no gain.
const doublePrecision = 53

// scaleTolerance: steps of the ladder are rounded to doubles, relative error 2^-52 each.
const scaleTolerance = 0x1p-40

// ckksScheme keeps every scale at the ladder's own figure: S_l, S_l^2 after a product.
type ckksScheme struct {
	params    ckks.Parameters
	encoder   *ckks.Encoder
	evaluator *ckks.Evaluator
	ladder    []float64
	tiled     []float64  // room for a vector that is repeated to fill the ring
	sparse    *int       // log2 of the slots where vectors are packed sparsely, which repeats them as well
	refresher *refresher // nil where nothing is bootstrapped
}

func newCKKS(p parameters) (backend, error) {
	literal := ckks.ParametersLiteral{LogN: p.logN(), LogQ: p.LogQ, LogP: p.LogP}
	var err error
	if literal.Q, literal.P, err = p.chains(); err != nil {
		return nil, err
	}
	if len(p.Scales) > 0 {
		// Beyond double precision it only selects slower encoders, see doublePrecision.
		literal.LogDefaultScale = min(int(math.Round(math.Log2(p.Scales[len(p.Scales)-1]))), doublePrecision)
	}
	if p.Bootstrap != nil {
		literal.Xs = secretOf(p.Bootstrap.Weight)
		literal.LogDefaultScale = p.leastScale()
	}
	params, err := ckks.NewParametersFromLiteral(literal)
	if err != nil {
		return nil, infeasible(err)
	}
	made := &ckksScheme{
		params: params, encoder: ckks.NewEncoder(params, doublePrecision), evaluator: ckks.NewEvaluator(params, nil),
		ladder: p.Scales, tiled: make([]float64, params.MaxSlots()),
	}
	if p.Bootstrap != nil && !p.describes {
		made.refresher, err = newRefresher(params, p)
	}
	return made, err
}

func (s *ckksScheme) rlwe() *rlwe.Parameters  { return &s.params.Parameters }
func (s *ckksScheme) plainModulus() *uint64   { return nil }
func (s *ckksScheme) rowSlots() int           { return s.params.MaxSlots() }
func (s *ckksScheme) rows() int               { return 1 }
func (s *ckksScheme) limbLevel(level int) int { return level }

func (s *ckksScheme) adopt(keys rlwe.EvaluationKeySet) {
	s.evaluator.Evaluator = s.evaluator.Evaluator.WithKey(keys)
}

// leastScale is log2 of the smallest scale, where values that are bootstrapped begin.
func (p parameters) leastScale() int {
	if len(p.Scales) == 0 {
		return p.LogDefaultScale
	}
	return int(math.Round(math.Log2(p.Scales[0])))
}

func (s *ckksScheme) clone() backend {
	own := *s
	own.encoder, own.evaluator, own.tiled = concurrent(s.encoder), concurrent(s.evaluator), make([]float64, len(s.tiled))
	own.refresher = s.refresher.clone()
	return &own
}

func (s *ckksScheme) keySwitcher() *rlwe.Evaluator { return s.evaluator.Evaluator }

func (s *ckksScheme) encode(values array, level int) (*rlwe.Plaintext, error) {
	scale, err := s.scale(level)
	if err != nil {
		return nil, err
	}
	return s.encodeAt(values, level, rlwe.NewScale(scale))
}

func (s *ckksScheme) encodeAt(values array, level int, scale rlwe.Scale) (*rlwe.Plaintext, error) {
	if values.floats == nil {
		return nil, badRequest("CKKS takes arrays of float64")
	}
	plaintext := ckks.NewPlaintext(s.params, level)
	plaintext.Scale = scale
	if s.sparse != nil {
		plaintext.LogDimensions.Cols = *s.sparse
		return plaintext, s.encoder.Encode(values.floats, plaintext)
	}
	return plaintext, s.encoder.Encode(tile(values.floats, s.tiled), plaintext)
}

// packSparsely makes vectors of so many slots polynomials in a power of X, as Lattigo itself does for them: a
// transform of that length, and no copies to average.
func (s *ckksScheme) packSparsely(slots int) {
	log := bits.Len(uint(slots)) - 1
	s.sparse = &log
}

// tile repeats values until `room` is full; a vector that fills it is not copied.
func tile[T any](values, room []T) []T {
	if len(values) == len(room) {
		return values
	}
	for start := 0; start < len(room); start += len(values) {
		copy(room[start:], values)
	}
	return room
}

func (s *ckksScheme) decode(plaintext *rlwe.Plaintext, slots int) (array, error) {
	if s.sparse != nil {
		plaintext.LogDimensions.Cols = *s.sparse
		values := make([]float64, slots)
		return array{shape: []int{slots}, floats: values}, s.encoder.Decode(plaintext, values)
	}
	values := make([]float64, s.params.MaxSlots())
	err := s.encoder.Decode(plaintext, values)
	return array{shape: []int{slots}, floats: averaged(values, slots)}, err
}

// averaged is the mean of the copies of a vector of so many slots, each of which has an error of its own. What they
// differ by from the first is averaged: sums of the copies themselves would round more than decoding does.
func averaged(copies []float64, slots int) []float64 {
	first, others := copies[:slots], make([]float64, slots)
	for start := slots; start < len(copies); start += slots {
		for i, value := range copies[start : start+slots] {
			others[i] += value - first[i]
		}
	}
	for i := range first {
		first[i] += others[i] * float64(slots) / float64(len(copies))
	}
	return first
}

// scale is S_level.
func (s *ckksScheme) scale(level int) (float64, error) {
	if level < 0 || level >= len(s.ladder) {
		return 0, badRequest("there is no scale for level %d: the parameters have %s", level, plural(len(s.ladder), "scale"))
	}
	return s.ladder[level], nil
}

// productScale is S_level^2.
func (s *ckksScheme) productScale(level int) (rlwe.Scale, error) {
	scale, err := s.scale(level)
	return rlwe.NewScale(scale * scale), err
}

func (s *ckksScheme) operand(c constant) (operand, error) {
	if c.vector == nil {
		number, ok := new(big.Float).SetPrec(rlwe.ScalePrecision).SetString(c.text)
		if !ok {
			return operand{}, badRequest("the scalar %s is not a number", c.text)
		}
		return operand{real: number}, nil
	}
	if c.vector.floats == nil { // integer-valued operands are real numbers too
		floats := make([]float64, len(c.vector.ints))
		for i, value := range c.vector.ints {
			floats[i] = float64(value)
		}
		return operand{vector: array{shape: c.vector.shape, floats: floats}}, nil
	}
	return operand{vector: *c.vector}, nil
}

func (s *ckksScheme) apply(o *operation, args []*rlwe.Ciphertext, plain *operand) (*rlwe.Ciphertext, error) {
	x := args[0]
	switch o.Action {
	case "add", "sub":
		return s.addOrSub(o.Action, x, args[1])
	case "neg":
		return s.neg(x), nil
	case "mul":
		return s.mul(x, args[1])
	case "square":
		return s.mul(x, x)
	case "relinearize":
		return s.evaluator.RelinearizeNew(x)
	case "rescale":
		return s.rescale(x)
	case "drop":
		return s.drop(x, o.Level)
	case "rotate":
		return s.evaluator.RotateNew(x, o.Steps)
	case "add_plain", "add_scalar":
		return s.addPlain(x, plain)
	case "mul_plain", "mul_scalar":
		return s.mulPlain(x, plain)
	case "bootstrap":
		return s.bootstrap(x)
	}
	return nil, refuse(unsupportedOperation, "CKKS has no %s", o.Action)
}

func (s *ckksScheme) addOrSub(action string, x, y *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
	if x.Scale.Cmp(y.Scale) != 0 { // Lattigo would multiply by a rounded ratio, and lose precision in silence
		return nil, badRequest("%s of scales 2^%.6f and 2^%.6f", action, x.Scale.Log2(), y.Scale.Log2())
	}
	if action == "add" {
		return s.evaluator.AddNew(x, y)
	}
	return s.evaluator.SubNew(x, y)
}

func (s *ckksScheme) neg(x *rlwe.Ciphertext) *rlwe.Ciphertext {
	return negated(s.rlwe(), x)
}

// negated is -x; Lattigo's evaluators have no method for it.
func negated(params *rlwe.Parameters, x *rlwe.Ciphertext) *rlwe.Ciphertext {
	out := rlwe.NewCiphertext(params, x.Degree(), x.Level())
	*out.MetaData = *x.MetaData
	for i := range x.Value {
		params.RingQ().AtLevel(x.Level()).Neg(x.Value[i], out.Value[i])
	}
	return out
}

// mul is the product of degree 2; the squaring of Lattigo's evaluator where both are one object.
func (s *ckksScheme) mul(x, y *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
	out, err := s.evaluator.MulNew(x, y)
	if err != nil {
		return nil, err
	}
	return s.settle(out)
}

// settle sets a product's scale to exactly S_l^2, from which it may differ by rounding alone.
func (s *ckksScheme) settle(product *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
	if err := s.expectProduct(product); err != nil {
		return nil, err
	}
	scale, err := s.productScale(product.Level())
	product.Scale = scale
	return product, err
}

// expectProduct refuses a value whose scale is not S_l^2: the program broke the rule of scales.
func (s *ckksScheme) expectProduct(x *rlwe.Ciphertext) error {
	scale, err := s.productScale(x.Level())
	if err == nil && math.Abs(x.Scale.Float64()/scale.Float64()-1) > scaleTolerance {
		err = badRequest("a product at level %d has scale 2^%.6f and not S^2 = 2^%.6f: a factor has another level's scale",
			x.Level(), x.Scale.Log2(), scale.Log2())
	}
	return err
}

// rescale divides by exactly one prime: the default scale stays within one word, see newCKKS.
func (s *ckksScheme) rescale(x *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
	if x.Level() == 0 {
		return nil, badRequest("a value at level 0 cannot be rescaled")
	}
	scale, err := s.scale(x.Level() - 1)
	if err != nil {
		return nil, err
	}
	if err := s.expectProduct(x); err != nil {
		return nil, err
	}
	out := ckks.NewCiphertext(s.params, x.Degree(), x.Level()-1)
	if err := s.evaluator.Rescale(x, out); err != nil {
		return nil, err
	}
	out.Scale = rlwe.NewScale(scale)
	return out, nil
}

func (s *ckksScheme) drop(x *rlwe.Ciphertext, level int) (*rlwe.Ciphertext, error) {
	if level > x.Level() {
		return nil, badRequest("a value at level %d cannot be brought to level %d", x.Level(), level)
	}
	out := ckks.NewCiphertext(s.params, x.Degree(), level)
	*out.MetaData = *x.MetaData
	for i := range x.Value {
		out.Value[i].CopyLvl(level, x.Value[i])
	}
	return out, nil
}

func (s *ckksScheme) addPlain(x *rlwe.Ciphertext, plain *operand) (*rlwe.Ciphertext, error) {
	if plain.real != nil {
		out := x.CopyNew()
		ring := s.params.RingQ().AtLevel(x.Level())
		ring.AddScalarBigint(x.Value[0], rounded(plain.real, &x.Scale.Value), out.Value[0])
		return out, nil
	}
	plaintext, err := s.encodeAt(plain.vector, x.Level(), x.Scale)
	if err != nil {
		return nil, err
	}
	return s.evaluator.AddNew(x, plaintext)
}

// mulPlain encodes the factor at S_l^2 / (scale of x). A scalar is a constant polynomial: one product per
// coefficient and limb, and no transform.
func (s *ckksScheme) mulPlain(x *rlwe.Ciphertext, plain *operand) (*rlwe.Ciphertext, error) {
	target, err := s.productScale(x.Level())
	if err != nil {
		return nil, err
	}
	factor := rlwe.NewScale(target.Float64() / x.Scale.Float64())
	var out *rlwe.Ciphertext
	if plain.real != nil {
		out = s.mulConstant(x, rounded(plain.real, &factor.Value))
	} else {
		plaintext, err := s.encodeAt(plain.vector, x.Level(), factor)
		if err != nil {
			return nil, err
		}
		if out, err = s.evaluator.MulNew(x, plaintext); err != nil {
			return nil, err
		}
	}
	out.Scale = target
	return out, nil
}

func (s *ckksScheme) mulConstant(x *rlwe.Ciphertext, factor *big.Int) *rlwe.Ciphertext {
	out := ckks.NewCiphertext(s.params, x.Degree(), x.Level())
	*out.MetaData = *x.MetaData
	for i := range x.Value {
		s.params.RingQ().AtLevel(x.Level()).MulScalarBigint(x.Value[i], factor, out.Value[i])
	}
	return out
}

// rounded is the integer nearest to value * scale.
func rounded(value, scale *big.Float) *big.Int {
	product := new(big.Float).SetPrec(rlwe.ScalePrecision).Mul(value, scale)
	half := math.Copysign(0.5, float64(product.Sign()))
	nearest, _ := product.Add(product, big.NewFloat(half)).Int(nil)
	return nearest
}
