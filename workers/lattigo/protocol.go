package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

const library = "github.com/tuneinsight/lattigo/v6"

// Refusals by their names in the protocol.
const (
	unsupportedOperation = "UnsupportedOperation"
	infeasibleParameters = "InfeasibleParameters"
	badRequestKind       = "BadRequest"
)

// refusal says what cannot be done, and why. The worker stays healthy.
type refusal struct {
	kind    string
	message string
}

func (r *refusal) Error() string { return r.message }

func refuse(kind, format string, values ...any) error {
	return &refusal{kind, fmt.Sprintf(format, values...)}
}

func badRequest(format string, values ...any) error {
	return refuse(badRequestKind, format, values...)
}

// integer is a JSON number or, beyond 2^53, a decimal string.
type integer struct{ big.Int }

func (i *integer) UnmarshalJSON(text []byte) error {
	digits := strings.Trim(string(text), `"`)
	if _, ok := i.SetString(digits, 10); !ok {
		return fmt.Errorf("%s is not a decimal integer", text)
	}
	return nil
}

type request struct {
	Type       string            `json:"type"`
	ID         string            `json:"id"`
	Parameters parameters        `json:"parameters"`
	Program    program           `json:"program"`
	Inputs     map[string]string `json:"inputs"`
	Folder     string            `json:"folder"`
	Plan       plan              `json:"plan"`
	Options    options           `json:"options"`
	Counters   []int             `json:"counters"` // nil where no marks are wanted
	Items      []item            `json:"items"`    // of measure alone, as are all that follow
	Slots      int               `json:"slots"`
	TwoRows    bool              `json:"two_rows"`
	Sparse     bool              `json:"sparse"`
	Automatic  bool              `json:"automatic"`
	Scalar     json.RawMessage   `json:"scalar"`
}

// parameters: `security` is accepted and ignored, for Lattigo enforces none. LogQ and LogP stand in for Q
// and P where the library shall choose the primes, as its own ParametersLiteral has it.
type parameters struct {
	Scheme        string          `json:"scheme"`
	RingDimension int             `json:"ring_dimension"`
	Q             []integer       `json:"q"`
	P             []integer       `json:"p"`
	LogQ          []int           `json:"log_q"`
	LogP          []int           `json:"log_p"`
	PlainModulus  *integer        `json:"plain_modulus"`
	Scales        []float64       `json:"scales"`
	Bootstrap     *bootstrapAsked `json:"bootstrap"`
	// LogDefaultScale is for describing a bootstrap without scales.
	LogDefaultScale int  `json:"log_default_scale"`
	describes       bool // nothing will be computed: matrices need not be encoded
}

type plan struct {
	Repetitions int     `json:"repetitions"`
	Warmup      int     `json:"warmup"`
	Threads     threads `json:"threads"`
	MinSeconds  float64 `json:"min_seconds"`
	Keygens     int     `json:"keygens"`
}

// threads is how many threads execute a program; 0 is one. `null` leaves it to the library.
type threads struct {
	number    int
	byDefault bool
}

func (t *threads) UnmarshalJSON(text []byte) error {
	*t = threads{byDefault: string(text) == "null"}
	return json.Unmarshal(text, &t.number)
}

type options struct {
	WrongKey    bool  `json:"wrong_key"`
	CheckInputs bool  `json:"check_inputs"`
	Sizes       *bool `json:"sizes"`
	EveryOutput bool  `json:"every_output"`
	Noise       bool  `json:"noise"`
}

func (o options) wantSizes() bool { return o.Sizes == nil || *o.Sizes }

type program struct {
	Scheme       string                     `json:"scheme"`
	Slots        int                        `json:"slots"`
	Levels       int                        `json:"levels"`
	Automatic    bool                       `json:"automatic"`
	TwoRows      bool                       `json:"two_rows"`
	Plains       *string                    `json:"plains"`
	Scalars      map[string]json.RawMessage `json:"scalars"`
	Operations   []operation                `json:"operations"`
	Inputs       []packed                   `json:"inputs"`
	Outputs      []packed                   `json:"outputs"`
	Rotations    []int                      `json:"rotations"`
	SwapsRows    bool                       `json:"swaps_rows"`
	Relinearizes bool                       `json:"relinearizes"`
}

