// Package e2e drives the real clients: each runs headless in a throw-away home
// against a scripted model on loopback, with pathrule set up by its own
// commands, and the tests look at what reached the model and when.
//
// The tests need the clients' released programs and are skipped without them.
// "scripts/e2e [HOST...]" installs the pinned releases and runs everything. The
// table of clients is in client_test.go; adding one is a file with its settings,
// its arguments and the model's calls.
//
// Nothing leaves the machine: on Linux the tests run in a network namespace
// where only loopback exists, and everywhere telemetry and updates are off and
// every proxy variable points at a closed port.
package e2e
