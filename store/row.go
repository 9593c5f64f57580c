package store

import (
	"maps"
	"math"
	"slices"
)

const maxID = math.MaxInt64

// orEmpty keeps NOT NULL columns from a nil slice.
func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// nullable turns zero into NULL.
func nullable(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func sortedDescending(ids map[int64]bool) []int64 {
	list := slices.Sorted(maps.Keys(ids))
	slices.Reverse(list)
	return list
}
