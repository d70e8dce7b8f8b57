package main

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
)

const (
	insecureLogN  = 10
	insecurePlain = 12289 // prime, and 1 modulo 2 * 2^insecureLogN
)

// insecure parameters, for tests alone.
func insecure(t *testing.T, scheme string) parameters {
	t.Helper()
	p := parameters{Scheme: scheme, RingDimension: 1 << insecureLogN, LogQ: []int{55, 40, 38, 40}, LogP: []int{60}}
	if scheme != "ckks" {
		p.PlainModulus = &integer{}
		p.PlainModulus.SetInt64(insecurePlain)
		return p
	}
	p.Scales = []float64{0x1p40, 0, 0, 0}
	b, err := newBackend(p)
	if err != nil {
		t.Fatal(err)
	}
	for level, prime := range b.rlwe().Q()[1:] {
		p.Scales[level+1] = math.Sqrt(p.Scales[level] * float64(prime))
	}
	return p
}

// ready is an executor with keys for a program.
func ready(t *testing.T, params parameters, p *program, inputs map[string]array, scalars map[int]constant) *executor {
	t.Helper()
	b, err := newBackend(params)
	if err != nil {
		t.Fatal(err)
	}
	e := &executor{
		tools: tools{backend: b}, program: p, inputs: inputs, operands: map[int]*operand{}, collector: newCollector(false),
	}
	for index, sent := range scalars {
		loaded, err := b.operand(sent)
		if err != nil {
			t.Fatal(err)
		}
		e.operands[index] = &loaded
	}
	e.equip(ownKeys(b.rlwe(), p), options{})
	return e
}

func number(i int) *int { return &i }

func ints(values ...int64) array { return array{shape: []int{1, len(values)}, ints: values} }

func floats(values ...float64) array { return array{shape: []int{1, len(values)}, floats: values} }

func TestCKKSFollowsTheLadderOfScales(t *testing.T) {
	p := &program{
		Scheme: "ckks", Slots: 4, Levels: 3, Relinearizes: true, Rotations: []int{1},
		Operations: []operation{
			{Action: "encrypt", Out: 0, Level: 3, Source: "x"},
			{Action: "square", Out: 1, Args: []int{0}, Level: 3},
			{Action: "relinearize", Out: 2, Args: []int{1}, Level: 3, Frees: []int{1}},
			{Action: "rescale", Out: 3, Args: []int{2}, Level: 2, Frees: []int{2}},
			{Action: "drop", Out: 4, Args: []int{0}, Level: 2},
			{Action: "mul_scalar", Out: 5, Args: []int{4}, Level: 2, Plain: number(0)},
			{Action: "rescale", Out: 6, Args: []int{5}, Level: 1},
			{Action: "mul_scalar", Out: 7, Args: []int{3}, Level: 2, Plain: number(1)},
			{Action: "rescale", Out: 8, Args: []int{7}, Level: 1},
			{Action: "sub", Out: 9, Args: []int{8, 6}, Level: 1},
			{Action: "rotate", Out: 10, Args: []int{9}, Level: 1, Steps: 1},
		},
		Outputs: []packed{{"y", []int{10}}},
	}
	e := ready(t, insecure(t, "ckks"), p, map[string]array{"x": floats(0.5, -0.25, 1, 0)},
		map[int]constant{0: {text: "-3"}, 1: {text: "0.5"}})
	done, err := e.once(0)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.03125 - 0.75, 0.5 + 3, 0, 0.125 + 1.5} { // x^2 / 2 + 3 x, one to the left
		if got := done.outputs["y"].floats[i]; math.Abs(got-want) > 1e-6 {
			t.Errorf("slot %d is %v, not %v", i, got, want)
		}
	}
	if e.values[1] != nil || e.values[2] != nil {
		t.Error("freed values are still there")
	}
	if len(done.operations) != len(p.Operations) || done.encrypt[1] <= 0 || done.evaluate[0] <= 0 || done.decrypt[0] <= 0 {
		t.Errorf("samples are missing: %+v", done)
	}
}

