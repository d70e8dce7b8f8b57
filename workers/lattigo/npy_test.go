package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestArraysSurviveARoundTrip(t *testing.T) {
	for _, given := range []array{
		{shape: []int{2, 3}, floats: []float64{0, -1.5, math.Inf(1), math.Copysign(0, -1), 1e-300, math.MaxFloat64}},
		{shape: []int{3}, ints: []int64{math.MinInt64, -1, math.MaxInt64}},
		{shape: []int{0, 4, 2}, floats: []float64{}},
		{shape: []int{1, 1, 1}, ints: []int64{7}},
	} {
		var file bytes.Buffer
		if err := writeNpy(&file, given); err != nil {
			t.Fatal(err)
		}
		got, err := readNpy(&file)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, given) {
			t.Errorf("wrote %v, read %v", given, got)
		}
	}
}

func TestDataStartsAtAMultipleOf64Bytes(t *testing.T) {
	for width := 1; width < 1e12; width *= 10 {
		var file bytes.Buffer
		if err := writeNpy(&file, array{shape: []int{0, width}, ints: []int64{}}); err != nil {
			t.Fatal(err)
		}
		if file.Len()%64 != 0 || !strings.HasSuffix(file.String(), "\n") {
			t.Errorf("width %d: the header has %d bytes", width, file.Len())
		}
	}
}

// The bytes are what numpy 2 writes for np.save of np.array([[1, -2]]).
func TestFilesAreWhatNumpyWrites(t *testing.T) {
	header := "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2), }"
	header += strings.Repeat(" ", 128-10-len(header)-1) + "\n"
	file := "\x93NUMPY\x01\x00\x76\x00" + header + "\x01\x00\x00\x00\x00\x00\x00\x00\xfe\xff\xff\xff\xff\xff\xff\xff"
	got, err := readNpy(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if want := (array{shape: []int{1, 2}, ints: []int64{1, -2}}); !reflect.DeepEqual(got, want) {
		t.Errorf("read %v, not %v", got, want)
	}
}

func TestWhatIsNoArrayIsAnError(t *testing.T) {
	header := func(text string) string { return "\x93NUMPY\x01\x00" + string(rune(len(text))) + "\x00" + text }
	for name, file := range map[string]string{
		"empty":         "",
		"another file":  "PK\x03\x04 and so on",
		"Fortran order": header("{'descr': '<f8', 'fortran_order': True, 'shape': (1,), }"),
		"other element": header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }") + "12345678",
		"cut short":     header("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }") + "12345678",
	} {
		if _, err := readNpy(strings.NewReader(file)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

func TestMissingFilesAreErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	if _, err := readNpyFile(missing); !os.IsNotExist(err) {
		t.Errorf("a missing .npy: %v", err)
	}
	if _, err := readNpzFile(missing); err == nil {
		t.Error("a missing .npz was read")
	}
}
