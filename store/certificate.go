package store

// Certificate is a certificate for one of our own host names, as an authority gave it.
type Certificate struct {
	Directory  string // address of the authority's ACME directory
	Host       string
	Chain      string // PEM, the leaf first
	PrivateKey string // PEM
	ObtainedMs int64  // UTC milliseconds
}

// Certificate returns what an authority gave for a host name.
func (rx *Rx) Certificate(directory, host string) (c Certificate, ok bool, err error) {
	ok, err = rx.one(`SELECT directory, host, chain, private_key, obtained_ms FROM certificate WHERE directory = ? AND host = ?`,
		func(r *Row) {
			c = Certificate{Directory: r.Text(0), Host: r.Text(1), Chain: r.Text(2), PrivateKey: r.Text(3), ObtainedMs: r.Int(4)}
		}, directory, host)
	return c, ok, err
}

// SetCertificate keeps a certificate in the place of the last one; failures before it are forgotten.
func (tx *Tx) SetCertificate(c Certificate) error {
	_, err := tx.exec(`INSERT INTO certificate (directory, host, chain, private_key, obtained_ms) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (directory, host) DO UPDATE SET chain = excluded.chain, private_key = excluded.private_key, obtained_ms = excluded.obtained_ms`,
		c.Directory, c.Host, c.Chain, c.PrivateKey, c.ObtainedMs)
	if err != nil {
		return err
	}
	_, err = tx.exec(`DELETE FROM certificate_failure WHERE directory = ? AND host = ?`, c.Directory, c.Host)
	return err
}

// CertificateFailure is what went wrong with a certificate since the last success; instants are UTC milliseconds.
type CertificateFailure struct {
	Directory string
	Host      string
	Tries     int64 // in a row; 0: none failed
	FailedMs  int64 // the last of them
	NextMs    int64 // when the next is due
	Held      bool  // the authority itself named NextMs
	Error     string
}

// CertificateFailure returns the failures since the last success; none gives zero values.
func (rx *Rx) CertificateFailure(directory, host string) (f CertificateFailure, err error) {
	f.Directory, f.Host = directory, host
	_, err = rx.one(`SELECT tries, failed_ms, next_ms, held, error FROM certificate_failure WHERE directory = ? AND host = ?`,
		func(r *Row) {
			f.Tries, f.FailedMs, f.NextMs, f.Held, f.Error = r.Int(0), r.Int(1), r.Int(2), r.Int(3) == 1, r.Text(4)
		}, directory, host)
	return f, err
}

// NoteCertificateFailure writes the failures of a name in the place of what was known.
func (tx *Tx) NoteCertificateFailure(f CertificateFailure) error {
	_, err := tx.exec(`INSERT INTO certificate_failure (directory, host, tries, failed_ms, next_ms, held, error) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (directory, host) DO UPDATE SET tries = excluded.tries, failed_ms = excluded.failed_ms, next_ms = excluded.next_ms,
			held = excluded.held, error = excluded.error`,
		f.Directory, f.Host, f.Tries, f.FailedMs, f.NextMs, flag(f.Held), f.Error)
	return err
}

// ACMEAccount returns the private key of our account at an authority, in PEM; "" when there is none.
func (rx *Rx) ACMEAccount(directory string) (key string, err error) {
	_, err = rx.one(`SELECT private_key FROM acme_account WHERE directory = ?`, func(r *Row) { key = r.Text(0) }, directory)
	return key, err
}

// SetACMEAccount keeps the private key of our account at an authority.
func (tx *Tx) SetACMEAccount(directory, key string) error {
	_, err := tx.exec(`INSERT INTO acme_account (directory, private_key) VALUES (?, ?)
		ON CONFLICT (directory) DO UPDATE SET private_key = excluded.private_key`, directory, key)
	return err
}
