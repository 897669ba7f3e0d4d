//go:build !race

package index_test

const raced = false
