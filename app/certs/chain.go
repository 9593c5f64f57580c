package certs

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"strings"
	"time"
)

// chain is a certificate with all that is sent beside it.
type chain struct {
	links    []*x509.Certificate // the leaf first
	whole    *tls.Certificate
	obtained time.Time // zero for files
}

// parseChain reads a chain and its key, both PEM, which must be for the host.
func parseChain(certificate, key []byte, host string) (*chain, error) {
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("%s; both must be PEM, and the key must be the first certificate's own", strings.TrimPrefix(err.Error(), "tls: "))
	}
	c := &chain{whole: &pair}
	for i, der := range pair.Certificate {
		link, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, fmt.Errorf("certificate %d cannot be read: %w", i+1, err)
		}
		if i > 0 && !bytes.Equal(c.links[i-1].RawIssuer, link.RawSubject) {
			return nil, fmt.Errorf("certificate %d did not issue the one before it; put the certificate of the host first, then its issuer, then that one's", i+1)
		}
		c.links = append(c.links, link)
	}
	if err := c.leaf().VerifyHostname(host); err != nil {
		return nil, fmt.Errorf("the first certificate is for %s, not for %s", strings.Join(c.leaf().DNSNames, ", "), host)
	}
	return c, nil
}

// CheckPair tells what is wrong with a certificate and a key, both PEM, as those of a host.
func CheckPair(certificate, key []byte, host string) error {
	_, err := parseChain(certificate, key, host)
	return err
}

func (c *chain) leaf() *x509.Certificate { return c.links[0] }

// lone tells that nothing is sent beside a leaf that somebody else issued, so that many senders cannot verify it.
func (c *chain) lone() bool {
	return len(c.links) == 1 && !bytes.Equal(c.leaf().RawIssuer, c.leaf().RawSubject)
}

// served is what a sender gets at an instant. A link that has ended is left out: it makes some senders refuse a
// chain that is good without it. The leaf always goes out, for some senders do not look at its dates.
func (c *chain) served(now time.Time) *tls.Certificate {
	if !c.linkEnded(now) {
		return c.whole
	}
	short := *c.whole
	short.Certificate = nil
	for i, link := range c.links {
		if i == 0 || !now.After(link.NotAfter) {
			short.Certificate = append(short.Certificate, link.Raw)
		}
	}
	return &short
}

// linkEnded tells whether a certificate beside the leaf has ended.
func (c *chain) linkEnded(now time.Time) bool {
	for _, link := range c.links[1:] {
		if now.After(link.NotAfter) {
			return true
		}
	}
	return false
}

// ends is when the first of the certificates that are served ends.
func (c *chain) ends(now time.Time) time.Time {
	end := c.leaf().NotAfter
	for _, link := range c.links[1:] {
		if !now.After(link.NotAfter) && link.NotAfter.Before(end) {
			end = link.NotAfter
		}
	}
	return end
}

func (c *chain) lifetime() time.Duration { return c.leaf().NotAfter.Sub(c.leaf().NotBefore) }
