//go:build !linux && !darwin && !freebsd && !windows

package store

import "errors"

// space cannot be measured here.
func space(string) (free, size int64, err error) { return 0, 0, errors.ErrUnsupported }
