// Package common has what client and server share: the parameters, Lattigo's own of them, and files.
package common

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"math/bits"
	"os"
	"path/filepath"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/bgv"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// The folders by which client and server exchange files.
const (
	ToServer = "to_server"
	ToClient = "to_client"
)

// DoublePrecision of the encoder: values come and go as float64.
const DoublePrecision = 53

// Vector is a packed input or output.
type Vector struct {
	Name, File, Padding string
	Length, Ciphertexts int
	Levels              []int
	Rounded             bool
	Columns             []Column
}

// Column is an input that shares ciphertexts with others: element i lies in place Start + i * Step of their vector.
// Where it has more room, its first elements follow again.
type Column struct {
	Name, File                string
	Length, Start, Step, Room int
}

// Parameters are those of parameters.json.
type Parameters struct {
	Scheme        string
	RingDimension int `json:"ring_dimension"`
	Q, P          []uint64
	PlainModulus  uint64 `json:"plain_modulus"`
	Scales        []float64
	Slots         int
	Relinearizes  bool
	Rotations     []int
	SwapsRows     bool       `json:"swaps_rows"`
	Bootstrap     *Bootstrap // nil where nothing is bootstrapped
	Inputs        []Vector
	Outputs       []Vector
}

// Read reads parameters.json, which lies in the folder where the program is started.
func Read() *Parameters {
	text, err := os.ReadFile("parameters.json")
	Check(err)
	found := &Parameters{}
	Check(json.Unmarshal(text, found))
	return found
}

// Real says whether slots are real numbers.
func (p *Parameters) Real() bool { return p.Scheme == "ckks" }

func (p *Parameters) logN() int { return bits.Len(uint(p.RingDimension)) - 1 }

// CKKS are Lattigo's parameters. A default scale beyond double precision would only select slower encoders.
func (p *Parameters) CKKS() ckks.Parameters {
	top := p.Scales[len(p.Scales)-1]
	literal := ckks.ParametersLiteral{
		LogN: p.logN(), Q: p.Q, P: p.P, LogDefaultScale: min(int(math.Round(math.Log2(top))), DoublePrecision),
	}
	if p.Bootstrap != nil {
		literal.Xs, literal.LogDefaultScale = p.Bootstrap.secret(), p.leastScale()
	}
	return Must(ckks.NewParametersFromLiteral(literal))
}

// Integers are Lattigo's parameters of BGV and BFV.
func (p *Parameters) Integers() bgv.Parameters {
	return Must(bgv.NewParametersFromLiteral(bgv.ParametersLiteral{
		LogN: p.logN(), Q: p.Q, P: p.P, PlaintextModulus: p.PlainModulus,
	}))
}

// RLWE are the parameters that all schemes have.
func (p *Parameters) RLWE() *rlwe.Parameters {
	if p.Real() {
		params := p.CKKS()
		return &params.Parameters
	}
	params := p.Integers()
	return &params.Parameters
}

// Files of a packed vector, one for each of its ciphertexts.
func (v Vector) Files(folder string) []string {
	found := make([]string, v.Ciphertexts)
	for i := range found {
		found[i] = filepath.Join(folder, fmt.Sprintf("%s_%d.bin", v.File, i))
	}
	return found
}

// Save writes an object in Lattigo's own form.
func Save(what io.WriterTo, path string) {
	Check(os.MkdirAll(filepath.Dir(path), 0o755))
	file := Must(os.Create(path))
	buffer := bufio.NewWriterSize(file, 1<<20)
	Must(what.WriteTo(buffer))
	Check(buffer.Flush())
	Check(file.Close())
}

// Load reads an object in Lattigo's own form.
func Load(what io.ReaderFrom, path string) {
	file := Must(os.Open(path))
	defer file.Close()
	_, err := what.ReadFrom(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		log.Fatalf("%s cannot be read: %v", path, err)
	}
}

// Tile repeats values until there are `slots` of them.
func Tile[T any](values []T, slots int) []T {
	if len(values) == slots {
		return values
	}
	found := make([]T, 0, slots)
	for len(found) < slots {
		found = append(found, values...)
	}
	return found
}

// Must is the value, where there was no error.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Check ends the program at an error.
func Check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
