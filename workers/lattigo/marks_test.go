package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMarksKeepTheOrderOfPhasesAndRisingCounts(t *testing.T) {
	m := &marks{}
	m.begin("context", unknown)
	pages := make([]byte, 64<<20)
	for i := 0; i < len(pages); i += 4096 {
		pages[i] = 1
	}
	m.begin("other", unknown)
	first, last := m.rows[:markWidth], m.rows[markWidth:]
	if first[0] != 0 || last[0] != 5 || last[2] <= first[2] {
		t.Fatalf("phases or clocks are wrong: %v, %v", first, last)
	}
	if touched := last[4] - first[4]; touched < 16 { // 32 huge pages, or 16384 small ones
		t.Errorf("64 MiB of new memory took %d page faults", touched)
	}
}

func TestACounterThatCannotBeReadIsUnknown(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	m := &marks{events: []int{int(null.Fd()), 1 << 20}}
	m.begin("keygen", 0)
	for _, value := range m.rows[markWidth:] {
		if value != unknown {
			t.Errorf("got %d", value)
		}
	}
	if path, err := m.write(t.TempDir()); err != nil || filepath.Base(path) != "marks.npy" {
		t.Errorf("%q, %v", path, err)
	}
}

func TestWithoutMarksNothingIsWritten(t *testing.T) {
	var none *marks
	none.begin("keygen", 0)
	if path, err := none.write(t.TempDir()); path != "" || err != nil {
		t.Errorf("%q, %v", path, err)
	}
}
