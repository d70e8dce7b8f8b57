package main

import (
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
)

// keySet holds what a program needs: the pair, one Galois key per rotation, and no more.
type keySet struct {
	secret          *rlwe.SecretKey
	public          *rlwe.PublicKey
	relinearization *rlwe.RelinearizationKey // nil where the program never relinearizes
	galois          []*rlwe.GaloisKey
}

func generateKeys(params *rlwe.Parameters, p *program) *keySet {
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

func (k *keySet) evaluation() rlwe.EvaluationKeySet {
	return rlwe.NewMemEvaluationKeySet(k.relinearization, k.galois...)
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
	return sizes{
		PublicKey: &public, SecretKey: &secret, RelinearizationKey: &relinearization, RotationKeys: &rotations,
		RotationKeyCount: len(k.galois),
	}
}

// unrelatedKey is a fresh secret key, with which nothing here was encrypted.
func unrelatedKey(params *rlwe.Parameters) *rlwe.SecretKey {
	return rlwe.NewKeyGenerator(params).GenSecretKeyNew()
}
