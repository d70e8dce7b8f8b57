package main

import (
	"math/rand"

	"github.com/ldsec/lattigo/ckks"
)

type ckksSet struct {
	params             *ckks.Parameters
	encoder            ckks.Encoder
	evaluator          ckks.Evaluator
	byPublic, bySecret ckks.Encryptor
	decryptor          ckks.Decryptor
	relinearization    *ckks.EvaluationKey
	switching          *ckks.SwitchingKey
}

func newCKKS(set int) scheme {
	params := ckks.DefaultParams[set]
	keys := ckks.NewKeyGenerator(params)
	secret, public := keys.GenKeyPair()
	return &ckksSet{
		params, ckks.NewEncoder(params), ckks.NewEvaluator(params), ckks.NewEncryptorFromPk(params, public),
		ckks.NewEncryptorFromSk(params, secret), ckks.NewDecryptor(params, secret), keys.GenRelinKey(secret),
		keys.GenSwitchingKey(secret, keys.GenSecretKey()),
	}
}

func (s *ckksSet) name() string { return "ckks" }

func (s *ckksSet) functions(length int) map[string]func() {
	values, level, scale := numbers(length), s.params.MaxLevel(), s.params.Scale
	plaintext := ckks.NewPlaintext(s.params, level, scale)
	encode := func() { s.encoder.Encode(plaintext, values, uint64(length)) }
	encode()
	a, b := s.byPublic.EncryptNew(plaintext), s.byPublic.EncryptNew(plaintext)
	sum, product := ckks.NewCiphertext(s.params, 1, level, scale), ckks.NewCiphertext(s.params, 2, level, scale*scale)
	s.evaluator.MulRelin(a, b, nil, product)
	decrypted := s.decryptor.DecryptNew(a)
	return map[string]func(){
		"encode":         encode,
		"decode":         func() { s.encoder.Decode(decrypted, uint64(length)) },
		"encrypt":        func() { s.byPublic.Encrypt(plaintext, sum) },
		"encrypt_secret": func() { s.bySecret.Encrypt(plaintext, sum) },
		"decrypt":        func() { s.decryptor.Decrypt(a, plaintext) },
		"add":            func() { s.evaluator.Add(a, b, sum) },
		"mul_scalar":     func() { s.evaluator.MultByConst(a, complex(3.1415, -1.4142), sum) },
		"mul":            func() { s.evaluator.MulRelin(a, b, nil, product) },
		"relinearize":    func() { s.evaluator.Relinearize(product, s.relinearization, sum) },
		"key_switch":     func() { s.evaluator.SwitchKeys(a, s.switching, sum) },
	}
}

func (s *ckksSet) redundancy(length int) (data, plain, cipher uint64) {
	plaintext := ckks.NewPlaintext(s.params, s.params.MaxLevel(), s.params.Scale)
	s.encoder.Encode(plaintext, numbers(length), uint64(length))
	ciphertext := s.byPublic.EncryptNew(plaintext)
	for _, part := range ciphertext.Value() {
		cipher += significant(part.Coeffs...)
	}
	return uint64(128 * length), significant(plaintext.Value()[0].Coeffs...), cipher
}

func numbers(length int) []complex128 {
	made := make([]complex128, length)
	for i := range made {
		made[i] = complex(2*rand.Float64()-1, 2*rand.Float64()-1)
	}
	return made
}
