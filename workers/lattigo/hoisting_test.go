package main

import "testing"

// With any number of special primes rotations that share digits are those that stand alone, to the last bit.
func TestRotationsThatShareDigitsAreThoseThatStandAlone(t *testing.T) {
	for _, scheme := range []string{"ckks", "bgv", "bfv"} {
		for _, special := range [][]int{{}, {60}, {60, 60}, {60, 60, 60}} {
			params := insecure(t, scheme)
			params.LogP = special
			e := ready(t, params, turning(scheme), turned(scheme), nil)
			if _, err := e.once(0); err != nil {
				t.Fatal(err)
			}
			for _, pair := range [][2]int{{1, 4}, {2, 5}, {3, 6}} {
				if !e.values[pair[0]].Equal(e.values[pair[1]]) {
					t.Errorf("%s, %d special primes: values %v differ", scheme, len(special), pair)
				}
			}
			if len(e.digits) > 0 {
				t.Errorf("%s: digits are left", scheme)
			}
		}
	}
}

// turning rotates value 0 by 1, 2 and 3, sharing digits and then alone.
func turning(scheme string) *program {
	p := &program{Scheme: scheme, Slots: 4, Levels: 3, Rotations: []int{1, 2, 3}}
	p.Operations = []operation{{Action: "encrypt", Level: 3, Source: "x"}}
	for i, mark := range []hoist{first, next, last, alone, alone, alone} {
		o := operation{Action: "rotate", Out: i + 1, Args: []int{0}, Level: 3, Steps: i%3 + 1, Hoist: mark}
		p.Operations = append(p.Operations, o)
	}
	return p
}

func turned(scheme string) map[string]array {
	if scheme == "ckks" {
		return map[string]array{"x": floats(1, 2, 3, 4)}
	}
	return map[string]array{"x": ints(1, 2, 3, 4)}
}

func TestMarksThatDoNotPairAreRefused(t *testing.T) {
	for _, marks := range [][]hoist{{next}, {last}, {first, first}, {first}, {first, last, next}, {"second"}} {
		p := &program{}
		for _, mark := range marks {
			p.Operations = append(p.Operations, operation{Action: "rotate", Args: []int{0}, Hoist: mark})
		}
		if checkHoists(p) == nil {
			t.Errorf("%q is taken", marks)
		}
	}
}
