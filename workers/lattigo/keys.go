package main

import (
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/bootstrapping"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
)

// keySet holds what a program needs: the pair, one Galois key per rotation, and no more.
type keySet struct {
	secret          *rlwe.SecretKey
	public          *rlwe.PublicKey
	relinearization *rlwe.RelinearizationKey // nil where the program never relinearizes
	galois          []*rlwe.GaloisKey
	bootstrapping   *bootstrapping.EvaluationKeys // nil where the program never bootstraps
}

// generateKeys makes the keys of a program, those of the bootstrap last.
func generateKeys(b backend, p *program) (*keySet, error) {
	keys := ownKeys(b.rlwe(), p)
	scheme, real := b.(*ckksScheme)
	if !real || scheme.refresher == nil || !p.bootstraps() {
		return keys, nil
	}
	made, _, err := scheme.refresher.params.GenEvaluationKeys(keys.secret)
	keys.bootstrapping = made
	return keys, err
}

func ownKeys(params *rlwe.Parameters, p *program) *keySet {
	generator := rlwe.NewKeyGenerator(params)
	keys := &keySet{}
	keys.secret, keys.public = generator.GenKeyPairNew()
	if p.Relinearizes {
		keys.relinearization = generator.GenRelinearizationKeyNew(keys.secret)
	}
	keys.galois = generator.GenGaloisKeysNew(galoisElements(params, p), keys.secret)
	return keys
}

func galoisElements(params *rlwe.Parameters, p *program) []uint64 {
	elements := params.GaloisElements(p.Rotations)
	if p.SwapsRows {
		elements = append(elements, params.GaloisElementOrderTwoOrthogonalSubgroup())
	}
	return elements
}

// equip gives the keys to the scheme.
func (k *keySet) equip(b backend) {
	b.adopt(k.evaluation())
	if scheme, real := b.(*ckksScheme); real && k.bootstrapping != nil {
		scheme.refresher.adopt(k.bootstrapping)
	}
}

func (k *keySet) evaluation() rlwe.EvaluationKeySet {
	return rlwe.NewMemEvaluationKeySet(k.relinearization, k.galois...)
}

// count is how many keys there are but those that relinearize: of rotations, and of a bootstrap.
func (k *keySet) count() int {
	found := len(k.galois)
	if k.bootstrapping != nil {
		found += len(k.bootstrapping.GaloisKeys)
		if k.bootstrapping.EvkDenseToSparse != nil {
			found += 2
		}
	}
	return found
}

// sizes in bytes of the keys' binary form; BinarySize is exactly what MarshalBinary writes.
func (k *keySet) sizes() sizes {
	relinearization, rotations := 0, 0
	if k.relinearization != nil {
		relinearization = k.relinearization.BinarySize()
	}
	for _, key := range k.galois {
		rotations += key.BinarySize()
	}
	public, secret := k.public.BinarySize(), k.secret.BinarySize()
	found := sizes{
		PublicKey: &public, SecretKey: &secret, RelinearizationKey: &relinearization, RotationKeys: &rotations,
		RotationKeyCount: k.count(),
	}
	if k.bootstrapping != nil {
		size := k.bootstrapping.BinarySize()
		found.BootstrapKeys = &size
		rotations += size
	}
	return found
}

// unrelatedKey is a fresh secret key, with which nothing here was encrypted.
func unrelatedKey(params *rlwe.Parameters) *rlwe.SecretKey {
	return rlwe.NewKeyGenerator(params).GenSecretKeyNew()
}
