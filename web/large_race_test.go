//go:build race

package web

// largeDay is how many lines a large day has where the race detector slows everything.
const largeDay = 10_000
