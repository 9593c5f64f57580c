package gateway

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"testing"
)

// twoKilobytes pads a notice to 2,048 bytes with a field that nothing reads.
func twoKilobytes(body string) string {
	pad := 2048 - len(body) - len(`"remark":"",`)
	return strings.Replace(body, "{", `{"remark":"`+strings.Repeat("x", pad)+`",`, 1)
}

func BenchmarkRead(b *testing.B) {
	body := twoKilobytes(smartpayBody)
	box := twoKilobytes(sandboxPaid)
	for name, c := range map[string]struct {
		g *Gateway
		r Request
	}{
		"smartpay": {smartpay(b), post(body, "X-Signature", hex256("bench-secret", body))},
		"sandbox":  {sandbox(b, "s1"), sandboxNotice("s1", box, arrival)},
	} {
		b.Run(name, func(b *testing.B) {
			if rd := c.g.Read(c.r); rd.Verdict != Accepted {
				b.Fatalf("%s: %s", rd.Verdict, rd.Reason)
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(c.r.Body)))
			for b.Loop() {
				c.g.Read(c.r)
			}
		})
	}
}

func BenchmarkRefuse(b *testing.B) {
	body := twoKilobytes(smartpayBody)
	forged := make([]byte, 32)
	rand.Read(forged)
	g, r := smartpay(b), post(body, "X-Signature", hex.EncodeToString(forged))
	b.ReportAllocs()
	for b.Loop() {
		g.Read(r)
	}
}

// TestReadAllocatesLittle keeps the hot path of the intake from growing unnoticed.
func TestReadAllocatesLittle(t *testing.T) {
	body := twoKilobytes(smartpayBody)
	g, r := smartpay(t), post(body, "X-Signature", hex256("bench-secret", body))
	if n := testing.AllocsPerRun(200, func() { g.Read(r) }); n > 40 {
		t.Errorf("%.0f allocations, want at most 40", n)
	}
}
