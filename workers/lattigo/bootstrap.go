package main

import (
	"math"
	"math/bits"
	"runtime/debug"
	"slices"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/bootstrapping"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/dft"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/lintrans"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/mod1"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/polynomial"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// refresher bootstraps values of one scheme: the library's evaluator, and the scales between which it works.
type refresher struct {
	params    bootstrapping.Parameters
	evaluator *bootstrapping.Evaluator
	least     float64 // S_0, from which a value is bootstrapped without iterations
	top       float64 // S_L, which it has afterwards
}

// newRefresher encodes the matrices of the homomorphic DFT; keys are adopted later. Big numbers make garbage by the
// gigabyte, so that Go collects it by itself meanwhile.
func newRefresher(residual ckks.Parameters, p parameters) (*refresher, error) {
	params, err := bootstrapParameters(residual, p)
	if err != nil {
		return nil, err
	}
	made := &refresher{params: params, least: p.Scales[0], top: p.Scales[len(p.Scales)-1]}
	before := debug.SetGCPercent(matrixGC)
	defer debug.SetGCPercent(before)
	made.evaluator, err = bootstrapping.NewEvaluator(params, placeholders(params))
	return made, infeasible(err)
}

// matrixGC is how much the heap may grow, in percent, before garbage is collected while matrices are encoded.
const matrixGC = 25

// bootstrapParameters are the library's own from its literal; they must have the primes that are given. The library
// takes powers of two as scales, and the scale of the highest level is put in their place afterwards.
func bootstrapParameters(residual ckks.Parameters, p parameters) (bootstrapping.Parameters, error) {
	params, err := bootstrapping.NewParametersFromLiteral(residual, p.bootstrapLiteral(residual.LogDefaultScale()))
	if err != nil {
		return params, infeasible(err)
	}
	if asked := p.Bootstrap; len(asked.Q) > 0 {
		if !slices.Equal(decimals(params.BootstrappingParameters.Q()), texts(asked.Q)) ||
			!slices.Equal(decimals(params.BootstrappingParameters.P()), texts(asked.P)) {
			return params, refuse(infeasibleParameters, "Lattigo would bootstrap with q = %v and p = %v, and others are given",
				params.BootstrappingParameters.Q(), params.BootstrappingParameters.P())
		}
	}
	if len(p.Scales) == 0 {
		return params, nil
	}
	scale := rlwe.NewScale(p.Scales[len(p.Scales)-1])
	if params.ResidualParameters, err = scaledBy(params.ResidualParameters, scale); err != nil {
		return params, infeasible(err)
	}
	params.BootstrappingParameters, err = scaledBy(params.BootstrappingParameters, scale)
	return params, infeasible(err)
}

// scaledBy are the same parameters with another default scale.
func scaledBy(p ckks.Parameters, scale rlwe.Scale) (ckks.Parameters, error) {
	literal := p.GetRLWEParameters().ParametersLiteral()
	literal.DefaultScale = scale
	same, err := rlwe.NewParametersFromLiteral(literal)
	return ckks.Parameters{Parameters: same}, err
}

func texts(numbers []integer) []string {
	found := make([]string, len(numbers))
	for i := range numbers {
		found[i] = numbers[i].String()
	}
	return found
}

// placeholders are keys without content, enough for an evaluator that has matrices but no keys yet.
func placeholders(params bootstrapping.Parameters) *bootstrapping.EvaluationKeys {
	var galois []*rlwe.GaloisKey
	for _, element := range params.GaloisElements(params.BootstrappingParameters) {
		galois = append(galois, &rlwe.GaloisKey{GaloisElement: element})
	}
	return &bootstrapping.EvaluationKeys{
		EvkDenseToSparse:    &rlwe.EvaluationKey{},
		EvkSparseToDense:    &rlwe.EvaluationKey{},
		MemEvaluationKeySet: rlwe.NewMemEvaluationKeySet(&rlwe.RelinearizationKey{}, galois...),
	}
}

// adopt gives the evaluator its keys.
func (r *refresher) adopt(keys *bootstrapping.EvaluationKeys) {
	if keys == nil {
		return
	}
	own := *r.evaluator.Evaluator
	own.Evaluator = r.evaluator.Evaluator.Evaluator.WithKey(keys)
	r.evaluator = evaluatorWith(r.evaluator, &own)
	r.evaluator.EvaluationKeys = keys
}

// clone is the same for another goroutine, where evaluators have buffers that are written.
func (r *refresher) clone() *refresher {
	if r == nil {
		return nil
	}
	own := *r
	own.evaluator = evaluatorWith(r.evaluator, concurrent(r.evaluator.Evaluator))
	return &own
}

// evaluatorWith is a copy that works with another evaluator of the scheme. The library's own ShallowCopy builds parts
// with the residual parameters, whose chain is too short for them.
func evaluatorWith(of *bootstrapping.Evaluator, with *ckks.Evaluator) *bootstrapping.Evaluator {
	own, params := *of, of.BootstrappingParameters
	own.Evaluator = with
	own.DFTEvaluator = dft.NewEvaluator(params, with)
	own.DFTEvaluator.LTEvaluator = lintrans.NewEvaluator(newSharing(of, with))
	own.Mod1Evaluator = mod1.NewEvaluator(with, polynomial.NewEvaluator(params, with), own.Mod1Parameters)
	return &own
}

// sharing rescales only where the scale is large enough, so that factors of the homomorphic DFT can share a prime.
// Lattigo 6.1 rescales after every factor, whatever its literal says; 6.2 after every prime, as here.
type sharing struct {
	*ckks.Evaluator
	encodesAbove    int     // the levels of coefficients to slots
	encode, decoded float64 // the scales that must be left
}

// spareBits are how far below the scale of its operand a factor's result may lie after it is rescaled.
const spareBits = 4

func newSharing(of *bootstrapping.Evaluator, with *ckks.Evaluator) sharing {
	reduced := of.Mod1Parameters.ScalingFactor().Float64() / of.Mod1Parameters.MessageRatio()
	return sharing{
		with, of.SlotsToCoeffsParameters.LevelQ, math.Ldexp(reduced, -spareBits),
		math.Ldexp(of.BootstrappingParameters.DefaultScale().Float64(), -spareBits),
	}
}

func (s sharing) Rescale(x, out *rlwe.Ciphertext) error {
	least := s.decoded
	if x.Level() > s.encodesAbove {
		least = s.encode
	}
	prime := float64(s.GetParameters().Q()[x.Level()])
	if x == out && x.Scale.Float64()/prime < least {
		return nil
	}
	return s.Evaluator.Rescale(x, out)
}

// check refuses vectors with more slots than are bootstrapped, of which the others would be lost, and a program with
// other levels.
func (r *refresher) check(slots, levels int) error {
	if r == nil {
		return badRequest("the program bootstraps, but the parameters have no bootstrap")
	}
	if possible := 1 << r.params.LogMaxSlots(); slots > possible {
		return refuse(infeasibleParameters, "vectors of %s are bootstrapped, but the parameters' bootstrap keeps %d",
			plural(slots, "slot"), possible)
	}
	if own := r.params.ResidualParameters.MaxLevel(); levels != own {
		return badRequest("a bootstrap leads to level %d, but the program says level %d", own, levels)
	}
	return nil
}

// iterates says whether the error of a first bootstrap is bootstrapped as well.
func (r *refresher) iterates() bool { return r.params.IterationsParameters != nil }

// bootstrap gives x all levels back, at their scale. What Lattigo bootstraps is overwritten, so that it gets a copy:
// with iterations at the scale of the result, else at S_0, a power of two, which alone it handles without an error
// of scale.
func (s *ckksScheme) bootstrap(x *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
	if s.refresher == nil {
		return nil, badRequest("the parameters have no bootstrap")
	}
	if x.Degree() != 1 {
		return nil, badRequest("a value of size %d cannot be bootstrapped: relinearize it before", x.Degree()+1)
	}
	target := s.refresher.least
	if s.refresher.iterates() {
		target = s.refresher.top
	}
	taken, err := s.brought(x, target)
	if err != nil {
		return nil, err
	}
	taken.LogDimensions = s.refresher.params.LogMaxDimensions()
	out, err := s.refresher.evaluator.Evaluate(taken)
	if err != nil {
		return nil, err
	}
	out.LogDimensions, out.Scale = x.LogDimensions, rlwe.NewScale(s.refresher.top)
	return out, nil
}

// brought is a copy of x with this scale. A level is used up to change the scale; a copy without iterations has as
// few limbs as its scale allows.
func (s *ckksScheme) brought(x *rlwe.Ciphertext, scale float64) (*rlwe.Ciphertext, error) {
	ratio, level := scale/x.Scale.Float64(), x.Level()
	if math.Abs(ratio-1) <= scaleTolerance {
		if !s.refresher.iterates() {
			level = 0
		}
		return s.drop(x, level)
	}
	if level == 0 {
		return nil, badRequest("a value at level 0 with scale 2^%.6f cannot be bootstrapped, for which it would need 2^%.6f: "+
			"bootstrap it at level 1 or above", x.Scale.Log2(), math.Log2(scale))
	}
	if !s.refresher.iterates() {
		level = 1
	}
	low, err := s.drop(x, level)
	if err != nil {
		return nil, err
	}
	prime := rlwe.NewScale(s.params.Q()[level])
	factor := rlwe.NewScale(ratio).Mul(prime)
	if err := s.evaluator.Mul(low, factor.BigInt(), low); err != nil {
		return nil, err
	}
	low.Scale = low.Scale.Mul(factor)
	if err := s.evaluator.Rescale(low, low); err != nil {
		return nil, err
	}
	if low.Level() != level-1 {
		return nil, badRequest("the scale 2^%.6f leaves no room to change it at level %d", x.Scale.Log2(), level)
	}
	low.Scale = rlwe.NewScale(scale)
	return low, nil
}

// bootstrapAsked is the form of `Bootstrapping` in fheasible/libraries/bootstrapping.py, or, in the place of the
// primes, that of `BootstrapRequest`, from which the library shall find them.
type bootstrapAsked struct {
	Procedure procedure  `json:"procedure"`
	Q         []integer  `json:"q"`
	P         []integer  `json:"p"`
	Weight    *int       `json:"weight"`
	Asked     *literally `json:"asked"`
}

type procedure struct {
	Slots         int       `json:"slots"`
	Encode        []int     `json:"encode"`
	Decode        []int     `json:"decode"`
	Reduction     reduction `json:"reduction"`
	MessageBits   int       `json:"message_bits"`
	Ephemeral     *int      `json:"ephemeral"`
	Iterations    int       `json:"iterations"`
	IterationBits int       `json:"iteration_bits"`
	EncodeShared  []int     `json:"encode_shared"`
	DecodeShared  []int     `json:"decode_shared"`
}

type reduction struct {
	Bound         int    `json:"bound"`
	Degree        int    `json:"degree"`
	Doublings     int    `json:"doublings"`
	InverseDegree int    `json:"inverse_degree"`
	Wave          string `json:"wave"`
}

// literally is what a user of the library sets; nil leaves its default.
type literally struct {
	Slots         *int    `json:"slots"`
	EncodeBits    [][]int `json:"encode_bits"`
	DecodeBits    [][]int `json:"decode_bits"`
	ReductionBits *int    `json:"reduction_bits"`
	SpecialBits   []int   `json:"special_bits"`
	Iterations    int     `json:"iterations"`
	IterationBits int     `json:"iteration_bits"`
	ReservedBits  int     `json:"reserved_bits"`
	MessageBits   *int    `json:"message_bits"`
	Ephemeral     *int    `json:"ephemeral"`
	Bound         *int    `json:"bound"`
	Degree        *int    `json:"degree"`
	Doublings     *int    `json:"doublings"`
	InverseDegree *int    `json:"inverse_degree"`
	Wave          *string `json:"wave"`
}

// waves are the library's names of the functions that stand for the remainder.
var waves = map[string]mod1.Type{"cosine": mod1.CosDiscrete, "sine": mod1.SinContinuous, "series": mod1.CosContinuous}

// secretOf is the distribution of the secret: of a weight, or uniform ternary.
func secretOf(weight *int) ring.DistributionParameters {
	if weight == nil {
		return rlwe.DefaultXs
	}
	return ring.Ternary{H: *weight}
}

// bootstrapLiteral is the library's literal; `scale` is log2 of the default scale.
func (p parameters) bootstrapLiteral(scale int) bootstrapping.ParametersLiteral {
	asked, logN := p.Bootstrap.Asked, p.logN()
	if asked == nil {
		asked = p.Bootstrap.literally(len(p.Q), scale)
	}
	literal := bootstrapping.ParametersLiteral{
		LogN: &logN, LogP: asked.SpecialBits, Xs: secretOf(p.Bootstrap.Weight),
		CoeffsToSlotsFactorizationDepthAndLogScales: asked.EncodeBits,
		SlotsToCoeffsFactorizationDepthAndLogScales: asked.DecodeBits,
		EvalModLogScale:       asked.ReductionBits,
		EphemeralSecretWeight: asked.Ephemeral,
		LogMessageRatio:       asked.MessageBits,
		K:                     asked.Bound,
		Mod1Degree:            asked.Degree,
		DoubleAngle:           asked.Doublings,
		Mod1InvDegree:         asked.InverseDegree,
	}
	if asked.Slots != nil {
		slots := bits.Len(uint(*asked.Slots)) - 1
		literal.LogSlots = &slots
	}
	if asked.Wave != nil {
		literal.Mod1Type = waves[*asked.Wave]
	}
	if asked.Iterations > 1 {
		literal.IterationsParameters = &bootstrapping.IterationsParameters{ReservedPrimeBitSize: asked.ReservedBits}
		for i := 1; i < asked.Iterations; i++ {
			precisions := &literal.IterationsParameters.BootstrappingPrecision
			*precisions = append(*precisions, float64(asked.IterationBits))
		}
	}
	return literal
}

// literally is the literal whose primes have the bits of those that are given.
func (b *bootstrapAsked) literally(levels, scale int) *literally {
	p, none := b.Procedure, 0
	at := levels
	made := &literally{
		Slots: &p.Slots, MessageBits: &p.MessageBits, Bound: &p.Reduction.Bound, Degree: &p.Reduction.Degree,
		Doublings: &p.Reduction.Doublings, InverseDegree: &p.Reduction.InverseDegree, Wave: &p.Reduction.Wave,
		Ephemeral: p.Ephemeral, Iterations: p.Iterations, IterationBits: p.IterationBits,
	}
	if made.Ephemeral == nil {
		made.Ephemeral = &none
	}
	if p.Iterations > 1 {
		made.ReservedBits = bitsOf(b.Q[at])
		at++
	}
	encode, decode := shares(p.EncodeShared, len(p.Encode)), shares(p.DecodeShared, len(p.Decode))
	for i := range decode { // used first, and last in the chain
		size := bitsOf(b.Q[at])
		if size-scale >= decode[i] && size < 61 {
			size -= scale // which the library adds
		}
		made.DecodeBits = append(made.DecodeBits, parts(size, decode[i]))
		at++
	}
	reduction := bitsOf(b.Q[at])
	made.ReductionBits = &reduction
	for i := range encode {
		made.EncodeBits = append(made.EncodeBits, parts(bitsOf(b.Q[len(b.Q)-len(encode)+i]), encode[i]))
	}
	for i := range b.P {
		made.SpecialBits = append(made.SpecialBits, bitsOf(b.P[i]))
	}
	return made
}

// shares are how many factors each prime of a transform serves, in the order of the chain.
func shares(given []int, factors int) []int {
	if len(given) > 0 {
		return slices.Clone(given)
	}
	return repeated(1, factors)
}

// parts are so many sizes with that sum.
func parts(size, number int) []int {
	found := repeated(size/number, number)
	found[0] += size % number
	return found
}

// bitsOf is the number of bits that was asked for where the library has found this prime.
func bitsOf(prime integer) int {
	number, _ := prime.Float64()
	return int(math.Round(math.Log2(number)))
}

func repeated(value, times int) []int {
	found := make([]int, times)
	for i := range found {
		found[i] = value
	}
	return found
}

// describedBootstrap is what the library makes of a bootstrap's settings.
type describedBootstrap struct {
	Q              []string `json:"q"`
	P              []string `json:"p"`
	Digits         int      `json:"digits"`
	Depths         [3]int   `json:"depths"` // of slots to coefficients, of the reduction, of coefficients to slots
	GaloisElements []uint64 `json:"galois_elements"`
	Encode         []int    `json:"encode_shared"`
	Decode         []int    `json:"decode_shared"`
	Iterations     int      `json:"iterations"`
	Ephemeral      int      `json:"ephemeral"`
	Slots          int      `json:"slots"`
}

// describeBootstrap is nil where the parameters have none.
func describeBootstrap(b backend, p parameters) (*describedBootstrap, error) {
	if p.Bootstrap == nil {
		return nil, nil
	}
	made, err := bootstrapParameters(b.(*ckksScheme).params, p)
	if err != nil {
		return nil, err
	}
	params := made.BootstrappingParameters
	found := &describedBootstrap{
		Q: decimals(params.Q()), P: decimals(params.P()), Digits: digits(&params.Parameters),
		Depths:         [3]int{made.SlotsToCoeffsParameters.Depth(true), made.DepthEvalMod(), made.CoeffsToSlotsParameters.Depth(true)},
		GaloisElements: made.GaloisElements(params),
		Encode:         made.CoeffsToSlotsParameters.Levels,
		Decode:         made.SlotsToCoeffsParameters.Levels,
		Iterations:     1, Ephemeral: made.EphemeralSecretWeight, Slots: 1 << made.LogMaxSlots(),
	}
	if made.IterationsParameters != nil {
		found.Iterations += len(made.IterationsParameters.BootstrappingPrecision)
	}
	return found, nil
}