type packed struct {
	Name   string `json:"name"`
	Values []int  `json:"values"`
}

type operation struct {
	Action string `json:"action"`
	Out    int    `json:"out"`
	Args   []int  `json:"args"`
	Level  int    `json:"level"`
	Plain  *int   `json:"plain"`
	Steps  int    `json:"steps"`
	Source string `json:"source"`
	Chunk  int    `json:"chunk"`
	Frees  []int  `json:"frees"`
	Hoist  hoist  `json:"hoist"`
}

type hello struct {
	Type       string            `json:"type"`
	Protocol   int               `json:"protocol"`
	Library    string            `json:"library"`
	Version    string            `json:"version"`
	Binding    string            `json:"binding"`
	Build      map[string]string `json:"build"`
	Runtime    string            `json:"runtime"`
	Schemes    []string          `json:"schemes"`
	Operations []string          `json:"operations"`
	MadeFrom   string            `json:"made_from"`
}

type described struct {
	Type          string              `json:"type"`
	ID            string              `json:"id"`
	RingDimension int                 `json:"ring_dimension"`
	Q             []string            `json:"q"`
	P             []string            `json:"p"`
	Digits        int                 `json:"digits"`
	PlainModulus  *uint64             `json:"plain_modulus"`
	Bootstrap     *describedBootstrap `json:"bootstrap,omitempty"`
}

type progress struct {
	Type  string `json:"type"`
	ID    string `json:"id"`
	Phase string `json:"phase"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
}

type refused struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

type measured struct {
	Type          string            `json:"type"`
	ID            string            `json:"id"`
	RingDimension int               `json:"ring_dimension"`
	Q             []string          `json:"q"`
	P             []string          `json:"p"`
	Digits        int               `json:"digits"`
	Outputs       map[string]string `json:"outputs"`
	Noise         map[string]string `json:"noise,omitempty"`
	Samples       string            `json:"samples"`
	Marks         string            `json:"marks,omitempty"`
	Phases        phases            `json:"phases"`
	Sizes         sizes             `json:"sizes"`
	Memory        memory            `json:"memory"`
	Threads       int               `json:"threads"`
}

// phases hold seconds, one sample for each time that the phase was done.
type phases struct {
	Context  []sample `json:"context"`
	Keygen   []sample `json:"keygen"`
	Encrypt  []sample `json:"encrypt"`
	Evaluate []sample `json:"evaluate"`
	Decrypt  []sample `json:"decrypt"`
}

// sizes are bytes of serialized objects; nil where they were not asked for.
type sizes struct {
	Ciphertext         *int `json:"ciphertext"`
	PublicKey          *int `json:"public_key"`
	SecretKey          *int `json:"secret_key"`
	RelinearizationKey *int `json:"relinearization_key"`
	RotationKeys       *int `json:"rotation_keys"`
	RotationKeyCount   int  `json:"rotation_key_count"`
	BootstrapKeys      *int `json:"bootstrap_keys,omitempty"`
}

// memory is the resident set, in bytes.
type memory struct {
	Baseline int64 `json:"baseline_bytes"`
	Context  int64 `json:"context_bytes"`
	Keys     int64 `json:"keys_bytes"`
	Peak     int64 `json:"peak_bytes"`
}

// madeFrom is a hash of the sources, set by the linker (fheasible/measurement/install.py).
var madeFrom string

func greeting() hello {
	version := strings.TrimPrefix(libraryVersion(), "v")
	return hello{
		Type: "hello", Protocol: 1, Library: "lattigo", Version: version, Binding: "lattigo " + version,
		Build: buildSettings(), Runtime: runtime.Version(),
		Schemes: []string{"bfv", "bgv", "ckks"}, Operations: actionNames(),
		MadeFrom: madeFrom,
	}
}

func libraryVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == library {
				return dependency.Version
			}
		}
	}
	return "unknown"
}

// tellingSettings are those that change the generated code.
var tellingSettings = map[string]bool{"-compiler": true, "-gcflags": true, "GOAMD64": true, "GOARCH": true, "GOOS": true}

func buildSettings() map[string]string {
	build := map[string]string{"cpus": strconv.Itoa(runtime.NumCPU())}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if tellingSettings[setting.Key] {
				build[setting.Key] = setting.Value
			}
		}
	}
	return build
}
