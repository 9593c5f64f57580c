package web

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"nodrop/app/gateway"
)

// BenchmarkHook posts signed notices over real connections, 32 for each core, and waits for each acknowledgement.
func BenchmarkHook(b *testing.B) {
	l := newLabOn(b, slog.DiscardHandler)
	var ids atomic.Int64
	b.ReportAllocs()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		client := &http.Client{Transport: transport}
		for pb.Next() {
			if err := l.postNew(client, l.public.URL, ids.Add(1)); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkHookItself leaves out the connection and the engine: reading the body and writing the answer.
func BenchmarkHookItself(b *testing.B) {
	l := newLabOn(b, slog.DiscardHandler)
	def, _ := l.engine.Gateway("sandbox")
	body := l.notice("evt_1", "O", "paid", "1.00")
	ack := gateway.Ack{Status: 200, ContentType: "text/plain; charset=utf-8", Body: []byte("OK")}
	w := &discard{header: http.Header{}}
	r := httptest.NewRequest("POST", "/hooks/sandbox", nil)
	r.ContentLength = int64(len(body))
	src := &rewinder{body: body}
	r.Body = io.NopCloser(bufio.NewReaderSize(src, 4096))
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		src.at = 0
		h := &hook{s: l.server, w: w, r: r, name: "sandbox", def: def, at: l.now()}
		in := bodyReader{w: w, limit: l.server.maxBody, memory: &l.server.memory}
		raw, no := in.read(r)
		if no != nil || len(raw) != len(body) {
			b.Fatal(no)
		}
		_ = h.request(raw)
		h.ack(ack)
		in.release()
	}
}

func (l *lab) postNew(client *http.Client, url string, id int64) error {
	body := l.notice(fmt.Sprintf("evt_%d", id), fmt.Sprintf("O-%d", id), "paid", "1.00")
	r, err := http.NewRequest("POST", url+"/hooks/sandbox", &rewinder{body: body})
	if err != nil {
		return err
	}
	r.ContentLength = int64(len(body))
	r.Header.Set("Sandbox-Signature", l.signature(body))
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != 200 {
		return fmt.Errorf("%s, %w", res.Status, err)
	}
	return nil
}

// rewinder gives a body again and again, its end together with its last byte.
type rewinder struct {
	body []byte
	at   int
}

func (r *rewinder) Read(p []byte) (int, error) {
	n := copy(p, r.body[r.at:])
	if r.at += n; r.at == len(r.body) {
		return n, io.EOF
	}
	return n, nil
}

type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}
