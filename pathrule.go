// Package pathrule is the root of the module; it holds no code. The programs
// are in cmd/pathrule and cmd/pathrule-hook, and docs/ARCHITECTURE.md tells how
// the packages fit together.
package pathrule

//go:generate go run ./internal/docgen
