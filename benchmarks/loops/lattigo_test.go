// Lattigo's operations in bare loops of Go's own benchmarks.
package loops

import (
	"encoding/json"
	"math"
	"os"
	"runtime"
	"testing"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
	"golang.org/x/sys/unix"
)

type request struct {
	LogN  int
	Q, P  []uint64
	Scale float64
	Slots int
}

// operands are what all loops need, made once.
type operands struct {
	evaluator *ckks.Evaluator
	encryptor *rlwe.Encryptor
	plain     *rlwe.Plaintext
	a, b      *rlwe.Ciphertext
}

var made operands

// warmup is the number of calls before any is timed. Until the collector has run a few times, results lie in
// memory that is touched for the first time, and a call pays for page faults.
const warmup = 50

func TestMain(m *testing.M) {
	var asked request
	must(json.NewDecoder(os.Stdin).Decode(&asked))
	params, err := ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
		LogN: asked.LogN, Q: asked.Q, P: asked.P, LogDefaultScale: int(math.Round(math.Log2(asked.Scale))),
	})
	must(err)
	generator := rlwe.NewKeyGenerator(params)
	secret, public := generator.GenKeyPairNew()
	keys := rlwe.NewMemEvaluationKeySet(
		generator.GenRelinearizationKeyNew(secret), generator.GenGaloisKeyNew(params.GaloisElement(1), secret))
	made.evaluator, made.encryptor = ckks.NewEvaluator(params, keys), rlwe.NewEncryptor(params, public)
	values := make([]float64, asked.Slots)
	for i := range values {
		values[i] = 2*float64(i)/float64(len(values)) - 1
	}
	made.plain = ckks.NewPlaintext(params, params.MaxLevel())
	must(ckks.NewEncoder(params).Encode(values, made.plain))
	made.a, err = made.encryptor.EncryptNew(made.plain)
	must(err)
	made.b, err = made.encryptor.EncryptNew(made.plain)
	must(err)
	os.Exit(m.Run())
}

func BenchmarkProduct(b *testing.B) {
	loop(b, func() (*rlwe.Ciphertext, error) {
		product, err := made.evaluator.MulNew(made.a, made.b)
		if err != nil {
			return nil, err
		}
		return made.evaluator.RelinearizeNew(product)
	})
}

func BenchmarkProductInOneCall(b *testing.B) {
	loop(b, func() (*rlwe.Ciphertext, error) { return made.evaluator.MulRelinNew(made.a, made.b) })
}

func BenchmarkRotation(b *testing.B) {
	loop(b, func() (*rlwe.Ciphertext, error) { return made.evaluator.RotateNew(made.a, 1) })
}

func BenchmarkEncryption(b *testing.B) {
	loop(b, func() (*rlwe.Ciphertext, error) { return made.encryptor.EncryptNew(made.plain) })
}

// loop reports the least CPU time of a call beside the mean wall time that testing.B gives.
func loop(b *testing.B, call func() (*rlwe.Ciphertext, error)) {
	runtime.LockOSThread() // the clock is that of the thread
	for i := 0; i < warmup; i++ {
		_, err := call()
		must(err)
	}
	b.ResetTimer()
	least := int64(math.MaxInt64)
	for i := 0; i < b.N; i++ {
		began := threadNanoseconds()
		_, err := call()
		least = min(least, threadNanoseconds()-began)
		must(err)
	}
	b.ReportMetric(float64(least), "least-cpu-ns")
}

func threadNanoseconds() int64 {
	var t unix.Timespec
	must(unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t))
	return t.Nano()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
