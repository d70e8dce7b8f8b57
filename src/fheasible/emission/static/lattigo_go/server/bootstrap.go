package main

import (
	"log"
	"math"
	"path/filepath"

	"emitted/common"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/bootstrapping"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/dft"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/lintrans"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/mod1"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/polynomial"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// refresher bootstraps: Lattigo's evaluator, and the scale at which it takes a value.
type refresher struct {
	evaluator *bootstrapping.Evaluator
	iterates  bool // the error of a first bootstrap is bootstrapped, too
	target    float64
}

func newRefresher(p *common.Parameters) *refresher {
	if p.Bootstrap == nil {
		return nil
	}
	keys := &bootstrapping.EvaluationKeys{}
	common.Load(keys, filepath.Join(common.ToServer, "bootstrap.key"))
	evaluator := common.Must(bootstrapping.NewEvaluator(p.Bootstrapping(), keys))
	shareLevels(evaluator)
	if p.Bootstrap.Iterations > 1 {
		return &refresher{evaluator, true, p.Scales[len(p.Scales)-1]}
	}
	return &refresher{evaluator, false, p.Scales[0]}
}

// bootstrap gives x all levels back, at their scale. What Lattigo bootstraps is overwritten, so that it gets a copy.
func (s *reals) bootstrap(x *rlwe.Ciphertext) *rlwe.Ciphertext {
	taken := s.brought(x)
	taken.LogDimensions = s.refresher.evaluator.Parameters.LogMaxDimensions()
	out := must(s.refresher.evaluator.Evaluate(taken))
	out.LogDimensions, out.Scale = x.LogDimensions, rlwe.NewScale(s.scales[out.Level()])
	return out
}

// scaleTolerance: scales are rounded to doubles.
const scaleTolerance = 0x1p-40

// brought is a copy of x with the scale at which values are bootstrapped. A level is used up to change the scale; a copy
// without iterations has as few limbs as its scale allows.
func (s *reals) brought(x *rlwe.Ciphertext) *rlwe.Ciphertext {
	ratio, level := s.refresher.target/x.Scale.Float64(), x.Level()
	if math.Abs(ratio-1) <= scaleTolerance {
		if !s.refresher.iterates {
			level = 0
		}
		return s.drop(x, level)
	}
	if !s.refresher.iterates {
		level = 1
	}
	low := s.drop(x, level)
	factor := rlwe.NewScale(ratio).Mul(rlwe.NewScale(s.params.Q()[level]))
	common.Check(s.evaluator.Mul(low, factor.BigInt(), low))
	low.Scale = low.Scale.Mul(factor)
	common.Check(s.evaluator.Rescale(low, low))
	if low.Level() != level-1 {
		log.Fatalf("the scale 2^%.6f leaves no room to change it at level %d", x.Scale.Log2(), level)
	}
	low.Scale = rlwe.NewScale(s.refresher.target)
	return low
}

// sharing rescales only where the scale is large enough, so that factors of the homomorphic DFT can share a prime.
// Lattigo 6.1 rescales after every factor, whatever its literal says.
type sharing struct {
	*ckks.Evaluator
	encodesAbove    int     // the levels of coefficients to slots
	encode, decoded float64 // the scales that must be left
}

// spareBits are how far below the scale of its operand a factor's result may lie after it is rescaled.
const spareBits = 4

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

// shareLevels lets the evaluator rescale like that.
func shareLevels(of *bootstrapping.Evaluator) {
	params, own := of.BootstrappingParameters, of.Evaluator
	reduced := of.Mod1Parameters.ScalingFactor().Float64() / of.Mod1Parameters.MessageRatio()
	shared := sharing{
		own, of.SlotsToCoeffsParameters.LevelQ, math.Ldexp(reduced, -spareBits),
		math.Ldexp(params.DefaultScale().Float64(), -spareBits),
	}
	of.DFTEvaluator = dft.NewEvaluator(params, own)
	of.DFTEvaluator.LTEvaluator = lintrans.NewEvaluator(shared)
	of.Mod1Evaluator = mod1.NewEvaluator(own, polynomial.NewEvaluator(params, own), of.Mod1Parameters)
}
