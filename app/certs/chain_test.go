package certs

import (
	"crypto/tls"
	"crypto/x509"
	"strings"
	"testing"
	"time"
)

// two authorities of one case: a new root, and an old one that once signed the new one's key too.
func TestEndedLinkIsLeftOut(t *testing.T) {
	long := span{start.AddDate(-5, 0, 0), start.AddDate(10, 0, 0)}
	root := (*signer)(nil).make(t, "New Root", nil, long)
	old := (*signer)(nil).make(t, "Old Root", nil, long)
	crossed := old.make(t, "New Root", root.key, span{long.from, time.Date(2031, 5, 30, 0, 0, 0, 0, time.UTC)})
	issuer := root.make(t, "Issuer", nil, long)
	leaf := issuer.leaf(t, "pay.example.com", span{start, time.Date(2031, 12, 1, 0, 0, 0, 0, time.UTC)})

	b := newBench(t, time.Date(2031, 5, 8, 0, 0, 0, 0, time.UTC), Options{Sites: []Site{{Host: "pay.example.com", Listener: "public", Certificate: "chain.pem", PrivateKey: "key.pem"}}})
	b.files["chain.pem"], b.files["key.pem"] = chainPEM(leaf, issuer, crossed), leaf.keyPEM(t)
	b.load(t)
	for _, c := range []struct {
		at      time.Time
		served  int
		ends    time.Time
		trouble Trouble
		urgent  bool
	}{
		{time.Date(2031, 5, 8, 0, 0, 0, 0, time.UTC), 3, crossed.link.NotAfter, Fine, false},    // 22 days before
		{time.Date(2031, 5, 10, 0, 0, 0, 0, time.UTC), 3, crossed.link.NotAfter, Ending, false}, // 20 days
		{time.Date(2031, 5, 24, 0, 0, 0, 0, time.UTC), 3, crossed.link.NotAfter, Ending, true},  // 6 days
		{time.Date(2031, 5, 30, 0, 0, 1, 0, time.UTC), 2, leaf.link.NotAfter, Link, false},      // over by a second
		{time.Date(2031, 11, 20, 0, 0, 0, 0, time.UTC), 2, leaf.link.NotAfter, Ending, false},
		{time.Date(2031, 12, 2, 0, 0, 0, 0, time.UTC), 2, leaf.link.NotAfter, Ended, true},
	} {
		b.clock.at = c.at
		if st := b.status(t); st.EndsMs != c.ends.UnixMilli() || st.Trouble != c.trouble || st.Urgent != c.urgent {
			t.Errorf("%s: %+v, want trouble %q, urgent %v, end %s", c.at, st, c.trouble, c.urgent, c.ends)
		}
		state, err := b.shake(t, b.TLS("public"), &tls.Config{ServerName: "pay.example.com", RootCAs: pool(root), InsecureSkipVerify: c.trouble == Ended})
		if err != nil || len(state.PeerCertificates) != c.served {
			t.Errorf("%s: %d certificates served, want %d; %v", c.at, len(state.PeerCertificates), c.served, err)
		}
	}
}

func TestSenderThatNamesNoHostGetsTheSameCertificate(t *testing.T) {
	root := (*signer)(nil).make(t, "Root", nil, span{start, start.AddDate(10, 0, 0)})
	b := newBench(t, start, Options{Sites: []Site{
		{Host: "admin.example.com", Listener: "private", Certificate: "admin.pem", PrivateKey: "admin.key"},
		{Host: "pay.example.com", Listener: "public", Certificate: "pay.pem", PrivateKey: "pay.key"},
	}})
	for file, host := range map[string]string{"admin": "admin.example.com", "pay": "pay.example.com"} {
		leaf := root.leaf(t, host, span{start, start.AddDate(0, 3, 0)})
		b.files[file+".pem"], b.files[file+".key"] = leaf.pem(), leaf.keyPEM(t)
	}
	b.load(t)
	for _, c := range []struct {
		listeners []string
		name      string // that the sender gives
		host      string // whose certificate it gets; "" for none
	}{
		{[]string{"public"}, "pay.example.com", "pay.example.com"},
		{[]string{"public"}, "", "pay.example.com"},
		{[]string{"public"}, "admin.example.com", ""},
		{[]string{"private"}, "", "admin.example.com"},
		{[]string{"public", "private"}, "", "pay.example.com"},
		{[]string{"public", "private"}, "admin.example.com", "admin.example.com"},
		{[]string{"public", "private"}, "PAY.example.com", "pay.example.com"},
		{[]string{"public", "private"}, "example.com", ""},
		{[]string{"public", "private"}, "evil.pay.example.com", ""},
	} {
		var got string
		client := &tls.Config{ServerName: c.name, InsecureSkipVerify: true, VerifyConnection: func(s tls.ConnectionState) error {
			got = s.PeerCertificates[0].DNSNames[0]
			_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{DNSName: got, Roots: pool(root), CurrentTime: start})
			return err
		}}
		if _, err := b.shake(t, b.TLS(c.listeners...), client); (err == nil) != (c.host != "") || got != c.host {
			t.Errorf("%v, asked for %q: the certificate of %q, want %q; %v", c.listeners, c.name, got, c.host, err)
		}
	}
}

