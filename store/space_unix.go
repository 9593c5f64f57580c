//go:build linux || darwin || freebsd

package store

import "golang.org/x/sys/unix"

// space measures the disk of a folder, in bytes that a program without privileges may use.
func space(dir string) (free, size int64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	block, free := int64(s.Bsize), int64(s.Bavail)
	return free * block, (int64(s.Blocks) - int64(s.Bfree) + free) * block, nil
}
