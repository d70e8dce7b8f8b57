package main

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring/ringqp"
)

// item is an operation to be measured on operands at a level.
type item struct {
	Operation string `json:"operation"`
	Level     int    `json:"level"`
}

// timedItem is an item with its samples, its last result, or the reason why it is not possible here.
type timedItem struct {
	item
	Seconds []sample `json:"seconds"`
	Values  *string  `json:"values"`
	Refused *string  `json:"refused"`
}

type timedItems struct {
	Type          string         `json:"type"`
	ID            string         `json:"id"`
	RingDimension int            `json:"ring_dimension"`
	Q             []string       `json:"q"`
	P             []string       `json:"p"`
	Digits        int            `json:"digits"`
	PlainModulus  *uint64        `json:"plain_modulus"`
	Items         []timedItem    `json:"items"`
	Sizes         map[string]int `json:"sizes"`
	Memory        memory         `json:"memory"`
}

// step is what is timed; it returns a ciphertext, a plaintext, decoded values or keys.
type step func() (any, error)

// bench makes operands at one level, each when it is first wanted.
type bench struct {
	backend            backend
	level              int // the library's
	x, y               array
	vector, scalar     *operand
	slots              int
	public, symmetric  *rlwe.Encryptor
	decryptor, other   *rlwe.Decryptor
	switching          *rlwe.EvaluationKey
	plain, decrypted   *rlwe.Plaintext
	a, b, product, low *rlwe.Ciphertext // low: the product, relinearized
	digits             []ringqp.Poly
}

// applied are the operations that a scheme's backend does as an action of programs, with the action.
var applied = map[string]string{
	"add": "add", "sub": "sub", "negate": "neg", "mul": "mul", "square": "square", "add_plain": "add_plain",
	"mul_plain": "mul_plain", "add_scalar": "add_scalar", "mul_scalar": "mul_scalar", "relinearize": "relinearize",
	"rescale": "rescale", "drop": "drop", "rotate": "rotate", "swap_rows": "swap_rows",
	"bootstrap": "bootstrap",
}

// measuredNames are all operations, in the order of the protocol.
var measuredNames = []string{
	"encode", "decode", "encrypt", "encrypt_secret", "encode_encrypt", "decrypt", "decrypt_decode", "add", "sub",
	"negate", "mul", "square", "add_plain", "mul_plain", "add_scalar", "mul_scalar", "relinearize", "rescale", "drop",
	"rotate", "rotate_hoist", "rotate_hoisted", "swap_rows", "bootstrap", "key_switch", "keygen_secret", "keygen_public",
	"keygen_pair", "keygen_relinearize", "keygen_rotate", "keygen_switch",
}

// measure times single operations, each on operands that were made before.
func (s *session) measure(r *request) (any, error) {
	if err := checkItems(r); err != nil {
		return nil, err
	}
	r.Plan.Threads.set()
	debug.FreeOSMemory()
	resetPeak()
	b, err := newBackend(r.Parameters)
	if err != nil {
		return nil, err
	}
	first, err := newBench(r, b)
	if err != nil {
		return nil, err
	}
	params := b.rlwe()
	answer := &timedItems{
		Type: "timed", ID: r.ID, RingDimension: params.N(), Q: decimals(params.Q()), P: decimals(params.P()),
		Digits: digits(params), PlainModulus: b.plainModulus(), Items: lackingItems(r, b),
		Memory: memory{Baseline: s.baseline, Context: residentBytes()},
	}
	if err := someItem(r, b, answer.Items); err != nil {
		return nil, err
	}
	if err := s.timeAll(r, first, answer); err != nil {
		return nil, err
	}
	answer.Memory.Peak = peakBytes()
	return answer, nil
}

func checkItems(r *request) error {
	for _, one := range r.Items {
		if !slices.Contains(measuredNames, one.Operation) {
			return badRequest("no operation %s; there are %s", one.Operation, strings.Join(measuredNames, ", "))
		}
	}
	if len(r.Items) == 0 {
		return badRequest("no operation; there are %s", strings.Join(measuredNames, ", "))
	}
	if r.Slots < 1 || r.Slots&(r.Slots-1) != 0 {
		return badRequest("%d slots are not a power of two", r.Slots)
	}
	if r.Sparse && r.Parameters.Scheme != "ckks" {
		return refuse(unsupportedOperation, "Lattigo's BGV and BFV encode all slots; only its CKKS has sparse packing")
	}
	if r.Automatic {
		return refuse(unsupportedOperation, "Lattigo does not rescale by itself")
	}
	return nil
}

