package main

import (
	"math/big"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
)

// noise is the invariant noise of every value of a packed vector, of shape (values, n).
func (e *executor) noise(vector packed) array {
	n := e.backend.rlwe().N()
	all := array{shape: []int{len(vector.Values), n}, floats: make([]float64, 0, len(vector.Values)*n)}
	for _, number := range vector.Values {
		plaintext := e.decryptor.DecryptNew(e.values[number])
		all.floats = append(all.floats, invariantNoise(e.backend.rlwe(), plaintext, *e.backend.plainModulus())...)
	}
	return all
}

// invariantNoise is [t (c_0 + c_1 s)]_Q / Q, each coefficient in [-1/2, 1/2): a ciphertext decrypts as long as
// none reaches 1/2. Lattigo keeps m/t in the place of m, in BGV as well as in BFV.
func invariantNoise(params *rlwe.Parameters, plaintext *rlwe.Plaintext, t uint64) []float64 {
	ringQ := params.RingQ().AtLevel(plaintext.Level())
	scaled := ringQ.NewPoly()
	scaled.CopyLvl(plaintext.Level(), plaintext.Value)
	if plaintext.IsNTT {
		ringQ.INTT(scaled, scaled)
	}
	ringQ.MulScalar(scaled, t, scaled)
	return fractions(ringQ, scaled)
}

// fractions are a polynomial's centred coefficients over the modulus.
func fractions(r *ring.Ring, p ring.Poly) []float64 {
	coefficients := make([]*big.Int, r.N())
	for i := range coefficients {
		coefficients[i] = new(big.Int)
	}
	r.PolyToBigintCentered(p, 1, coefficients)
	found, modulus := make([]float64, r.N()), r.Modulus()
	for i, c := range coefficients {
		found[i], _ = new(big.Rat).SetFrac(c, modulus).Float64()
	}
	return found
}
