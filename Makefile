# help: targets with their comments
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14
check: ## what CI checks
	bash .ci/run
fast: ## the same without race, fuzz and benchmarks
	CI_FAST=1 bash .ci/run
demo: ## the whole loop in a temporary workspace
	go run ./cmd/pathrule demo
install: ## both programs into GOBIN
	go install ./cmd/...
.PHONY: help check fast demo install
