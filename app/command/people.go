package command

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"nodrop/app"
	"nodrop/app/config"
)

// AddUser lets a person sign in: it prints a one-time sign-up link, here and nowhere else.
func (e *Env) AddUser(ctx context.Context, path, name, role string) error {
	return e.with(ctx, path, func(engine *app.Engine, c *config.Config) error {
		secret, err := engine.AddUser(ctx, name, role)
		var refusal *app.Error
		if errors.As(err, &refusal) && refusal.Code == "user_exists" {
			return Wrong("there is a user %s already: `nodrop user passwd %[1]s` takes the password away and prints a new link", strings.ToLower(strings.TrimSpace(name)))
		}
		return e.link(c, secret, err)
	})
}

// ResetUser takes a person's password away and prints a new sign-up link.
func (e *Env) ResetUser(ctx context.Context, path, name string) error {
	return e.among(ctx, path, func(engine *app.Engine, c *config.Config) error {
		secret, err := engine.ResetUser(ctx, name)
		return e.link(c, secret, err)
	})
}

// link prints a sign-up link, unless making it failed.
func (e *Env) link(c *config.Config, secret string, err error) error {
	if err != nil {
		return err
	}
	e.print("%s/signup/%s\n", PrivateURL(c, c.Private.Listen), secret)
	e.note("The link works once and for a day. Open it to choose the password.\n")
	return nil
}

// Users lists who may sign in.
func (e *Env) Users(ctx context.Context, path string) error {
	return e.among(ctx, path, func(engine *app.Engine, c *config.Config) error {
		list, err := engine.Users(ctx)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			e.note("Nobody may sign in yet: nodrop user add NAME\n")
			return nil
		}
		rows := [][]string{{"NAME", "ROLE", "PASSWORD", "ADDED"}}
		for _, u := range list {
			rows = append(rows, []string{u.Name, u.Role, passwordState(u.Hash != "", u.InviteMs > e.Now().UnixMilli()), local(u.CreatedMs, c.Timezone)})
		}
		return e.table(rows)
	})
}

func passwordState(set, invited bool) string {
	switch {
	case set:
		return "set"
	case invited:
		return "sign-up link not used yet"
	}
	return "none, the sign-up link is too old"
}

// AddToken makes an API token and prints its secret, which is kept nowhere.
func (e *Env) AddToken(ctx context.Context, path, name string) error {
	return e.with(ctx, path, func(engine *app.Engine, _ *config.Config) error {
		secret, err := engine.AddToken(ctx, name)
		if err != nil {
			return err
		}
		e.print("%s\n", secret)
		e.note("Keep it now: it is not shown again.\n")
		return nil
	})
}

// Tokens lists the API tokens.
func (e *Env) Tokens(ctx context.Context, path string) error {
	return e.among(ctx, path, func(engine *app.Engine, c *config.Config) error {
		list, err := engine.Tokens(ctx)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			e.note("There is no token yet: nodrop token add NAME\n")
			return nil
		}
		rows := [][]string{{"NAME", "STATE", "MADE", "LAST USED"}}
		for _, t := range list {
			state := "valid"
			if t.RevokedMs != 0 {
				state = "revoked " + local(t.RevokedMs, c.Timezone)
			}
			rows = append(rows, []string{t.Name, state, local(t.CreatedMs, c.Timezone), local(t.UsedMs, c.Timezone)})
		}
		return e.table(rows)
	})
}

// RevokeToken ends an API token at once.
func (e *Env) RevokeToken(ctx context.Context, path, name string) error {
	return e.among(ctx, path, func(engine *app.Engine, _ *config.Config) error {
		if err := engine.RevokeToken(ctx, name); err != nil {
			return err
		}
		e.print("token %s is revoked\n", name)
		return nil
	})
}

// among is with for acts that make nothing new: the database must be there.
func (e *Env) among(ctx context.Context, path string, act func(*app.Engine, *config.Config) error) error {
	if _, err := e.existing(path); err != nil {
		return err
	}
	return e.with(ctx, path, act)
}

// with runs an act on an engine beside a running server, and makes the database where there is none.
func (e *Env) with(ctx context.Context, path string, act func(*app.Engine, *config.Config) error) error {
	c, err := e.locate(path)
	if err != nil {
		return err
	}
	bare := *c
	bare.Gateways = nil // people and tokens need none; one that cannot be used now is no reason to refuse them
	engine, done, err := e.engine(ctx, &bare)
	if err != nil {
		return err
	}
	defer done()
	return act(engine, c)
}

// PrivateURL is where people reach the pages of a server with this configuration that listens on the given address;
// without a host name that is from its own machine.
func PrivateURL(c *config.Config, listen string) string {
	if c.Private.Hostname == "" {
		return "http://" + anywhere(listen)
	}
	if _, port, err := net.SplitHostPort(listen); err == nil && port != "443" {
		return "https://" + net.JoinHostPort(c.Private.Hostname, port)
	}
	return "https://" + c.Private.Hostname
}

func local(ms int64, zone *time.Location) string {
	if ms == 0 {
		return "never"
	}
	return time.UnixMilli(ms).In(zone).Format("2006-01-02 15:04")
}
