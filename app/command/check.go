package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

// checkedUpTo is the size in bytes of a database that is checked without being asked for.
const checkedUpTo = 64 << 20

// Check validates the configuration, says what each gateway will do, and looks for
// damage in the database: always when whole, else when it is small.
func (e *Env) Check(ctx context.Context, path string, whole bool) error {
	c, err := e.Load(path)
	if err != nil {
		return err
	}
	if c == nil {
		return Wrong("there is no %s here to check: name a file with -c. Without a file `nodrop serve` runs the sandbox gateway on loopback", ConfigFile)
	}
	if err := e.describe(c); err != nil {
		return err
	}
	return e.checkData(ctx, c, whole)
}

func (e *Env) describe(c *config.Config) error {
	e.print("configuration %s is sound\n", c.Path)
	for _, w := range c.Warnings {
		e.print("warning: %s\n", w)
	}
	e.print("\n%s", e.addresses(c))
	for i := range c.Gateways {
		g, err := gateway.New(c.Gateways[i].Instance())
		if err != nil {
			return Wrong("configuration %s: gateway %s: %v", c.Path, c.Gateways[i].Name, err)
		}
		e.print("\n%s", portrait(c, c.Gateways[i], g))
	}
	return nil
}

func (e *Env) checkData(ctx context.Context, c *config.Config, whole bool) error {
	data := c.Data
	info, err := os.Stat(data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if whole {
			return Wrong("there is no database %s to check", data)
		}
		e.print("\ndatabase %s does not exist yet; `nodrop serve` makes it\n", data)
		return nil
	case err != nil:
		return fmt.Errorf("look at the database: %w", err)
	case !whole && info.Size() > checkedUpTo:
		e.print("\ndatabase %s has %d MB and was not checked; --db checks it\n", data, info.Size()>>20)
		return nil
	}
	behind, err := store.Behind(data)
	if err != nil {
		return err
	}
	if behind {
		e.print("\ndatabase %s has an older schema and was not checked; `nodrop serve` changes it, after a copy is made\n", data)
		return nil
	}
	return e.checkRows(ctx, c)
}

// checkRows looks for damage, for broken laws, and for standings that are not what their facts give.
func (e *Env) checkRows(ctx context.Context, c *config.Config) error {
	engine, done, err := e.engine(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	found, err := engine.CheckAll(ctx)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		e.print("\ndatabase %s is sound\n", c.Data)
		return nil
	}
	e.print("\ndatabase %s is not sound:\n  %s\nstop the server, keep a copy of the file, and restore a backup\n", c.Data, strings.Join(found, "\n  "))
	return ErrFound
}
