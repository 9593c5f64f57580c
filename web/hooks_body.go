package web

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
)

// refusal is an answer to a request of which nothing is stored.
type refusal struct {
	status        int
	text          string
	header, value string // one more header
}

// The refusals of a hook. After some of them the rest of the body is not read, so the connection ends.
var (
	emptyBody       = &refusal{status: http.StatusBadRequest, text: "the body is empty\n"}
	brokenBody      = &refusal{http.StatusBadRequest, "the body cannot be read\n", "Connection", "close"}
	slowBody        = &refusal{http.StatusRequestTimeout, "the body took too long\n", "Connection", "close"}
	largeBody       = &refusal{http.StatusRequestEntityTooLarge, "the body is too large\n", "Connection", "close"}
	unknownEncoding = &refusal{http.StatusUnsupportedMediaType, "send the body plain or as gzip\n", "Accept-Encoding", "gzip"}
	noRoom          = &refusal{status: http.StatusServiceUnavailable}
)

var errNoMemory = errors.New("too many bodies are being read at once")

const (
	firstChunk = 4 << 10  // where the length is not known
	sureChunk  = 64 << 10 // believed at once of an announced length
)

// bodyReader reads one hook's body within the limits of size and memory. Signatures cover
// the body before its transport was compressed, so a gzip body is unpacked here.
type bodyReader struct {
	w      http.ResponseWriter
	limit  int64
	memory *budget
	held   int64
}

func (b *bodyReader) release() { b.memory.give(b.held) }

// read gives the whole body, or the answer when there is none to store.
func (b *bodyReader) read(r *http.Request) ([]byte, *refusal) {
	packed, known := encoding(r.Header)
	switch {
	case !known:
		return nil, unknownEncoding
	case r.ContentLength > b.limit:
		return nil, largeBody
	case packed:
		return b.unpack(r)
	}
	return b.drain(r.Body, r.ContentLength)
}

// encoding tells whether a body is packed with gzip; known is false for anything that cannot be undone.
func encoding(h http.Header) (packed, known bool) {
	values := h["Content-Encoding"]
	if len(values) == 0 {
		return false, true
	}
	switch strings.ToLower(strings.TrimSpace(strings.Join(values, ","))) {
	case "", "identity":
		return false, true
	case "gzip", "x-gzip":
		return true, true
	}
	return false, false
}

func (b *bodyReader) unpack(r *http.Request) ([]byte, *refusal) {
	// The packed side has a limit of its own: endless empty blocks would give no output to count.
	z, err := gzip.NewReader(http.MaxBytesReader(b.w, r.Body, b.limit))
	if errors.Is(err, io.EOF) {
		return nil, emptyBody
	}
	if err != nil {
		return nil, readFailure(err)
	}
	return b.drain(z, -1)
}

// drain reads to the end, into one buffer of the right size where the size is announced.
func (b *bodyReader) drain(src io.Reader, size int64) ([]byte, *refusal) {
	if size == 0 {
		return nil, emptyBody
	}
	var buf []byte
	for {
		if len(buf) == cap(buf) {
			grown, ok := b.grow(buf, size)
			if !ok {
				return nil, noRoom
			}
			buf = grown
		}
		n, err := src.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > b.limit:
			return nil, largeBody
		case err == io.EOF && len(buf) == 0:
			return nil, emptyBody
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return nil, readFailure(err)
		}
	}
}

// grow gives a larger buffer, paid for from the memory that all hooks share.
func (b *bodyReader) grow(buf []byte, size int64) ([]byte, bool) {
	want := max(2*int64(cap(buf)), firstChunk)
	if size > int64(len(buf)) {
		want = min(size, max(want, sureChunk))
	}
	want = min(want, b.limit+1)
	if !b.memory.take(want) {
		return nil, false
	}
	b.held += want
	grown := make([]byte, len(buf), want)
	copy(grown, buf)
	return grown, true
}

func readFailure(err error) *refusal {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return largeBody
	case errors.Is(err, os.ErrDeadlineExceeded):
		return slowBody
	}
	return brokenBody
}
