package common

import (
	"log"
	"math"
	"math/bits"
	"slices"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/bootstrapping"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/mod1"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// Bootstrap has the settings of Lattigo's bootstrap, and the primes that Lattigo must find with them.
type Bootstrap struct {
	Q, P          []uint64
	Weight        *int // of the secret; nil where it is uniform ternary
	Slots         int
	EncodeBits    [][]int `json:"encode_bits"`
	DecodeBits    [][]int `json:"decode_bits"`
	ReductionBits int     `json:"reduction_bits"`
	SpecialBits   []int   `json:"special_bits"`
	MessageBits   int     `json:"message_bits"`
	Ephemeral     int
	Bound         int
	Degree        int
	Doublings     int
	InverseDegree int `json:"inverse_degree"`
	Wave          string
	Iterations    int
	IterationBits int `json:"iteration_bits"`
	ReservedBits  int `json:"reserved_bits"`
}

var waves = map[string]mod1.Type{"cosine": mod1.CosDiscrete, "sine": mod1.SinContinuous, "series": mod1.CosContinuous}

func (b *Bootstrap) secret() ring.DistributionParameters {
	if b.Weight == nil {
		return rlwe.DefaultXs
	}
	return ring.Ternary{H: *b.Weight}
}

// Bootstrapping are Lattigo's parameters of the bootstrap. Lattigo takes powers of two as scales; the scale of the
// highest level is put in their place afterwards.
func (p *Parameters) Bootstrapping() bootstrapping.Parameters {
	params := Must(bootstrapping.NewParametersFromLiteral(p.CKKS(), p.Bootstrap.literal(p.logN())))
	if found := params.BootstrappingParameters; !slices.Equal(found.Q(), p.Bootstrap.Q) || !slices.Equal(found.P(), p.Bootstrap.P) {
		log.Fatalf("Lattigo bootstraps with q = %v and p = %v: is it another version?", found.Q(), found.P())
	}
	scale := rlwe.NewScale(p.Scales[len(p.Scales)-1])
	params.ResidualParameters = scaled(params.ResidualParameters, scale)
	params.BootstrappingParameters = scaled(params.BootstrappingParameters, scale)
	return params
}

func scaled(params ckks.Parameters, scale rlwe.Scale) ckks.Parameters {
	literal := params.GetRLWEParameters().ParametersLiteral()
	literal.DefaultScale = scale
	return ckks.Parameters{Parameters: Must(rlwe.NewParametersFromLiteral(literal))}
}

func (b *Bootstrap) literal(logN int) bootstrapping.ParametersLiteral {
	slots := bits.Len(uint(b.Slots)) - 1
	literal := bootstrapping.ParametersLiteral{
		LogN: &logN, LogP: b.SpecialBits, Xs: b.secret(), LogSlots: &slots,
		CoeffsToSlotsFactorizationDepthAndLogScales: b.EncodeBits,
		SlotsToCoeffsFactorizationDepthAndLogScales: b.DecodeBits,
		EvalModLogScale:       &b.ReductionBits,
		EphemeralSecretWeight: &b.Ephemeral,
		LogMessageRatio:       &b.MessageBits,
		Mod1Type:              waves[b.Wave],
		K:                     &b.Bound,
		Mod1Degree:            &b.Degree,
		DoubleAngle:           &b.Doublings,
		Mod1InvDegree:         &b.InverseDegree,
	}
	if b.Iterations > 1 {
		literal.IterationsParameters = &bootstrapping.IterationsParameters{ReservedPrimeBitSize: b.ReservedBits}
		for i := 1; i < b.Iterations; i++ {
			precisions := &literal.IterationsParameters.BootstrappingPrecision
			*precisions = append(*precisions, float64(b.IterationBits))
		}
	}
	return literal
}

// leastScale is log2 of the smallest scale, where values that are bootstrapped begin.
func (p *Parameters) leastScale() int { return int(math.Round(math.Log2(p.Scales[0]))) }
