package store

import (
	"errors"
	"testing"
)

func TestCertificatesAreKeptForEachAuthorityAndName(t *testing.T) {
	db := openProduct(t)
	first := Certificate{Directory: "https://ca.example/dir", Host: "pay.example.com", Chain: "chain 1", PrivateKey: "key 1", ObtainedMs: 1000}
	second := Certificate{Directory: "https://ca.example/dir", Host: "pay.example.com", Chain: "chain 2", PrivateKey: "key 2", ObtainedMs: 2000}
	update(t, db, func(tx *Tx) error { return tx.SetCertificate(first) })
	update(t, db, func(tx *Tx) error { return tx.SetCertificate(second) })
	for _, c := range []struct {
		directory, host string
		want            Certificate
	}{
		{first.Directory, first.Host, second},
		{first.Directory, "admin.example.com", Certificate{}},
		{"https://staging.example/dir", first.Host, Certificate{}},
	} {
		update(t, db, func(tx *Tx) error {
			got, ok, err := tx.Certificate(c.directory, c.host)
			if got != c.want || ok != (c.want != Certificate{}) {
				t.Errorf("%s at %s: %+v, %v", c.host, c.directory, got, ok)
			}
			return err
		})
	}
	for _, broken := range []Certificate{{Directory: "d", Host: "h", PrivateKey: "k"}, {Directory: "d", Host: "h", Chain: "c"}} {
		if err := db.Update(t.Context(), "broken", func(tx *Tx) error { return tx.SetCertificate(broken) }); !errors.Is(err, ErrConstraint) {
			t.Errorf("%+v: %v", broken, err)
		}
	}
}

func TestSuccessForgetsTheFailures(t *testing.T) {
	db := openProduct(t)
	f := CertificateFailure{Directory: "d", Host: "h", Tries: 2, FailedMs: 1000, NextMs: 5000, Held: true, Error: "away"}
	update(t, db, func(tx *Tx) error {
		return tx.NoteCertificateFailure(CertificateFailure{Directory: "d", Host: "h", Tries: 1, FailedMs: 1, NextMs: 2, Error: "x"})
	})
	update(t, db, func(tx *Tx) error { return tx.NoteCertificateFailure(f) })
	look := func(want CertificateFailure) {
		t.Helper()
		update(t, db, func(tx *Tx) error {
			got, err := tx.CertificateFailure("d", "h")
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			return err
		})
	}
	look(f)
	update(t, db, func(tx *Tx) error {
		return tx.SetCertificate(Certificate{Directory: "d", Host: "other", Chain: "c", PrivateKey: "k"})
	})
	look(f)
	update(t, db, func(tx *Tx) error {
		return tx.SetCertificate(Certificate{Directory: "d", Host: "h", Chain: "c", PrivateKey: "k"})
	})
	look(CertificateFailure{Directory: "d", Host: "h"})
}

func TestAccountKeyIsKeptForEachAuthority(t *testing.T) {
	db := openProduct(t)
	update(t, db, func(tx *Tx) error { return tx.SetACMEAccount("d", "first") })
	update(t, db, func(tx *Tx) error { return tx.SetACMEAccount("d", "second") })
	update(t, db, func(tx *Tx) error {
		for directory, want := range map[string]string{"d": "second", "e": ""} {
			if got, err := tx.ACMEAccount(directory); got != want || err != nil {
				t.Errorf("%s: %q, %v", directory, got, err)
			}
		}
		return nil
	})
}