func TestOldSendersAreServed(t *testing.T) {
	leaf := (*signer)(nil).leaf(t, "pay.example.com", span{start, start.AddDate(0, 3, 0)})
	b := newBench(t, start, Options{Sites: []Site{{Host: "pay.example.com", Listener: "public", Certificate: "c", PrivateKey: "k"}}})
	b.files["c"], b.files["k"] = leaf.pem(), leaf.keyPEM(t)
	b.load(t)
	for version, want := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		client := &tls.Config{ServerName: "pay.example.com", RootCAs: pool(leaf), MinVersion: version, MaxVersion: version, NextProtos: []string{"h2", "http/1.1"}}
		state, err := b.shake(t, b.TLS("public"), client)
		if (err == nil) != want {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
		if want && state.NegotiatedProtocol != "h2" {
			t.Errorf("%s: speaks %q", tls.VersionName(version), state.NegotiatedProtocol)
		}
	}
}

func TestPairsThatCannotBeServed(t *testing.T) {
	whole := span{start, start.AddDate(1, 0, 0)}
	root := (*signer)(nil).make(t, "Root", nil, whole)
	issuer := root.make(t, "Issuer", nil, whole)
	stranger := root.make(t, "Stranger", nil, whole)
	leaf := issuer.leaf(t, "pay.example.com", whole)
	for name, c := range map[string]struct {
		certificate, key []byte
		host, want       string
	}{
		"in order":        {chainPEM(leaf, issuer, root), leaf.keyPEM(t), "pay.example.com", ""},
		"another host":    {chainPEM(leaf, issuer), leaf.keyPEM(t), "admin.example.com", "is for pay.example.com, not for admin.example.com"},
		"another key":     {chainPEM(leaf, issuer), issuer.keyPEM(t), "pay.example.com", "the key must be the first certificate's own"},
		"upside down":     {chainPEM(issuer, leaf), leaf.keyPEM(t), "pay.example.com", "the key must be the first certificate's own"},
		"foreign issuer":  {chainPEM(leaf, stranger), leaf.keyPEM(t), "pay.example.com", "certificate 2 did not issue the one before it"},
		"no certificate":  {leaf.keyPEM(t), leaf.keyPEM(t), "pay.example.com", "both must be PEM"},
		"nothing at all":  {nil, nil, "pay.example.com", "both must be PEM"},
		"key without PEM": {chainPEM(leaf), []byte("secret-words"), "pay.example.com", "both must be PEM"},
	} {
		err := CheckPair(c.certificate, c.key, c.host)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret-words")) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestFilesAreReadAgainWhenTheyChange(t *testing.T) {
	root := (*signer)(nil).make(t, "Root", nil, span{start, start.AddDate(10, 0, 0)})
	first := root.leaf(t, "pay.example.com", span{start, start.Add(90 * day)})
	second := root.leaf(t, "pay.example.com", span{start.Add(60 * day), start.Add(150 * day)})
	b := newBench(t, start, Options{Sites: []Site{{Host: "pay.example.com", Listener: "public", Certificate: "c", PrivateKey: "k"}}})
	if b.load(t); b.status(t).Trouble != Missing {
		t.Errorf("without files: %+v", b.status(t))
	}
	b.files["c"], b.files["k"] = first.pem(), first.keyPEM(t)
	if wait := b.look(t.Context()); wait != time.Minute || b.status(t).EndsMs != first.link.NotAfter.UnixMilli() {
		t.Errorf("looks again in %s, %+v", wait, b.status(t))
	}
	if !strings.Contains(b.log.String(), "put the whole chain into it") {
		t.Errorf("a leaf alone draws no warning:\n%s", b.log)
	}
	b.clock.move(75 * day) // fifteen days before the end
	b.look(t.Context())
	if st := b.status(t); st.Trouble != Ending || st.Urgent {
		t.Errorf("files that end soon: %+v", st)
	}
	b.files["c"] = second.pem() // the key is not yet there
	b.look(t.Context())
	if st := b.status(t); st.EndsMs != first.link.NotAfter.UnixMilli() || !strings.Contains(st.Error, "the key must be") {
		t.Errorf("half replaced: %+v", st)
	}
	b.files["k"] = second.keyPEM(t)
	b.look(t.Context())
	if st := b.status(t); st.EndsMs != second.link.NotAfter.UnixMilli() || st.Error != "" || st.Trouble != Fine {
		t.Errorf("replaced: %+v", st)
	}
	state, err := b.shake(t, b.TLS("public"), &tls.Config{ServerName: "pay.example.com", RootCAs: pool(root)})
	if err != nil || !state.PeerCertificates[0].Equal(second.link) {
		t.Errorf("served %v, %v", state.PeerCertificates, err)
	}
	text := b.log.String()
	if strings.Count(text, "a certificate was read") != 2 || strings.Count(text, "cannot be used") != 2 || strings.Contains(text, "PRIVATE") {
		t.Errorf("log:\n%s", text)
	}
}
