package command

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"nodrop/app/config"
	"nodrop/store"
)

// ConfigFile is read where no file is named.
const ConfigFile = "nodrop.toml"

// Load reads the configuration from the named file, or from ConfigFile when it
// exists. It is nil where none is named and there is none.
func (e *Env) Load(path string) (*config.Config, error) {
	if path == "" {
		path = ConfigFile
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	c, err := config.Load(path, config.Env{Getenv: e.Getenv, ReadFile: os.ReadFile})
	var faults *config.Faults
	if err != nil && !errors.As(err, &faults) {
		return nil, Wrong("%v", err)
	}
	return c, err
}

// standIn is read for variables that are not set, in the form that the strictest of them wants.
var standIn = "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))

// locate reads the configuration for commands that need the database but none of the
// secrets: the shell they run in rarely holds the server's environment.
func (e *Env) locate(path string) (*config.Config, error) {
	c, err := e.Load(path)
	if err == nil && c == nil {
		return config.Default("", ""), nil
	}
	if err == nil {
		return c, nil
	}
	patient := *e
	patient.Getenv = func(name string) (string, bool) {
		if value, ok := e.Getenv(name); ok {
			return value, true
		}
		return standIn, true
	}
	if c, again := patient.Load(path); again == nil {
		return c, nil
	}
	return nil, err
}

// existing is locate for commands that want the database to be there.
func (e *Env) existing(path string) (*config.Config, error) {
	c, err := e.locate(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		return nil, Wrong("there is no database %s: name the right configuration with -c, or start `nodrop serve`, which makes it", absolute(c.Data))
	}
	return c, nil
}

// absolute writes a path in full where that can be told.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// The keys under which the secrets of the configuration without a file are kept.
const (
	metaSandboxSecret = "sandbox_webhook_secret"
	metaSandboxKey    = "sandbox_api_key"
)

// Sandbox is the configuration of a server that was given no file. Its secrets are
// made once and kept with the database.
func (e *Env) Sandbox(ctx context.Context, db *store.DB) (*config.Config, error) {
	var secret, key string
	err := db.Update(ctx, "sandbox secrets", func(tx *store.Tx) (err error) {
		if secret, err = e.kept(tx, metaSandboxSecret); err != nil {
			return err
		}
		key, err = e.kept(tx, metaSandboxKey)
		return err
	})
	if err != nil {
		return nil, err
	}
	return config.Default(secret, key), nil
}

func (e *Env) kept(tx *store.Tx, name string) (string, error) {
	value, err := tx.MetaValue(name)
	if err != nil || value != "" {
		return value, err
	}
	if value, err = e.secret(24); err != nil {
		return "", err
	}
	return value, tx.SetMeta(name, value)
}

// secret draws n random bytes and writes them in letters.
func (e *Env) secret(n int) (string, error) {
	raw := make([]byte, n)
	if _, err := io.ReadFull(e.Random, raw); err != nil {
		return "", fmt.Errorf("make a secret: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(raw), nil
}
