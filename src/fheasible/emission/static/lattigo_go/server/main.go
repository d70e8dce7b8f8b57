// The server evaluates what is in to_server/ and writes to_client/.
package main

import (
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"emitted/common"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
)

// garbage is how much the memory may grow, in percent, before it is collected. Every result is a new ciphertext: with
// Go's 100 per cent it would lie in new pages, which take a tenth of the time, and twice the memory would be needed.
const garbage = 25

func main() {
	log.SetFlags(0)
	debug.SetGCPercent(garbage)
	p := common.Read()
	keys := &rlwe.MemEvaluationKeySet{}
	common.Load(keys, filepath.Join(common.ToServer, "evaluation.key"))
	s := newScheme(p, keys)
	inputs := map[string][]*rlwe.Ciphertext{}
	for _, vector := range p.Inputs {
		for _, path := range vector.Files(common.ToServer) {
			value := &rlwe.Ciphertext{}
			common.Load(value, path)
			inputs[vector.Name] = append(inputs[vector.Name], s.received(value))
		}
	}
	start := time.Now()
	outputs := evaluate(s, inputs)
	seconds := time.Since(start).Seconds()
	for _, vector := range p.Outputs {
		for i, path := range vector.Files(common.ToClient) {
			common.Save(outputs[vector.Name][i], path)
		}
	}
	fmt.Printf("evaluated in %.3f s\n", seconds)
}

// constants are the plain vectors of the application, each of which fills all slots, in full precision.
func constants[T float64 | int64](p *common.Parameters) [][]T {
	path := filepath.Join("server", "constants.bin")
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	common.Check(err)
	defer file.Close()
	values := make([]T, common.Must(file.Stat()).Size()/8)
	common.Check(binary.Read(file, binary.LittleEndian, values))
	var found [][]T
	for start := 0; start < len(values); start += p.Slots {
		found = append(found, values[start:start+p.Slots])
	}
	return found
}

// take gives the ciphertexts of an input and forgets the input, so that what is used up can be freed.
func take(inputs map[string][]*rlwe.Ciphertext, name string) []*rlwe.Ciphertext {
	found := inputs[name]
	delete(inputs, name)
	return found
}

func must(value *rlwe.Ciphertext, err error) *rlwe.Ciphertext { return common.Must(value, err) }

// negated is -x; Lattigo's evaluators have no method for it.
func negated(params *rlwe.Parameters, x *rlwe.Ciphertext) *rlwe.Ciphertext {
	out := rlwe.NewCiphertext(params, x.Degree(), x.Level())
	*out.MetaData = *x.MetaData
	for i := range x.Value {
		params.RingQ().AtLevel(x.Level()).Neg(x.Value[i], out.Value[i])
	}
	return out
}
