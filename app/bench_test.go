package app

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

// smartpay is the engine that testdata/bench.toml describes, on a database of its own.
func smartpay(b *testing.B) *Engine {
	b.Helper()
	path := filepath.Join(b.TempDir(), "nodrop.db")
	db, err := store.Open(b.Context(), path, store.Options{Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	c, err := config.Load("../testdata/bench.toml", config.Env{Getenv: os.LookupEnv, ReadFile: os.ReadFile})
	if err != nil {
		b.Fatal(err)
	}
	e, err := New(Options{Store: db, Config: c, Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	if err := e.begin(b.Context()); err != nil {
		b.Fatal(err)
	}
	return e
}

// smartpayNotice is a signed notice like those of the load generator.
func smartpayNotice(id string) gateway.Request {
	body := []byte(`{"gateway_ref":"` + id + `","merchant_ref":"ORDER_` + id + `","status":"SUCCESS","amount":"1250.00","currency":"PHP","merchant_id":"M_BENCH","paid_at":"2026-11-30T08:00:00+08:00","payer":{"channel":"GCASH","masked":"0917****123"},"remark":"` + strings.Repeat("x", 400) + `"}`)
	mac := hmac.New(sha256.New, []byte("bench-secret"))
	mac.Write(body)
	return gateway.Request{Method: "POST", Target: "/hooks/smartpay", Header: http.Header{"Content-Type": {"application/json"}, "X-Signature": {hex.EncodeToString(mac.Sum(nil))}}, Body: body, At: time.Now(), RemoteIP: "127.0.0.1"}
}

// eachOf64 runs f for i in [0, n) from 64 callers at once.
func eachOf64(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				f(int(i))
			}
		})
	}
	wg.Wait()
}

// BenchmarkAccept stores notices from 64 callers; no worker runs.
func BenchmarkAccept(b *testing.B) {
	e := smartpay(b)
	b.ResetTimer()
	eachOf64(b.N, func(i int) {
		if ack, err := e.Accept(b.Context(), "smartpay", smartpayNotice(fmt.Sprintf("A-%d", i))); err != nil || string(ack.Body) != "SUCCESS" {
			b.Errorf("%q, %v", ack.Body, err)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "accepted/s")
}

// BenchmarkPipeline applies stored notices to registered payments: facts, standing, history, outbox.
func BenchmarkPipeline(b *testing.B) {
	e := smartpay(b)
	eachOf64(b.N, func(i int) {
		id := fmt.Sprintf("P-%d", i)
		if _, _, err := e.Register(b.Context(), Registration{Gateway: "smartpay", MerchantRef: "ORDER_" + id, Amount: "1250.00", Currency: "PHP"}); err != nil {
			b.Error(err)
		}
		if _, err := e.Accept(b.Context(), "smartpay", smartpayNotice(id)); err != nil {
			b.Error(err)
		}
	})
	b.ResetTimer()
	for done := 0; done < b.N; {
		n, err := e.processOnce(b.Context())
		if err != nil || n == 0 {
			b.Fatal(n, err)
		}
		done += n
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "applied/s")
}
