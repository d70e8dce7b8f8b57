package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// array is a vector or matrix, in rows, of float64 or of int64: the other slice is nil.
type array struct {
	shape  []int
	floats []float64
	ints   []int64
}

// row is the i-th vector of a matrix.
func (a array) row(i int) array {
	width := a.shape[len(a.shape)-1]
	part := array{shape: []int{width}}
	if a.floats != nil {
		part.floats = a.floats[i*width : (i+1)*width]
	} else {
		part.ints = a.ints[i*width : (i+1)*width]
	}
	return part
}

func (a array) len() int { return len(a.floats) + len(a.ints) }

var (
	magic      = []byte("\x93NUMPY")
	headerKeys = regexp.MustCompile(`'descr':\s*'([^']*)',\s*'fortran_order':\s*(True|False),\s*'shape':\s*\(([^)]*)\)`)
)

// readNpy reads a little-endian float64 or int64 array in C order.
func readNpy(source io.Reader) (array, error) {
	header, err := readNpyHeader(source)
	if err != nil {
		return array{}, err
	}
	fields := headerKeys.FindStringSubmatch(header)
	if fields == nil || fields[2] == "True" {
		return array{}, fmt.Errorf("not an array in C order: %q", header)
	}
	shape, err := parseShape(fields[3])
	if err != nil {
		return array{}, err
	}
	return readNpyData(source, fields[1], shape)
}

func readNpyHeader(source io.Reader) (string, error) {
	prefix := make([]byte, 8)
	if _, err := io.ReadFull(source, prefix); err != nil || !bytes.Equal(prefix[:6], magic) {
		return "", fmt.Errorf("not in .npy format")
	}
	width := 2 // of the header's length, in version 1 of the format; 4 in those that follow
	if prefix[6] > 1 {
		width = 4
	}
	length := make([]byte, 4)
	if _, err := io.ReadFull(source, length[:width]); err != nil {
		return "", err
	}
	header := make([]byte, binary.LittleEndian.Uint32(length))
	_, err := io.ReadFull(source, header)
	return string(header), err
}

func parseShape(text string) ([]int, error) {
	shape := []int{}
	for _, word := range strings.Split(text, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		length, err := strconv.Atoi(word)
		if err != nil || length < 0 {
			return nil, fmt.Errorf("shape (%s) cannot be read", text)
		}
		shape = append(shape, length)
	}
	return shape, nil
}

func readNpyData(source io.Reader, kind string, shape []int) (array, error) {
	count := 1
	for _, length := range shape {
		count *= length
	}
	raw := make([]byte, 8*count)
	if _, err := io.ReadFull(source, raw); err != nil {
		return array{}, fmt.Errorf("the array's data is cut short: %w", err)
	}
	a := array{shape: shape}
	switch kind {
	case "<f8":
		a.floats = make([]float64, count)
		for i := range a.floats {
			a.floats[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		}
	case "<i8":
		a.ints = make([]int64, count)
		for i := range a.ints {
			a.ints[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
		}
	default:
		return array{}, fmt.Errorf("element type %s; possible are <f8 and <i8", kind)
	}
	return a, nil
}

func readNpyFile(path string) (array, error) {
	file, err := os.Open(path)
	if err != nil {
		return array{}, err
	}
	defer file.Close()
	a, err := readNpy(file)
	if err != nil {
		return array{}, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

// readNpzFile reads every array of a .npz archive by its name.
func readNpzFile(path string) (map[string]array, error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer archive.Close()
	arrays := map[string]array{}
	for _, entry := range archive.File {
		if arrays[strings.TrimSuffix(entry.Name, ".npy")], err = readNpzEntry(entry); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, entry.Name, err)
		}
	}
	return arrays, nil
}

func readNpzEntry(entry *zip.File) (array, error) {
	source, err := entry.Open()
	if err != nil {
		return array{}, err
	}
	defer source.Close()
	return readNpy(source)
}

// writeNpy writes version 1.0 of the format; the data starts at a multiple of 64 bytes.
func writeNpy(target io.Writer, a array) error {
	lengths := make([]string, len(a.shape))
	for i, length := range a.shape {
		lengths[i] = strconv.Itoa(length) + ","
	}
	kind, data := "<f8", any(a.floats)
	if a.floats == nil {
		kind, data = "<i8", any(a.ints)
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, strings.Join(lengths, " "))
	header += strings.Repeat(" ", 63-(len(header)+10)%64) + "\n"
	prefix := append(append([]byte{}, magic...), 1, 0, byte(len(header)), byte(len(header)>>8))
	if _, err := target.Write(append(prefix, header...)); err != nil {
		return err
	}
	return binary.Write(target, binary.LittleEndian, data)
}

func writeNpyFile(path string, a array) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	var buffer bytes.Buffer
	if err := writeNpy(&buffer, a); err != nil {
		return err
	}
	return os.WriteFile(path, buffer.Bytes(), 0o666)
}
