// Command eval measures what pathrule delivers, and when it keeps silent, on
// labelled prompts. It drives the real programs (hook processes fed with host
// events, and an MCP conversation) in a home and a project of their own, never
// the packages behind them.
//
//	go run ./eval                      every committed set
//	go run ./eval --set harbor -v      one set, with every miss
//	go run ./eval --set fastify        the protocol of a published benchmark, with its targets
//	go run ./eval --corpus DIR --queries FILE   a folder of real instruction files
//	go run ./eval --json               the figures for a script
//	go run ./eval --check              against eval/golden.json: a drop fails
//	go run ./eval --update             rewrite eval/golden.json on purpose
//	go run ./eval --depth              the depth classifier on labelled prompts
//	go run ./eval --ablate             what each signal of the ranking adds
//
// The format of a set is described in docs/ranking.md.
package main
