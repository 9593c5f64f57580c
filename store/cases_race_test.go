//go:build race

package store

// fewer divides the rows of long tests: the race detector makes each many times dearer.
const fewer = 10
