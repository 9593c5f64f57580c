//go:build !race

package web

// largeDay is how many lines a large day has.
const largeDay = 100_000