// newBench is a bench with keys, at no level yet.
func newBench(r *request, b backend) (*bench, error) {
	made := &bench{backend: b, slots: r.Slots}
	possible := b.rowSlots()
	if r.TwoRows {
		possible *= b.rows()
	}
	if r.Slots > possible || r.TwoRows && r.Slots != possible {
		return nil, refuse(infeasibleParameters, "%s; ring dimension %d and this plain modulus give %d",
			plural(r.Slots, "slot"), b.rlwe().N(), possible)
	}
	if r.Sparse {
		b.(*ckksScheme).packSparsely(r.Slots)
	}
	for name, place := range map[string]*array{"x": &made.x, "y": &made.y} {
		values, err := readNpyFile(r.Inputs[name])
		if err != nil {
			return nil, badRequest("input %q: %v", name, err)
		}
		if len(values.shape) != 1 || values.shape[0] != r.Slots {
			return nil, badRequest("input %q has shape %v, not (%d,)", name, values.shape, r.Slots)
		}
		*place = values
	}
	for _, one := range r.Items {
		if level := b.limbLevel(one.Level); level < 0 || level > b.rlwe().MaxLevel() {
			return nil, badRequest("level %d; the chain has levels 0 to %d", one.Level, b.rlwe().MaxLevel())
		}
	}
	vector, err := b.operand(constant{vector: &made.y})
	if err != nil {
		return nil, err
	}
	scalar, err := b.operand(constant{text: strings.Trim(string(r.Scalar), `"`)})
	made.vector, made.scalar = &vector, &scalar
	return made, err
}

// lackingItems are all items, those with a reason that are not possible here.
func lackingItems(r *request, b backend) []timedItem {
	items := make([]timedItem, len(r.Items))
	for i, one := range r.Items {
		items[i] = timedItem{item: one, Seconds: []sample{}}
		if reason := whyNot(r, b, one); reason != "" {
			items[i].Refused = &reason
		}
	}
	return items
}

// someItem refuses a request of which no item is possible here.
func someItem(r *request, b backend, items []timedItem) error {
	if slices.ContainsFunc(items, func(one timedItem) bool { return one.Refused == nil }) {
		return nil
	}
	possible := []string{}
	for _, name := range measuredNames {
		if whyNot(r, b, item{name, r.Items[0].Level}) == "" {
			possible = append(possible, name)
		}
	}
	return refuse(unsupportedOperation, "%s; possible are %s", *items[0].Refused, strings.Join(possible, ", "))
}

func whyNot(r *request, b backend, one item) string {
	if reason, none := absent[r.Parameters.Scheme][applied[one.Operation]]; none {
		return reason
	}
	switch one.Operation {
	case "rescale", "drop":
		if one.Level == 0 {
			return "there is no level below 0"
		}
	case "swap_rows":
		if !r.TwoRows {
			return fmt.Sprintf("a vector of %s stands in both rows alike", plural(r.Slots, "slot"))
		}
	case "bootstrap":
		if err := b.(*ckksScheme).refresher.check(r.Slots, b.rlwe().MaxLevel()); err != nil {
			return err.Error()
		}
	case "rotate_hoist", "rotate_hoisted":
		if b.rlwe().MaxLevelP() < 0 {
			return "without special primes Lattigo's rotations cannot share digits"
		}
	}
	return ""
}

// timeAll times the items: first the kinds of keys, then the others, level by level.
func (s *session) timeAll(r *request, first *bench, answer *timedItems) error {
	byLevel := map[int][]*timedItem{}
	var keygens []*timedItem
	for i := range answer.Items {
		one := &answer.Items[i]
		if strings.HasPrefix(one.Operation, "keygen_") {
			keygens = append(keygens, one)
		} else {
			byLevel[one.Level] = append(byLevel[one.Level], one)
		}
	}
	collector := newCollector(r.Plan.Threads.byDefault)
	if err := s.repeatItems(r, keygens, nil, first.backend, collector); err != nil {
		return err
	}
	keys, err := generateKeys(first.backend, first.needed(r))
	if err != nil {
		return err
	}
	first.equip(keys, slices.ContainsFunc(r.Items, func(one item) bool { return one.Operation == "key_switch" }))
	for level := 0; level <= first.backend.rlwe().MaxLevel(); level++ {
		here := *first
		here.level = first.backend.limbLevel(level)
		if err := s.repeatItems(r, byLevel[level], &here, first.backend, collector); err != nil {
			return err
		}
	}
	return first.sizes(keys, answer)
}

// needed is a program with the keys that the items need.
func (b *bench) needed(r *request) *program {
	p := &program{}
	for _, one := range r.Items {
		switch {
		case strings.HasPrefix(one.Operation, "rotate"):
			p.Rotations = []int{1}
		case one.Operation == "swap_rows":
			p.SwapsRows = r.TwoRows
		case one.Operation == "relinearize" || one.Operation == "rescale":
			p.Relinearizes = true
		case one.Operation == "bootstrap":
			p.Operations = []operation{{Action: "bootstrap"}}
		}
	}
	return p
}

