//go:build !race

package payment

const raced = false
