//go:build !race

package app

// simShare is how much of the usual number of payments is simulated: all.
const simShare = 1
