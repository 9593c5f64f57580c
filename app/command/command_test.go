package command

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"nodrop/app"
	"nodrop/app/config"
	"nodrop/store"
)

func TestStatusTellsWhoIsWrong(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{ErrFound, 1},
		{errors.New("the disk is gone"), 1},
		{&store.Error{Op: "serve", Kind: store.ErrServed}, 1},
		{&app.Error{Kind: app.KindInternal}, 1},
		{&app.Error{Kind: app.KindBusy}, 1},
		{Wrong("no such file"), 2},
		{fmt.Errorf("demo: %w", Wrong("no such file")), 2},
		{&config.Faults{Path: "nodrop.toml"}, 2},
		{&app.Error{Kind: app.KindInvalid}, 2},
		{&app.Error{Kind: app.KindConflict}, 2},
		{errors.Join(ErrFound, errors.New("more")), 1},
	} {
		if got := Status(c.err); got != c.want {
			t.Errorf("status of %v is %d, want %d", c.err, got, c.want)
		}
	}
}

func TestTextHidesTheCode(t *testing.T) {
	e := &app.Error{Kind: app.KindConflict, Code: "user_exists", Text: "there is a user ada already"}
	if got := Text(e); got != "there is a user ada already" {
		t.Errorf("text %q", got)
	}
	e.Cause = errors.New("the disk is full")
	if got := Text(e); got != "user_exists: there is a user ada already: the disk is full" {
		t.Errorf("text with a cause %q", got)
	}
}

func TestTextLeavesOutWhatTheProgramCallsIt(t *testing.T) {
	served := &store.Error{Op: "serve /data/nodrop.db", Kind: store.ErrServed, Cause: errors.New("serve, process 12")}
	busy := &store.Error{Op: "add user", Statement: "a statement", Kind: store.ErrBusy}
	for _, c := range []struct {
		err  error
		want string
	}{
		{served, "/data/nodrop.db: the database is served by a running nodrop: stop it first (serve, process 12)"},
		{busy, "the database is in use by another process: try again"},
		{fmt.Errorf("store: restore copy.db: %w", &store.Error{Op: "open /data/copy.db", Kind: store.ErrForeign}),
			"restore copy.db: /data/copy.db: the file is not a nodrop database: choose another path"},
		{&store.Error{Op: "verify", Kind: store.ErrDamaged, Cause: busy},
			"the database file cannot be used: check the disk and the file, or restore a backup (the database is in use by another process: try again)"},
		{&store.Error{Op: "open /data/nodrop.db", Cause: errors.New("a surprise")}, "open /data/nodrop.db: a surprise"},
	} {
		if got := Text(c.err); got != c.want {
			t.Errorf("text %q, want %q", got, c.want)
		}
	}
}

func TestGapBetweenBackupAndReplacedFile(t *testing.T) {
	const at = 1_930_000_000_000
	for _, c := range []struct {
		backup, old int64
		want        string
	}{
		{at, at, "none"}, {0, 0, "none"}, {0, at, "all"}, {at, 0, "all"}, {at, at - 1, "the backup is newer"},
		{at, at + 3_725_400, "1h2m5s"},
	} {
		if got := gap(c.backup, c.old); got != c.want {
			t.Errorf("gap from %d to %d is %q, want %q", c.backup, c.old, got, c.want)
		}
	}
	if got := stamp(at); got != "2031-02-27 23:06:40Z" {
		t.Errorf("stamp %q", got)
	}
}

func TestAddressThatStandsForAll(t *testing.T) {
	for address, want := range map[string]string{"[::]:8080": "*:8080", "0.0.0.0:80": "*:80", "127.0.0.1:8081": "127.0.0.1:8081", "[::1]:8081": "[::1]:8081"} {
		if got := anywhere(address); got != want {
			t.Errorf("%s is written as %s, want %s", address, got, want)
		}
	}
}

func TestSandboxSecretsAreMadeOnceAndKept(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "nodrop.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	raw := bytes.Repeat([]byte{0xff}, 24)
	raw = append(raw, bytes.Repeat([]byte{0}, 24)...)
	e := &Env{Random: bytes.NewReader(raw)} // enough for two secrets, not for a third
	for range 2 {
		c, err := e.Sandbox(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		g := c.Gateways[0]
		secret, key := g.WebhookSecrets[0].Value.Reveal(), g.APIKey.Reveal()
		if secret != "________________________________" || key != "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" {
			t.Errorf("secret %q, key %q", secret, key)
		}
	}
}
