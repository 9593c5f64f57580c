package app

import (
	"context"
	"time"

	"nodrop/store"
)

// SaveSession writes a server-side session of the admin pages.
func (e *Engine) SaveSession(ctx context.Context, token string, data []byte, expiry time.Time) error {
	return e.store.Update(ctx, "save session", func(tx *store.Tx) error { return tx.SetSession(token, data, expiry.UnixMilli()) })
}

// DropSession ends a session of the admin pages.
func (e *Engine) DropSession(ctx context.Context, token string) error {
	return e.store.Update(ctx, "drop session", func(tx *store.Tx) error { return tx.DropSession(token) })
}
