// The Lattigo worker: executes lowered programs as they stand and returns every sample.
//
// It speaks version 1 of the protocol that workers/PROTOCOL.md describes: JSON lines on stdin and on the
// stdout it was born with.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

func main() {
	runtime.LockOSThread()  // thread CPU time is only then the time of the operations
	debug.SetGCPercent(-1)  // collections happen between operations alone: see collector
	runtime.GOMAXPROCS(1)   // until a plan says otherwise
	replies := keepStdout() // nothing that is printed from here on can corrupt a reply
	session := newSession(replies)
	session.reply(greeting())
	session.serve(os.Stdin)
}

// keepStdout returns the original stdout, and points fd 1 at stderr.
func keepStdout() *os.File {
	kept, err := unix.Dup(1)
	must(err)
	unix.CloseOnExec(kept)
	must(unix.Dup2(2, 1))
	return os.NewFile(uintptr(kept), "replies")
}

// session is one conversation: it lives as long as stdin.
type session struct {
	replies  *json.Encoder
	baseline int64 // resident bytes after start-up
}

func newSession(replies io.Writer) *session {
	encoder := json.NewEncoder(replies)
	encoder.SetEscapeHTML(false)
	return &session{replies: encoder, baseline: residentBytes()}
}

func (s *session) reply(message any) {
	must(s.replies.Encode(message))
}

// serve answers one request per line until the input ends. Lines may be of any length.
func (s *session) serve(input io.Reader) {
	lines := bufio.NewReaderSize(input, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			s.answer(line)
		}
		if errors.Is(err, io.EOF) {
			return
		}
		must(err)
	}
}

// answer replies to one line; what is refused leaves the session healthy.
func (s *session) answer(line []byte) {
	var request request
	reply, err := s.handle(line, &request)
	var refusal *refusal
	switch {
	case errors.As(err, &refusal):
		s.reply(refused{"refused", request.ID, refusal.kind, err.Error()})
	case err != nil:
		panic(err)
	default:
		s.reply(reply)
	}
}

func (s *session) handle(line []byte, request *request) (any, error) {
	if err := json.Unmarshal(line, request); err != nil {
		return nil, badRequest("the request cannot be read: %v", err)
	}
	switch request.Type {
	case "describe":
		return describe(request)
	case "run":
		return s.run(request)
	case "measure":
		return s.measure(request)
	}
	return nil, badRequest("unknown type %q; known are describe, run and measure", request.Type)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
