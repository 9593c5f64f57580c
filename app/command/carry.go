package command

import (
	"errors"
	"io/fs"

	"nodrop/store"
)

// carrying is what becomes of the claims of the file that a restore replaces: the backup knows only older ones.
type carrying struct {
	list    []store.KeptClaim
	unread  error // why not all of them could be read
	carried int64
	lost    []store.KeptClaim // their payments are not in the backup
}

// carry puts the claims that the backup does not have into its copy, as uncertain.
func (c *carrying) carry(tx *store.Tx) error {
	c.carried, c.lost = 0, nil
	for _, claim := range c.list {
		carried, known, err := tx.CarryClaim(claim)
		switch {
		case err != nil:
			return err
		case carried:
			c.carried++
		case !known:
			c.lost = append(c.lost, claim)
		}
	}
	return nil
}

// printCarried says which claims were made after the backup, and what became of them.
func (e *Env) printCarried(c *carrying) {
	switch {
	case errors.Is(c.unread, fs.ErrNotExist):
		return // nothing was replaced
	case c.unread != nil:
		e.print("Not all claims of the replaced file could be read, so some made after the backup may be missing: %s\n", Text(c.unread))
	}
	e.print("%s made after the backup, taken over from the replaced file, wait for a person too.\n", count(c.carried, "claim"))
	if len(c.lost) == 0 {
		return
	}
	e.print("%s could not be taken over, because the backup does not have the payment. Do not fulfil these again unseen:\n", count(int64(len(c.lost)), "claim"))
	for _, claim := range c.lost {
		e.print("  %s (%s, by %s)\n", claim.Key, claim.State, claim.Owner)
	}
}