// Each of these goes wrong in Lattigo 6.1.1's own evaluator, or would where a plaintext scale is forgotten.
func TestIntegersAreExactAcrossPlaintextScales(t *testing.T) {
	for _, c := range []struct {
		operation
		want func(x int64) int64
	}{
		{operation{Action: "add_scalar", Args: []int{1}, Plain: number(0)}, func(x int64) int64 { return x*x + 7 }},
		{operation{Action: "mul_scalar", Args: []int{1}, Plain: number(0)}, func(x int64) int64 { return 7 * x * x }},
		{operation{Action: "add", Args: []int{0, 1}}, func(x int64) int64 { return x + x*x }},
		{operation{Action: "sub", Args: []int{1, 0}}, func(x int64) int64 { return x*x - x }},
		{operation{Action: "sub", Args: []int{0, 1}}, func(x int64) int64 { return x - x*x }},
		{operation{Action: "neg", Args: []int{1}}, func(x int64) int64 { return -x * x }},
		{operation{Action: "square", Args: []int{0}}, func(x int64) int64 { return x * x }},
		{operation{Action: "swap_rows", Args: []int{0}}, func(x int64) int64 { return x }},
	} {
		for _, scheme := range []string{"bgv", "bfv"} {
			last := c.operation
			last.Out, last.Level = 2, 3
			got := afterSquare(t, scheme, last, -6144, 6144, 5)
			for i, x := range []int64{-6144, 6144, 5} {
				if want := centre(c.want(x)); got[i] != want {
					t.Errorf("%s, %s of %v, x = %d: %d, not %d", scheme, c.Action, c.Args, x, got[i], want)
				}
			}
		}
	}
}

// afterSquare decrypts what `last` makes of value 0, which is x, and value 1, which is x^2 of degree 2.
func afterSquare(t *testing.T, scheme string, last operation, x ...int64) []int64 {
	t.Helper()
	p := &program{
		Scheme: scheme, Slots: 4, Levels: 3, SwapsRows: true,
		Operations: []operation{
			{Action: "encrypt", Out: 0, Level: 3, Source: "x"},
			{Action: "mul", Out: 1, Args: []int{0, 0}, Level: 3},
			last,
		},
		Outputs: []packed{{"y", []int{2}}},
	}
	e := ready(t, insecure(t, scheme), p, map[string]array{"x": ints(append(x, 0)...)}, map[int]constant{0: {text: "7"}})
	done, err := e.once(0)
	if err != nil {
		t.Fatal(scheme, last.Action, err)
	}
	return done.outputs["y"].ints
}

// centre is x modulo t in [-(t-1)/2, (t-1)/2].
func centre(x int64) int64 {
	const half = insecurePlain / 2
	return ((x+half)%insecurePlain+insecurePlain)%insecurePlain - half
}

func TestModulusSwitchingKeepsIntegers(t *testing.T) {
	p := &program{
		Scheme: "bgv", Slots: 4, Levels: 3, Relinearizes: true,
		Operations: []operation{
			{Action: "encrypt", Out: 0, Level: 3, Source: "x"},
			{Action: "square", Out: 1, Args: []int{0}, Level: 3},
			{Action: "relinearize", Out: 2, Args: []int{1}, Level: 3},
			{Action: "rescale", Out: 3, Args: []int{2}, Level: 2},
			{Action: "drop", Out: 4, Args: []int{3}, Level: 0},
			{Action: "drop", Out: 5, Args: []int{0}, Level: 0},
			{Action: "add", Out: 6, Args: []int{4, 5}, Level: 0},
			{Action: "add_scalar", Out: 7, Args: []int{6}, Level: 0, Plain: number(0)},
		},
		Outputs: []packed{{"y", []int{7}}},
	}
	x := []int64{0, 1, -6144, 6144}
	e := ready(t, insecure(t, "bgv"), p, map[string]array{"x": ints(x...)}, map[int]constant{0: {text: "-100000000000000000000"}})
	done, err := e.once(0)
	if err != nil {
		t.Fatal(err)
	}
	const scalar = -100_000_000_000_000_000_000 % insecurePlain
	for i := range x {
		if got, want := done.outputs["y"].ints[i], centre(x[i]*x[i]+x[i]+scalar); got != want {
			t.Errorf("x = %d: %d, not %d", x[i], got, want)
		}
	}
}

