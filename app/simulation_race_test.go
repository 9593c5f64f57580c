//go:build race

package app

// simShare is how much of the usual number of payments is simulated where the race detector slows everything.
const simShare = 10
