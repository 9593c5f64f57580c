//go:build race

package payment

// raced: under the race detector the model explores less.
const raced = true
