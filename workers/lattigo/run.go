package main

import (
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
)

// progressEvery is the least time between two messages about progress.
const progressEvery = 200 * time.Millisecond

// run executes a program as the plan says, writes its results and answers with every sample.
func (s *session) run(r *request) (any, error) {
	if err := checkProgram(r); err != nil {
		return nil, err
	}
	r.Plan.Threads.set()
	debug.FreeOSMemory() // what an earlier request left is no part of this one's peak
	resetPeak()
	answer := &measured{
		Type: "measured", ID: r.ID, Memory: memory{Baseline: s.baseline}, Threads: r.Plan.Threads.used(),
	}
	e, err := prepare(r, answer)
	if err != nil {
		return nil, err
	}
	keys, err := s.makeKeys(r, e, answer)
	if err != nil {
		return nil, err
	}
	if members := r.Plan.Threads.used(); members > 1 {
		e.hire(members)
		defer e.dismiss()
	}
	found, err := s.repeat(r, e, answer)
	if err != nil {
		return nil, err
	}
	return answer, conclude(r, e, keys, found, answer)
}

// prepare builds the context and loads what the program works on.
func prepare(r *request, answer *measured) (*executor, error) {
	e := &executor{program: &r.Program, collector: newCollector(r.Plan.Threads.byDefault)}
	if r.Counters != nil {
		e.marks = &marks{events: r.Counters}
	}
	e.marks.begin("context", unknown)
	took, err := timed(func() (err error) {
		e.backend, err = newBackend(r.Parameters)
		return err
	})
	if err != nil {
		return nil, err
	}
	e.marks.begin("other", unknown)
	answer.Phases.Context = []sample{took}
	if err := checkRing(e.program, e.backend); err != nil {
		return nil, err
	}
	debug.FreeOSMemory()
	answer.Memory.Context = residentBytes()
	params := e.backend.rlwe()
	answer.RingDimension, answer.Digits = params.N(), digits(params)
	answer.Q, answer.P = decimals(params.Q()), decimals(params.P())
	if e.inputs, err = loadInputs(r); err != nil {
		return nil, err
	}
	e.operands, err = loadOperands(e.program, e.backend)
	return e, err
}

// makeKeys makes the keys, as often as the plan wants samples of it; the last ones are used.
func (s *session) makeKeys(r *request, e *executor, answer *measured) (*keySet, error) {
	var keys *keySet
	total := max(r.Plan.Keygens, 1)
	for done := 0; done < total; done++ {
		keys = nil
		e.collector.collect()
		e.marks.begin("keygen", done)
		took, err := timed(func() (err error) {
			keys, err = generateKeys(e.backend, e.program)
			return err
		})
		if err != nil {
			return nil, err
		}
		e.marks.begin("other", done)
		answer.Phases.Keygen = append(answer.Phases.Keygen, took)
		s.reply(progress{"progress", r.ID, "keygen", done + 1, total})
	}
	e.equip(keys, r.Options)
	debug.FreeOSMemory()
	answer.Memory.Keys = residentBytes()
	return keys, nil
}

// equip gives the executor its keys; under wrong_key it decrypts with an unrelated one.
func (e *executor) equip(keys *keySet, wanted options) {
	params := e.backend.rlwe()
	keys.equip(e.backend)
	e.encryptor = rlwe.NewEncryptor(params, keys.public)
	secret := keys.secret
	if wanted.WrongKey {
		secret = unrelatedKey(params)
	}
	e.decryptor = rlwe.NewDecryptor(params, secret)
	e.keep = map[int]bool{}
	for _, vector := range e.program.Outputs {
		e.retain(vector)
	}
	e.noises = wanted.Noise
	if wanted.CheckInputs {
		for _, vector := range e.program.Inputs {
			e.retain(vector)
		}
	}
}

func (e *executor) retain(vector packed) {
	for _, number := range vector.Values {
		e.keep[number] = true
	}
}