// equip gives the bench its keys, and with `switches` one to another secret key.
func (b *bench) equip(keys *keySet, switches bool) {
	params := b.backend.rlwe()
	keys.equip(b.backend)
	b.public, b.symmetric = rlwe.NewEncryptor(params, keys.public), rlwe.NewEncryptor(params, keys.secret)
	b.decryptor = rlwe.NewDecryptor(params, keys.secret)
	if switches {
		another := unrelatedKey(params)
		b.other = rlwe.NewDecryptor(params, another)
		b.switching = rlwe.NewKeyGenerator(params).GenEvaluationKeyNew(keys.secret, another)
	}
}

// repeatItems times each item once in every repetition, so that all meet the same load.
func (s *session) repeatItems(r *request, items []*timedItem, at *bench, b backend, c *collector) error {
	total := r.Plan.Warmup + max(r.Plan.Repetitions, 1)
	for done := 0; done < total; done++ {
		for _, one := range items {
			if one.Refused != nil {
				continue
			}
			c.collect()
			if err := one.once(r, at, b, done); err != nil {
				return err
			}
		}
		s.reply(progress{"progress", r.ID, "run", done + 1, total})
	}
	return nil
}

// once times an item; what the library says against it is the item's refusal.
func (t *timedItem) once(r *request, at *bench, b backend, done int) error {
	action, err := keygen(b.rlwe(), t.Operation), error(nil)
	if at != nil {
		action, err = at.step(t)
	}
	var made any
	var took sample
	if err == nil {
		took, err = timed(func() (err error) {
			made, err = action()
			return err
		})
	}
	last := done == r.Plan.Warmup+max(r.Plan.Repetitions, 1)-1
	if err == nil && at != nil && last {
		err = t.save(r, at, made)
	}
	if err != nil {
		reason := err.Error()
		t.Refused, t.Seconds = &reason, []sample{}
		return nil
	}
	if done >= r.Plan.Warmup {
		t.Seconds = append(t.Seconds, took)
	}
	return nil
}

// save writes what the result of an item stands for.
func (t *timedItem) save(r *request, at *bench, made any) error {
	values, err := at.values(t.Operation, made)
	if err != nil {
		return err
	}
	place := slices.IndexFunc(r.Items, func(one item) bool { return one == t.item })
	path := filepath.Join(r.Folder, fmt.Sprintf("%d.npy", place))
	t.Values = &path
	return writeNpyFile(path, values)
}

// keygen is the making of keys of one kind, of a fresh secret key; nil for other operations.
func keygen(params *rlwe.Parameters, operation string) step {
	maker := rlwe.NewKeyGenerator(params)
	if operation == "keygen_secret" {
		return func() (any, error) { return maker.GenSecretKeyNew(), nil }
	}
	if operation == "keygen_pair" {
		return func() (any, error) {
			_, public := maker.GenKeyPairNew()
			return public, nil
		}
	}
	if !strings.HasPrefix(operation, "keygen_") {
		return nil
	}
	secret, other := maker.GenSecretKeyNew(), maker.GenSecretKeyNew()
	return func() (any, error) {
		switch operation {
		case "keygen_public":
			return maker.GenPublicKeyNew(secret), nil
		case "keygen_relinearize":
			return maker.GenRelinearizationKeyNew(secret), nil
		case "keygen_rotate":
			return maker.GenGaloisKeyNew(params.GaloisElement(1), secret), nil
		}
		return maker.GenEvaluationKeyNew(secret, other), nil
	}
}

// step is what is timed of an operation; its operands are made here.
func (b *bench) step(t *timedItem) (step, error) {
	if err := b.prepare(t.Operation); err != nil {
		return nil, err
	}
	if action, known := applied[t.Operation]; known {
		o, args, plain := b.operation(action)
		return func() (any, error) { return b.backend.apply(o, args, plain) }, nil
	}
	params, evaluator := b.backend.rlwe(), b.backend.keySwitcher()
	switch t.Operation {
	case "encode":
		return func() (any, error) { return b.backend.encode(b.x, b.level) }, nil
	case "decode":
		return func() (any, error) { return b.backend.decode(b.decrypted, b.slots) }, nil
	case "encrypt":
		return func() (any, error) { return b.public.EncryptNew(b.plain) }, nil
	case "encrypt_secret":
		return func() (any, error) { return b.symmetric.EncryptNew(b.plain) }, nil
	case "encode_encrypt":
		return func() (any, error) { return b.fresh(b.x) }, nil
	case "decrypt":
		return func() (any, error) { return b.decryptor.DecryptNew(b.a), nil }, nil
	case "decrypt_decode":
		return func() (any, error) { return b.backend.decode(b.decryptor.DecryptNew(b.a), b.slots) }, nil
	case "rotate_hoist":
		return func() (any, error) { return b.turned(digitsOf(evaluator, params, b.a)) }, nil
	case "rotate_hoisted":
		return func() (any, error) { return b.turned(b.digits) }, nil
	}
	return func() (any, error) { // key_switch
		out := rlwe.NewCiphertext(params, 1, b.a.Level())
		return out, evaluator.ApplyEvaluationKey(b.a, b.switching, out)
	}, nil
}

