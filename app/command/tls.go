package command

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"time"

	"nodrop/app/certs"
	"nodrop/app/config"
	"nodrop/store"
)

// sites are the host names that are served by TLS.
func sites(c *config.Config) (list []certs.Site) {
	if c.Public.Hostname != "" {
		list = append(list, certs.Site{Host: c.Public.Hostname, Listener: "public", Certificate: c.Public.Certificate, PrivateKey: c.Public.PrivateKey})
	}
	if c.Private.Hostname != "" {
		list = append(list, certs.Site{Host: c.Private.Hostname, Listener: "private", Certificate: c.Private.Certificate, PrivateKey: c.Private.PrivateKey})
	}
	return list
}

// Certificates makes the keeper of the certificates that a configuration asks for, with those that are there already.
func (e *Env) Certificates(ctx context.Context, c *config.Config, db *store.DB) (*certs.Keeper, error) {
	key, err := c.ACME.HMAC()
	if err != nil {
		return nil, Wrong("configuration %s: acme.key: %v", c.Path, err)
	}
	acme := certs.ACME{Directory: c.ACME.Directory, Email: c.ACME.Email, KeyID: c.ACME.KeyID, Key: key}
	if c.ACME.Authority != "" {
		acme.Roots = []byte(c.ACME.Authority)
	}
	keeper := certs.New(certs.Options{Store: db, Sites: sites(c), ACME: acme, Now: e.Now, Random: e.Random, Log: e.Log, ReadFile: os.ReadFile})
	return keeper, keeper.Load(ctx)
}

// addresses says where the two listeners are reached, and by which certificates.
func (e *Env) addresses(c *config.Config) string {
	var b strings.Builder
	b.WriteString("addresses\n")
	point(&b, "hooks", PublicURL(c, c.Public.Listen)+"/hooks/NAME"+proxied(c))
	point(&b, "pages", PrivateURL(c, c.Private.Listen)+"/ and the API below /v1/")
	for _, s := range sites(c) {
		if s.Certificate == "" {
			point(&b, "by ACME", s.Host+": a certificate of "+c.ACME.Directory+", asked for by `nodrop serve`, kept in the database, renewed in time; using it means to agree to its terms")
			continue
		}
		point(&b, "by file", s.Host+": "+s.Certificate+", read again when it changes"+e.judged(s))
	}
	if c.ByACME() {
		point(&b, "port 80", "must lead to "+c.ACME.Listen+" of this machine, for the authority; hooks that come there are refused")
	}
	return b.String()
}

// proxied says what a public listener without TLS needs.
func proxied(c *config.Config) string {
	if c.Public.Hostname != "" {
		return ""
	}
	return ", without TLS: put a proxy with a certificate in front, or set hostname"
}

// judged says until when the certificate in a file holds.
func (e *Env) judged(s certs.Site) string {
	keeper := certs.New(certs.Options{Sites: []certs.Site{s}, Now: e.Now, Log: slog.New(slog.DiscardHandler), ReadFile: os.ReadFile})
	if err := keeper.Load(context.Background()); err != nil {
		return "; " + err.Error()
	}
	st := keeper.Statuses()[0]
	end := time.UnixMilli(st.EndsMs).UTC().Format(time.DateOnly)
	switch st.Trouble {
	case certs.Missing:
		return "; it cannot be used: " + st.Error
	case certs.Ended:
		return "; it ended on " + end + ": put a new one there"
	case certs.Ending:
		return "; it ends on " + end + ": put a new one there soon"
	case certs.Link:
		return "; it ends on " + end + ", and another certificate in the chain has ended: have the chain made anew"
	}
	return "; it ends on " + end
}

// PublicURL is where gateways reach a server with this configuration that listens on the given address.
func PublicURL(c *config.Config, listen string) string {
	if c.Public.Hostname != "" {
		return "https://" + c.Public.Hostname
	}
	return "http://" + anywhere(listen)
}
