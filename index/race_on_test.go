//go:build race

package index_test

// raced: the race detector is on, and everything takes ten times as long.
const raced = true
