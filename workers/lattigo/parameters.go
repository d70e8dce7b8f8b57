package main

import (
	"fmt"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
)

// newBackend builds the scheme's context. What the library says against the parameters, by an error or a
// panic, is a refusal.
func newBackend(p parameters) (b backend, err error) {
	defer func() {
		if words := recover(); words != nil {
			b, err = nil, refuse(infeasibleParameters, "%v", words)
		}
	}()
	if bits.OnesCount(uint(p.RingDimension)) != 1 {
		return nil, refuse(infeasibleParameters, "the ring dimension %d is not a power of two", p.RingDimension)
	}
	switch p.Scheme {
	case "ckks":
		return newCKKS(p)
	case "bgv", "bfv":
		return newIntegers(p)
	}
	return nil, refuse(unsupportedOperation, "unknown scheme %q; Lattigo has bfv, bgv and ckks", p.Scheme)
}

// infeasible is a refusal in the library's own words.
func infeasible(err error) error {
	if err == nil {
		return nil
	}
	return refuse(infeasibleParameters, "%v", err)
}

func (p parameters) logN() int { return bits.Len(uint(p.RingDimension)) - 1 }

// moduli are the given primes; nil where the library shall find some of the sizes in `log`.
func moduli(given []integer, log []int) ([]uint64, error) {
	if log != nil {
		return nil, nil
	}
	primes := make([]uint64, len(given))
	for i := range given {
		if !given[i].IsUint64() {
			return nil, refuse(infeasibleParameters, "the modulus %v does not fit in 64 bits", &given[i].Int)
		}
		primes[i] = given[i].Uint64()
	}
	return primes, nil
}

func (p parameters) chains() (q, pp []uint64, err error) {
	if len(p.Q) == 0 && len(p.LogQ) == 0 {
		return nil, nil, badRequest("the parameters have no q")
	}
	if q, err = moduli(p.Q, p.LogQ); err != nil {
		return nil, nil, err
	}
	pp, err = moduli(p.P, p.LogP)
	return q, pp, err
}

// describe builds the context alone.
func describe(r *request) (any, error) {
	r.Parameters.describes = true
	b, err := newBackend(r.Parameters)
	if err != nil {
		return nil, err
	}
	bootstrap, err := describeBootstrap(b, r.Parameters)
	params := b.rlwe()
	return described{
		Type: "described", ID: r.ID, RingDimension: params.N(), Q: decimals(params.Q()), P: decimals(params.P()),
		Digits: digits(params), PlainModulus: b.plainModulus(), Bootstrap: bootstrap,
	}, err
}

// digits of key switching at the top level: ceil(limbs of Q / limbs of P).
func digits(params *rlwe.Parameters) int {
	return params.BaseRNSDecompositionVectorSize(params.MaxLevelQ(), params.MaxLevelP())
}

func decimals(primes []uint64) []string {
	texts := make([]string, len(primes))
	for i, prime := range primes {
		texts[i] = strconv.FormatUint(prime, 10)
	}
	return texts
}

// centred is x modulo t in (-t/2, t/2].
func centred(x *big.Int, t uint64) *big.Int {
	modulus := new(big.Int).SetUint64(t)
	residue := new(big.Int).Mod(x, modulus)
	if residue.Cmp(new(big.Int).Rsh(modulus, 1)) > 0 {
		residue.Sub(residue, modulus)
	}
	return residue
}

func plural(n int, noun string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