func (b *bench) fresh(values array) (*rlwe.Ciphertext, error) {
	plain, err := b.backend.encode(values, b.level)
	if err != nil {
		return nil, err
	}
	return b.public.EncryptNew(plain)
}

func (b *bench) turned(digits []ringqp.Poly) (*rlwe.Ciphertext, error) {
	params := b.backend.rlwe()
	out := rlwe.NewCiphertext(params, 1, b.a.Level())
	return out, b.backend.keySwitcher().AutomorphismHoisted(b.a.Level(), b.a, digits, params.GaloisElement(1), out)
}

// operation is an action of programs with its operands on the bench.
func (b *bench) operation(action string) (*operation, []*rlwe.Ciphertext, *operand) {
	o, args := &operation{Action: action, Level: b.level}, []*rlwe.Ciphertext{b.a}
	switch action {
	case "add", "sub", "mul":
		args = append(args, b.b)
	case "relinearize":
		args[0] = b.product
	case "rescale":
		args[0] = b.low
	case "drop":
		o.Level--
	case "rotate":
		o.Steps = 1
	case "add_plain", "mul_plain":
		return o, args, b.vector
	case "add_scalar", "mul_scalar":
		return o, args, b.scalar
	}
	return o, args, nil
}

// prepare makes the operands of an operation, as far as they are not there yet.
func (b *bench) prepare(operation string) (err error) {
	if b.plain == nil {
		if b.plain, err = b.backend.encode(b.x, b.level); err != nil {
			return err
		}
		if b.a, err = b.public.EncryptNew(b.plain); err != nil {
			return err
		}
		if b.b, err = b.fresh(b.y); err != nil {
			return err
		}
		b.decrypted = b.decryptor.DecryptNew(b.a)
	}
	if needed := operation == "relinearize" || operation == "rescale"; needed && b.product == nil {
		o, args, _ := b.operation("mul")
		if b.product, err = b.backend.apply(o, args, nil); err != nil {
			return err
		}
	}
	if operation == "rescale" && b.low == nil {
		o, args, _ := b.operation("relinearize")
		if b.low, err = b.backend.apply(o, args, nil); err != nil {
			return err
		}
	}
	if operation == "rotate_hoisted" && b.digits == nil {
		b.digits = digitsOf(b.backend.keySwitcher(), b.backend.rlwe(), b.a)
	}
	return nil
}

// values are what a result stands for: decrypted and decoded, as far as it is not yet.
func (b *bench) values(operation string, made any) (array, error) {
	decryptor := b.decryptor
	if operation == "key_switch" {
		decryptor = b.other
	}
	switch found := made.(type) {
	case array:
		return found, nil
	case *rlwe.Plaintext:
		return b.backend.decode(found, b.slots)
	case *rlwe.Ciphertext:
		return b.backend.decode(decryptor.DecryptNew(found), b.slots)
	}
	return array{}, fmt.Errorf("%s made %T", operation, made)
}

// sizes are bytes of a plaintext and a ciphertext at the highest level, and of one key of each kind.
func (b *bench) sizes(keys *keySet, answer *timedItems) error {
	top := 0
	for _, one := range answer.Items {
		top = max(top, one.Level)
	}
	here := *b
	here.level = b.backend.limbLevel(top)
	if err := here.prepare("encrypt"); err != nil {
		return err
	}
	answer.Sizes = map[string]int{
		"plaintext": here.plain.BinarySize(), "ciphertext": here.a.BinarySize(),
		"public_key": keys.public.BinarySize(), "secret_key": keys.secret.BinarySize(),
	}
	if b.switching != nil {
		answer.Sizes["switching_key"] = b.switching.BinarySize()
	}
	if keys.relinearization != nil {
		answer.Sizes["relinearization_key"] = keys.relinearization.BinarySize()
	}
	if len(keys.galois) > 0 {
		answer.Sizes["rotation_key"] = keys.galois[0].BinarySize()
	}
	if keys.bootstrapping != nil {
		answer.Sizes["bootstrap_keys"] = keys.bootstrapping.BinarySize()
	}
	return nil
}