// repeat warms up, then executes until both the plan's repetitions and its time are reached. The last repetition
// is returned, or all of them where every output is wanted.
func (s *session) repeat(r *request, e *executor, answer *measured) (found []*repetition, err error) {
	total, told := r.Plan.Warmup+max(r.Plan.Repetitions, 1), time.Time{}
	var started time.Time
	samples := array{shape: []int{0, len(e.program.Operations), 2}, floats: []float64{}}
	for done := 0; done < total || time.Since(started).Seconds() < r.Plan.MinSeconds; done++ {
		if done == r.Plan.Warmup {
			started = time.Now()
		}
		last, err := e.once(done)
		if err != nil {
			return nil, err
		}
		if done >= r.Plan.Warmup {
			answer.Phases.record(last)
			if !r.Options.EveryOutput {
				found = nil
			}
			found = append(found, last)
			samples.shape[0]++
			for _, took := range last.operations {
				samples.floats = append(samples.floats, took[:]...)
			}
		}
		if done+1 >= total || time.Since(told) > progressEvery {
			s.reply(progress{"progress", r.ID, "run", done + 1, max(total, done+1)})
			told = time.Now()
		}
	}
	if answer.Marks, err = e.marks.write(r.Folder); err != nil {
		return nil, err
	}
	answer.Samples = filepath.Join(r.Folder, "samples.npy")
	return found, writeNpyFile(answer.Samples, samples)
}

func (p *phases) record(r *repetition) {
	p.Encrypt = append(p.Encrypt, r.encrypt)
	p.Evaluate = append(p.Evaluate, r.evaluate)
	p.Decrypt = append(p.Decrypt, r.decrypt)
}

// conclude takes peak and sizes, then writes the outputs of the repetitions that were kept.
func conclude(r *request, e *executor, keys *keySet, found []*repetition, answer *measured) error {
	answer.Memory.Peak = peakBytes()
	answer.Sizes = sizes{RotationKeyCount: keys.count()}
	if r.Options.wantSizes() {
		answer.Sizes = keys.sizes()
		fresh := 0
		if e.fresh != nil {
			fresh = e.fresh.BinarySize()
		}
		answer.Sizes.Ciphertext = &fresh
	}
	if err := writeFound(r, found, answer); err != nil {
		return err
	}
	if r.Options.CheckInputs {
		return e.writeInputs(filepath.Join(r.Folder, "inputs_after"))
	}
	return nil
}

// writeFound writes outputs, and their noise where it was asked for.
func writeFound(r *request, found []*repetition, answer *measured) (err error) {
	outputs := make([]map[string]array, len(found))
	noises := make([]map[string]array, len(found))
	for i, one := range found {
		outputs[i], noises[i] = one.outputs, one.noise
	}
	if answer.Outputs, err = writeArrays(r, r.Folder, outputs); err != nil || !r.Options.Noise {
		return err
	}
	answer.Noise, err = writeArrays(r, filepath.Join(r.Folder, "noise"), noises)
	return err
}

// writeArrays writes each name's array; with the repetitions as first axis where every one's is wanted.
func writeArrays(r *request, folder string, found []map[string]array) (map[string]string, error) {
	paths := map[string]string{}
	for name, values := range found[len(found)-1] {
		if r.Options.EveryOutput {
			values = stacked(found, name)
		}
		paths[name] = filepath.Join(folder, name+".npy")
		if err := writeNpyFile(paths[name], values); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// stacked is one array of all repetitions' arrays of that name.
func stacked(found []map[string]array, name string) array {
	all := array{shape: append([]int{len(found)}, found[0][name].shape...)}
	for _, one := range found {
		all.floats = append(all.floats, one[name].floats...)
		all.ints = append(all.ints, one[name].ints...)
	}
	return all
}

// writeInputs decrypts every encrypted input as the evaluation left it.
func (e *executor) writeInputs(folder string) error {
	for _, vector := range e.program.Inputs {
		values, err := e.decrypt(vector)
		if err != nil {
			return err
		}
		if err := writeNpyFile(filepath.Join(folder, vector.Name+".npy"), values); err != nil {
			return err
		}
	}
	return nil
}
