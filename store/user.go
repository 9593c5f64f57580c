package store

// User is a person who may sign in.
type User struct {
	ID        int64
	Name      string
	Role      string // viewer, operator, admin
	Hash      string // argon2id; empty until the sign-up link was used
	Invite    []byte // SHA-256 of the one-time sign-up link's secret
	InviteMs  int64  // valid until
	Failures  int64  // wrong passwords in a row
	LockedMs  int64  // no sign-in before
	CreatedMs int64
}

const userColumns = `id, name, role, hash, invite, invite_ms, failures, locked_ms, created_ms`

func scanUser(r *Row) User {
	return User{ID: r.Int(0), Name: r.Text(1), Role: r.Text(2), Hash: r.Text(3), Invite: r.Blob(4), InviteMs: r.Int(5), Failures: r.Int(6), LockedMs: r.Int(7), CreatedMs: r.Int(8)}
}

// Users lists everybody by name.
func (rx *Rx) Users() (list []User, err error) {
	err = rx.each(`SELECT `+userColumns+` FROM user ORDER BY name`, func(r *Row) { list = append(list, scanUser(r)) })
	return list, err
}

// UserByName returns one user.
func (rx *Rx) UserByName(name string) (u User, ok bool, err error) {
	ok, err = rx.one(`SELECT `+userColumns+` FROM user WHERE name = ?`, func(r *Row) { u = scanUser(r) }, name)
	return u, ok, err
}

// UserByInvite returns the user whose sign-up link has this SHA-256.
func (rx *Rx) UserByInvite(hash []byte) (u User, ok bool, err error) {
	ok, err = rx.one(`SELECT `+userColumns+` FROM user WHERE invite = ?`, func(r *Row) { u = scanUser(r) }, hash)
	return u, ok, err
}

// SetUser adds a user or replaces everything of the one with this name.
func (tx *Tx) SetUser(u User) error {
	var invite any
	if len(u.Invite) > 0 {
		invite = u.Invite
	}
	_, err := tx.exec(`INSERT INTO user (name, role, hash, invite, invite_ms, failures, locked_ms, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET role = excluded.role, hash = excluded.hash, invite = excluded.invite, invite_ms = excluded.invite_ms,
			failures = excluded.failures, locked_ms = excluded.locked_ms`,
		u.Name, u.Role, u.Hash, invite, u.InviteMs, u.Failures, u.LockedMs, u.CreatedMs)
	return err
}

// Session returns a server-side session's data that has not expired.
func (rx *Rx) Session(token string, nowMs int64) (data []byte, ok bool, err error) {
	ok, err = rx.one(`SELECT data FROM session WHERE token = ? AND expiry_ms > ?`, func(r *Row) { data = r.Blob(0) }, token, nowMs)
	return data, ok, err
}

// SetSession writes a session.
func (tx *Tx) SetSession(token string, data []byte, expiryMs int64) error {
	_, err := tx.exec(`INSERT INTO session (token, data, expiry_ms) VALUES (?, ?, ?)
		ON CONFLICT (token) DO UPDATE SET data = excluded.data, expiry_ms = excluded.expiry_ms`, token, data, expiryMs)
	return err
}

// DropSession ends a session.
func (tx *Tx) DropSession(token string) error {
	_, err := tx.exec(`DELETE FROM session WHERE token = ?`, token)
	return err
}

// PruneSessions removes expired sessions.
func (tx *Tx) PruneSessions(nowMs int64) error {
	_, err := tx.exec(`DELETE FROM session WHERE expiry_ms <= ?`, nowMs)
	return err
}

// Token is one API token; only its SHA-256 is kept.
type Token struct {
	ID        int64
	Name      string
	Hash      []byte
	CreatedMs int64
	UsedMs    int64 // 0: never
	RevokedMs int64 // 0: valid
}

const tokenColumns = `id, name, hash, created_ms, used_ms, revoked_ms`

func scanToken(r *Row) Token {
	return Token{ID: r.Int(0), Name: r.Text(1), Hash: r.Blob(2), CreatedMs: r.Int(3), UsedMs: r.Int(4), RevokedMs: r.Int(5)}
}

// Tokens lists all API tokens by name.
func (rx *Rx) Tokens() (list []Token, err error) {
	err = rx.each(`SELECT `+tokenColumns+` FROM token ORDER BY name`, func(r *Row) { list = append(list, scanToken(r)) })
	return list, err
}

// TokenByHash returns the valid token with this SHA-256.
func (rx *Rx) TokenByHash(hash []byte) (t Token, ok bool, err error) {
	ok, err = rx.one(`SELECT `+tokenColumns+` FROM token WHERE hash = ? AND revoked_ms IS NULL`, func(r *Row) { t = scanToken(r) }, hash)
	return t, ok, err
}

// InsertToken adds a token; false means that the name is taken.
func (tx *Tx) InsertToken(t Token) (bool, error) {
	n, err := tx.exec(`INSERT INTO token (name, hash, created_ms) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING`, t.Name, t.Hash, t.CreatedMs)
	return n == 1, err
}

// TouchToken notes when a token was last used.
func (tx *Tx) TouchToken(id, nowMs int64) error {
	_, err := tx.exec(`UPDATE token SET used_ms = ? WHERE id = ?`, nowMs, id)
	return err
}

// RevokeToken ends a token; false means that there was no valid one of this name.
func (tx *Tx) RevokeToken(name string, nowMs int64) (bool, error) {
	n, err := tx.exec(`UPDATE token SET revoked_ms = ? WHERE name = ? AND revoked_ms IS NULL`, nowMs, name)
	return n == 1, err
}
