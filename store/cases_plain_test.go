//go:build !race

package store

// fewer divides the rows of long tests.
const fewer = 1
