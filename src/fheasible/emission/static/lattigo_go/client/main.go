// The client: `client keys`, `client encrypt`, `client decrypt`. It alone has the secret key.
package main

import (
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	"emitted/common"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
)

func main() {
	log.SetFlags(0)
	commands := map[string]func(*common.Parameters){"keys": keys, "encrypt": encrypt, "decrypt": decrypt}
	if len(os.Args) != 2 || commands[os.Args[1]] == nil {
		log.Fatal("usage: client keys | encrypt | decrypt")
	}
	commands[os.Args[1]](common.Read())
}

// keys makes all keys. The secret and the public key stay here; the others go to the server.
func keys(p *common.Parameters) {
	params := p.RLWE()
	generator := rlwe.NewKeyGenerator(params)
	secret, public := generator.GenKeyPairNew()
	var relinearization *rlwe.RelinearizationKey
	if p.Relinearizes {
		relinearization = generator.GenRelinearizationKeyNew(secret)
	}
	elements := params.GaloisElements(p.Rotations)
	if p.SwapsRows {
		elements = append(elements, params.GaloisElementOrderTwoOrthogonalSubgroup())
	}
	evaluation := rlwe.NewMemEvaluationKeySet(relinearization, generator.GenGaloisKeysNew(elements, secret)...)
	common.Save(secret, filepath.Join("client", "secret.key"))
	common.Save(public, filepath.Join("client", "public.key"))
	common.Save(evaluation, filepath.Join(common.ToServer, "evaluation.key"))
	if p.Bootstrap != nil {
		further, _, err := p.Bootstrapping().GenEvaluationKeys(secret)
		common.Check(err)
		common.Save(further, filepath.Join(common.ToServer, "bootstrap.key"))
	}
	fmt.Println("keys made: client/secret.key stays here; to_server/ is for the server")
}

// encrypt encrypts client/data/*.txt into to_server/.
func encrypt(p *common.Parameters) {
	params, coder := p.RLWE(), newCoder(p)
	public := rlwe.NewPublicKey(params)
	common.Load(public, filepath.Join("client", "public.key"))
	encryptor := rlwe.NewEncryptor(params, public)
	var names []string
	for _, vector := range p.Inputs {
		rows := pack(given(filepath.Join("client", "data"), vector), vector, p.Slots)
		for i, path := range vector.Files(common.ToServer) {
			plaintext := coder.encode(rows[i], vector.Levels[i])
			common.Save(common.Must(encryptor.EncryptNew(plaintext)), path)
		}
		names = append(names, vector.Name)
	}
	fmt.Println("encrypted:", strings.Join(names, ", "))
}

// decrypt decrypts to_client/ into client/results/*.txt, and compares with client/expected/*.txt.
func decrypt(p *common.Parameters) {
	params, coder := p.RLWE(), newCoder(p)
	secret := rlwe.NewSecretKey(params)
	common.Load(secret, filepath.Join("client", "secret.key"))
	decryptor := rlwe.NewDecryptor(params, secret)
	for _, vector := range p.Outputs {
		var slots []string
		for _, path := range vector.Files(common.ToClient) {
			value := &rlwe.Ciphertext{}
			common.Load(value, path)
			slots = append(slots, coder.decode(decryptor.DecryptNew(value))...)
		}
		found := unpack(slots, vector, p.Real())
		write(filepath.Join("client", "results", vector.File+".txt"), found)
		fmt.Println(vector.Name + ": " + compared(found, filepath.Join("client", "expected", vector.File+".txt")))
	}
}

func compared(found []string, expected string) string {
	said := fmt.Sprintf("%d values in client/results/", len(found))
	if _, err := os.Stat(expected); err != nil {
		return said
	}
	truth, largest := floats(read(expected)), 0.0
	if len(truth) != len(found) {
		return said
	}
	for i, value := range floats(found) {
		largest = math.Max(largest, math.Abs(value-truth[i]))
	}
	return fmt.Sprintf("%s; the largest difference from the cleartext result is %.3g", said, largest)
}