func TestAProgramThatBreaksTheRuleOfScalesIsRefused(t *testing.T) {
	p := &program{
		Scheme: "ckks", Slots: 1, Levels: 3,
		Operations: []operation{
			{Action: "encrypt", Out: 0, Level: 3, Source: "x"},
			{Action: "drop", Out: 1, Args: []int{0}, Level: 2},
			{Action: "square", Out: 2, Args: []int{1}, Level: 2},
		},
	}
	_, err := ready(t, insecure(t, "ckks"), p, map[string]array{"x": floats(1)}, nil).once(0)
	expectRefusal(t, err, badRequestKind, "another level's scale")
}

func TestFreedValuesCannotBeUsed(t *testing.T) {
	p := &program{
		Scheme: "bfv", Slots: 1,
		Operations: []operation{
			{Action: "encrypt", Out: 0, Source: "x", Frees: []int{0}},
			{Action: "neg", Out: 1, Args: []int{0}},
		},
	}
	_, err := ready(t, insecure(t, "bfv"), p, map[string]array{"x": ints(1)}, nil).once(0)
	expectRefusal(t, err, badRequestKind, "was freed")
}

func TestUnknownAndAbsentActionsAreRefusedBeforeAnythingRuns(t *testing.T) {
	for scheme, action := range map[string]string{"ckks": "swap_rows", "bfv": "rescale", "bgv": "bootstrap"} {
		r := &request{Parameters: parameters{Scheme: scheme}}
		r.Program = program{Scheme: scheme, Slots: 1, Operations: []operation{{Action: action, Args: []int{0}}}}
		expectRefusal(t, checkProgram(r), unsupportedOperation, action)
	}
}

func TestTheLibrarysWordsStandInARefusal(t *testing.T) {
	p := insecure(t, "bgv")
	p.PlainModulus.SetInt64(4)
	_, err := newBackend(p)
	expectRefusal(t, err, infeasibleParameters, "cyclotomic order < 16")
	p = insecure(t, "ckks")
	p.LogQ = []int{61}
	_, err = newBackend(p)
	expectRefusal(t, err, infeasibleParameters, "logQ[0]=61")
}

func expectRefusal(t *testing.T, err error, kind, words string) {
	t.Helper()
	var refusal *refusal
	if !errors.As(err, &refusal) || refusal.kind != kind || !strings.Contains(err.Error(), words) {
		t.Errorf("%v is not a refusal of kind %s about %q", err, kind, words)
	}
}

func TestSizesAreThoseOfTheSerializedObjects(t *testing.T) {
	b, err := newBackend(insecure(t, "ckks"))
	if err != nil {
		t.Fatal(err)
	}
	keys := ownKeys(b.rlwe(), &program{Relinearizes: true, Rotations: []int{1, 5}})
	length := func(object interface{ MarshalBinary() ([]byte, error) }) int {
		written, err := object.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return len(written)
	}
	said := keys.sizes()
	for name, pair := range map[string][2]int{
		"public key":          {*said.PublicKey, length(keys.public)},
		"secret key":          {*said.SecretKey, length(keys.secret)},
		"relinearization key": {*said.RelinearizationKey, length(keys.relinearization)},
		"rotation keys":       {*said.RotationKeys, length(keys.galois[0]) + length(keys.galois[1])},
		"ciphertext":          {rlwe.NewCiphertext(b.rlwe(), 1).BinarySize(), length(rlwe.NewCiphertext(b.rlwe(), 1))},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: said %d bytes, wrote %d", name, pair[0], pair[1])
		}
	}
}
