package main

import (
	"log"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"emitted/common"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/bgv"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// coder encodes rows of slots, which are numbers as text, and decodes them.
type coder interface {
	encode(row []string, level int) *rlwe.Plaintext
	decode(plaintext *rlwe.Plaintext) []string
}

func newCoder(p *common.Parameters) coder {
	if p.Real() {
		params := p.CKKS()
		return &realCoder{p, params, ckks.NewEncoder(params, common.DoublePrecision)}
	}
	params := p.Integers()
	return &integerCoder{p, params, bgv.NewEncoder(params)}
}

type realCoder struct {
	p       *common.Parameters
	params  ckks.Parameters
	encoder *ckks.Encoder
}

func (c *realCoder) encode(row []string, level int) *rlwe.Plaintext {
	plaintext := ckks.NewPlaintext(c.params, level)
	plaintext.Scale = rlwe.NewScale(c.p.Scales[level])
	common.Check(c.encoder.Encode(common.Tile(floats(row), c.params.MaxSlots()), plaintext))
	return plaintext
}

// decode gives the mean of the copies that fill the ring, each of which has an error of its own.
func (c *realCoder) decode(plaintext *rlwe.Plaintext) []string {
	copies, slots := make([]float64, c.params.MaxSlots()), c.p.Slots
	common.Check(c.encoder.Decode(plaintext, copies))
	first, others := copies[:slots], make([]float64, slots)
	for start := slots; start < len(copies); start += slots {
		for i, value := range copies[start : start+slots] {
			others[i] += value - first[i]
		}
	}
	found := make([]string, slots)
	for i := range found {
		found[i] = text(first[i] + others[i]*float64(slots)/float64(len(copies)))
	}
	return found
}

type integerCoder struct {
	p       *common.Parameters
	params  bgv.Parameters
	encoder *bgv.Encoder
}

// encode puts BFV at the top of the chain: it has no levels.
func (c *integerCoder) encode(row []string, level int) *rlwe.Plaintext {
	if c.p.Scheme == "bfv" {
		level = c.params.MaxLevel()
	}
	values := make([]int64, len(row))
	for i := range row {
		values[i] = common.Must(strconv.ParseInt(row[i], 10, 64))
	}
	plaintext := bgv.NewPlaintext(c.params, level)
	plaintext.Scale = c.params.DefaultScale()
	common.Check(c.encoder.Encode(common.Tile(values, c.params.MaxSlots()), plaintext))
	return plaintext
}

// decode gives integers in (-t/2, t/2].
func (c *integerCoder) decode(plaintext *rlwe.Plaintext) []string {
	residues, t := make([]uint64, c.params.MaxSlots()), c.params.PlaintextModulus()
	common.Check(c.encoder.Decode(plaintext, residues))
	found := make([]string, c.p.Slots)
	for i := range found {
		value := int64(residues[i])
		if residues[i] > t/2 {
			value -= int64(t)
		}
		found[i] = strconv.FormatInt(value, 10)
	}
	return found
}

// given is the elements of an input: those of its file, or of several that share its ciphertexts.
func given(folder string, vector common.Vector) []string {
	if len(vector.Columns) == 0 {
		return read(filepath.Join(folder, vector.File+".txt"))
	}
	joined := make([]string, vector.Length)
	for i := range joined {
		joined[i] = "0"
	}
	for _, column := range vector.Columns {
		values := read(filepath.Join(folder, column.File+".txt"))
		checkLength(column.Name, len(values), column.Length)
		for i := 0; i < column.Room; i++ {
			joined[column.Start+i*column.Step] = values[i%len(values)]
		}
	}
	return joined
}

func checkLength(name string, given, length int) {
	if given != length {
		log.Fatalf("%s has %d elements; it takes %d", name, given, length)
	}
}

// pack gives one row of slots for each ciphertext. Slots beyond the end hold what the parameters say: zeros, or the
// first elements again.
func pack(values []string, vector common.Vector, slots int) [][]string {
	checkLength(vector.Name, len(values), vector.Length)
	all := make([]string, vector.Ciphertexts*slots)
	for i := range all {
		switch {
		case i < len(values):
			all[i] = values[i]
		case vector.Padding == "repeat":
			all[i] = values[i%len(values)]
		default:
			all[i] = "0"
		}
	}
	rows := make([][]string, vector.Ciphertexts)
	for i := range rows {
		rows[i] = all[i*slots : (i+1)*slots]
	}
	return rows
}

// unpack is the vector in rows of slots. A single real number lies in every slot, each with an error of its own.
func unpack(slots []string, vector common.Vector, real bool) []string {
	found := slots[:vector.Length]
	if real && vector.Length == 1 {
		sum := 0.0
		for _, value := range floats(slots) {
			sum += value
		}
		found = []string{text(sum / float64(len(slots)))}
	}
	if vector.Rounded {
		for i, value := range floats(found) {
			found[i] = strconv.FormatInt(int64(math.Round(value)), 10)
		}
	}
	return found
}

func text(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

func floats(texts []string) []float64 {
	found := make([]float64, len(texts))
	for i := range texts {
		found[i] = common.Must(strconv.ParseFloat(texts[i], 64))
	}
	return found
}

// read gives the numbers of a file, one on each line.
func read(path string) []string {
	return strings.Fields(string(common.Must(os.ReadFile(path))))
}

func write(path string, values []string) {
	common.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	common.Check(os.WriteFile(path, []byte(strings.Join(values, "\n")+"\n"), 0o644))
}
