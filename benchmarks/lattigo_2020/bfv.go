package main

import "github.com/ldsec/lattigo/bfv"

type bfvSet struct {
	params             *bfv.Parameters
	encoder            bfv.Encoder
	evaluator          bfv.Evaluator
	byPublic, bySecret bfv.Encryptor
	decryptor          bfv.Decryptor
	relinearization    *bfv.EvaluationKey
	switching          *bfv.SwitchingKey
}

func newBFV(set int) scheme {
	params := bfv.DefaultParams[set]
	keys := bfv.NewKeyGenerator(params)
	secret, public := keys.GenKeyPair()
	return &bfvSet{
		params, bfv.NewEncoder(params), bfv.NewEvaluator(params), bfv.NewEncryptorFromPk(params, public),
		bfv.NewEncryptorFromSk(params, secret), bfv.NewDecryptor(params, secret), keys.GenRelinKey(secret, 1),
		keys.GenSwitchingKey(secret, keys.GenSecretKey()),
	}
}

func (s *bfvSet) name() string { return "bfv" }

func (s *bfvSet) functions(length int) map[string]func() {
	values := uniform(length)
	for i := range values {
		values[i] %= s.params.T
	}
	plaintext := bfv.NewPlaintext(s.params)
	s.encoder.EncodeUint(values, plaintext)
	a, b := s.byPublic.EncryptNew(plaintext), s.byPublic.EncryptNew(plaintext)
	sum, product := bfv.NewCiphertext(s.params, 1), bfv.NewCiphertext(s.params, 2)
	s.evaluator.Mul(a, b, product)
	decrypted := s.decryptor.DecryptNew(a)
	return map[string]func(){
		"encode":         func() { s.encoder.EncodeUint(values, plaintext) },
		"decode":         func() { s.encoder.DecodeUint(decrypted) },
		"encrypt":        func() { s.byPublic.Encrypt(plaintext, sum) },
		"encrypt_secret": func() { s.bySecret.Encrypt(plaintext, sum) },
		"decrypt":        func() { s.decryptor.Decrypt(a, bfv.NewPlaintext(s.params)) },
		"add":            func() { s.evaluator.Add(a, b, sum) },
		"mul_scalar":     func() { s.evaluator.MulScalar(a, 5, sum) },
		"mul":            func() { s.evaluator.Mul(a, b, product) },
		"relinearize":    func() { s.evaluator.Relinearize(product, s.relinearization, sum) },
		"key_switch":     func() { s.evaluator.SwitchKeys(a, s.switching, sum) },
	}
}

func (s *bfvSet) redundancy(length int) (data, plain, cipher uint64) {
	values := uniform(length)
	plaintext := bfv.NewPlaintext(s.params)
	s.encoder.EncodeUint(values, plaintext)
	ciphertext := s.byPublic.EncryptNew(plaintext)
	for _, part := range ciphertext.Value() {
		cipher += significant(part.Coeffs...)
	}
	return significant(values), significant(plaintext.Value()[0].Coeffs...), cipher
}
