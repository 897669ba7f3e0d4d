package runs

import (
	"reflect"
	"strings"
	"testing"
)

// P107: one readable fingerprint for every way to spell a run.
func TestLinesThatAreTheSameRun(t *testing.T) {
	for check, lines := range map[string][]string{
		"npm test": {
			"npm test", "npm t", "npm run test", "npm run-script test", "  npm   test  ", "npm --silent test", "npm test 2>&1", "npm test > out.txt 2>&1",
			"CI=1 npm test", "cd /w && npm test", "cd . && npm test", "(npm test)", "(cd /w && npm test)", "time npm test", "timeout 60 npm test", "npm test;", "npm test\n", "bash -lc 'npm test'",
			"npm --prefix . test", "env CI=true npm test", "npm test # all of them",
			"time -p npm test", "timeout -k 5 60s npm test", "timeout --signal=KILL 60 npm test", "nice -n 10 npm test", "nohup npm test", "stdbuf -oL npm test",
			"xvfb-run -a npm test", "cross-env CI=1 npm test", "mise exec node@22 -- npm test", "direnv exec . npm test", "dotenv -e .env -- npm test",
			"set -e; npm test", "set -euo pipefail\nnpm test", "export CI=1; npm test", "export NO_COLOR=1 && npm test", "npm test && echo done", "npm test && cd ..",
			"npm test &> out.txt && echo \"ok $X\"", "sh -c 'npm test'", "bash -lc \"cd . && npm test\"", "npm.cmd test", "/usr/bin/npm test", "npm test --", "npm test -s",
		},
		"npm run lint":                {"npm run lint", "npm run-script lint", "npm run --silent lint"},
		"pnpm test":                   {"pnpm test", "pnpm t", "pnpm run test", "pnpm -s test", "corepack pnpm test", "pnpm -C . test"},
		"pnpm -r test":                {"pnpm -r test", "pnpm -r run test", "pnpm -r --stream test"},
		"yarn workspace web test":     {"yarn workspace web test"},
		"bun run test":                {"bun run test", "bun --silent run test"},
		"pnpm --filter web test":      {"pnpm --filter web test", "pnpm -s --filter web test"},
		"yarn test":                   {"yarn test", "yarn run test", "yarn -s test"},
		"bun test":                    {"bun test", "bun test --timeout 5000"},
		"go test -race ./...":         {"go test -race ./...", "go test -race -v ./...", "go test -count=1 -race ./..."},
		"go vet ./...":                {"go vet ./...", "cd /w && go vet ./... 2>&1"},
		"go build ./...":              {"go build ./...", "go build -v ./..."},
		"golangci-lint run":           {"golangci-lint run", "golangci-lint run -v"},
		"go test ./...":               {"go test ./...", "go test -v ./...", "go test -race -count=1 ./...", "go test -count 1 ./...", "go -C . test ./...", "go test ./... -timeout 5m", "cd /w && go test -json ./... > /tmp/x"},
		"cargo test --workspace":      {"cargo test --workspace", "cargo t --workspace -q", "cargo test --workspace --locked -j 4"},
		"cargo test":                  {"cargo test", "cargo t", "cargo test --locked", "RUST_BACKTRACE=1 cargo test -q", "cargo test --no-fail-fast"},
		"cargo nextest run":           {"cargo nextest run"},
		"cargo clippy -- -D warnings": {"cargo clippy -- -D warnings", "cargo clippy -q -- -D warnings"},
		"pytest": {"pytest", "python -m pytest", "python3 -m pytest -q", "uv run pytest -x --tb=short", "poetry run pytest", "py.test -vv", "pytest -n auto", "python3.12 -m pytest", "python -W error -m pytest", ".venv/bin/pytest",
			".venv/bin/python -m pytest", "source .venv/bin/activate && pytest", ". venv/bin/activate && pytest -q", "uv run --frozen pytest", "uv run --with pytest-xdist pytest -n 4", "pipenv run pytest", "pdm run pytest",
			"hatch run pytest", "rye run pytest", "conda run -n shop pytest", "PYTHONUNBUFFERED=1 pytest"},
		"tox":                           {"tox", "uv run tox", "python -m tox"},
		"python -m unittest":            {"python -m unittest", "python3 -m unittest -v"},
		"make check":                    {"make check", "make -j8 check", "make -j 8 check", "make -s check", "gmake check"},
		"make lint test":                {"make test lint"},
		"./gradlew test":                {"./gradlew test", "gradle test --no-daemon", "gradlew.bat test --console=plain", "./gradlew -q test"},
		"mvn -B verify":                 {"mvn verify", "./mvnw -q verify", "mvn -ntp verify -T 4"},
		"gradle check":                  {"gradle check", "./gradlew check --continue --parallel", "gradle check --rerun-tasks"},
		"mvn test":                      {"mvn test", "./mvnw test", "mvn -q test --fail-at-end", "mvn.cmd test"},
		"dotnet test":                   {"dotnet test", "dotnet test --nologo -v q", "dotnet test --no-restore --logger trx"},
		"make":                          {"make", "make -j4", "make -s", "make -B"},
		"just":                          {"just", "just -q"},
		"jest --ci":                     {"jest --ci", "npx jest --ci --silent"},
		"npx --yes tsc --noEmit":        {"tsc --noEmit", "npx tsc --noEmit --pretty", "pnpm exec tsc --noEmit", "yarn dlx tsc --noEmit"},
		"npx eslint . --max-warnings 0": {"eslint . --max-warnings 0", "node_modules/.bin/eslint . --max-warnings 0"},
		"deno test":                     {"deno test", "deno test -q"},
		"rake test":                     {"rake test", "bundle exec rake test"},
		"mix test":                      {"mix test"},
		"php artisan test":              {"php artisan test"},
		"just test":                     {"just test", "just -q test"},
		"task lint":                     {"task lint", "task -s lint", "go-task lint"},
		"npx jest":                      {"jest", "npx jest", "npm exec -- jest", "bunx jest --ci", "jest -i"},
		"vitest run":                    {"npx vitest run", "vitest --run", "vitest run --reporter dot"},
		"ruff check .":                  {"ruff check .", "uv run ruff check . -q"},
		"bundle exec rspec":             {"rspec", "bundle exec rspec"},
		"deno task check":               {"deno task check", "deno task -q check"},
		"./scripts/check.sh --all":      {"./scripts/check.sh --all", "scripts/check.sh --all", "cd /w && ./scripts/check.sh --all"},
		"npm run lint && npm test":      {"npm run lint && npm test"},
		"cd web && npm test":            {"cd web && npm test", "npm --prefix web test", "npm -C web test", "cd /w/web && npm test"},
		"npm test | tee log":            {"npm test | tee log"},
		"NODE_ENV=test npm test":        {"NODE_ENV=test npm test", "CI=1 NODE_ENV=test npm test"},
		"node --test 'test/**/*.js'":    {`node --test "test/**/*.js"`},
		"php vendor/bin/phpunit --no-x": {"php vendor/bin/phpunit --no-x"},
	} {
		for _, line := range lines {
			if why, meant := Match(line, "/w", check, "/w"); !meant || why != Fine {
				t.Errorf("%q is no run of %q: meant %v, %s", line, check, meant, why)
			}
		}
	}
}

// P107: what narrows a run, hides its exit code or goes on for ever does not count,
// and the reason is told.
func TestLinesThatDoNotCount(t *testing.T) {
	tests := map[string]map[string]Reason{
		"npm test": {
			"npm test | tail -5": Pipe, "npm test |& cat": Unclear, "npm test || true": Or, "npm test; echo $?": Sequence, "npm test\nls": Sequence, "ls && npm test": Sequence,
			"npm test &": Background, "npm test && npm run lint": Several, "npm test -- --watch": Watch, "npm test --watch": Watch, "npm test -- -t name": Part,
			"npm run test:unit": Part, "npm test -w web": Part, "npm test --workspace=web": Part, "npm test --workspaces": Part, "cd web && npm test": Elsewhere,
			"npm --prefix web test": Elsewhere, "cd $DIR && npm test": Unclear, "npm test $ARGS": Unclear, "npm test $(cat args)": Unclear, "(npm test; true)": Sequence, "(npm test) | cat": Unclear,
			"if npm test; then ls; fi": Unclear, "! npm test": Unclear, "npm test <<EOF\nx\nEOF": Unclear, "cd web; npm test": Sequence, "NODE_ENV=x npm test": Part,
			"npm test && npm run build && echo ok": Several, "npm test && rm -rf out": Sequence, "echo ok; npm test | cat": Pipe, "npm test && git stash pop": Sequence, "git stash && npm test": Sequence,
			"set -e && npm test | cat": Pipe, "export A=1; npm test": Part, "export A=$B; npm test": Sequence, "env -i npm test": Part, "env -u CI npm test": Part, "watch npm test": Watch, "nodemon --exec npm test": Watch,
			"npm --watch test": Watch, "npm test --dry-run": Part, "npm test -- --help": Part, "npm test --ignore-scripts": Part, "npm test 2>&1 | tee out.txt": Pipe, "npm test > >(tee log)": Unclear, "source env.sh && npm test": Sequence,
			"npm ci && npm test": Several, "npm test && echo a | cat": Pipe, "npm test && echo a &": Background, "bash -c 'npm test; true'": Sequence,
			"npm test --if-present": Part, "npm install": Part, "npm run dev": Part, "for i in 1 2; do npm test; done": Unclear, "npm test 'unclosed": Unclear,
		},
		"go test ./...":             {"go test ./pkg/...": Part, "go test": Part, "go test -run TestX ./...": Part, "go test -short ./...": Part, "go vet ./...": Part, "go build ./...": Part, "go test -c ./...": Part, "go test -count=0 ./...": Part, "go test -vet=off ./...": Part, "go test -n ./...": Part, "go test -list . ./...": Part, "go test -tags x ./...": Part, "go test ./... ./x": Part, "go test -skip X ./...": Part, "GOFLAGS=-short go test ./...": Part, "GOOS=js go test ./...": Part, "go -C web test ./...": Elsewhere},
		"go test -race ./...":       {"go test ./...": Part, "go test -v ./...": Part},
		"go test -count=5 ./...":    {"go test ./...": Part, "go test -count=1 ./...": Part},
		"cargo test --locked":       {"cargo test": Part},
		"jest --ci":                 {"jest": Part},
		"make -B all":               {"make all": Part},
		"gradle test --rerun-tasks": {"gradle test": Part},
		"task -f test":              {"task test": Part},
		"pnpm test":                 {"pnpm -r test": Part, "pnpm --filter web test": Part, "pnpm test web": Part},
		"pnpm -r test":              {"pnpm test": Part},
		"yarn test":                 {"yarn workspace web test": Part, "yarn workspaces foreach run test": Part, "yarn test --watch": Watch},
		"bun test":                  {"bun run test": Part, "bun test a.test.ts": Part, "bun test --watch": Watch},
		"eslint . --max-warnings 0": {"eslint . --max-warnings 0 --quiet": Part, "eslint .": Part, "eslint src --max-warnings 0": Part},
		"just test":                 {"just test one": Part, "just -n test": Part, "just": Part, "just -d web test": Elsewhere},
		"tox":                       {"tox -e py311": Part, "tox -l": Part},
		"python -m unittest":        {"python -m unittest tests.test_a": Part},
		"cargo test":                {"cargo test -p core": Part, "cargo test name": Part, "cargo test --no-run": Part, "cargo build": Part, "cargo watch -x test": Watch, "cargo test --release": Part},
		"pytest":                    {"pytest tests/test_a.py": Part, "pytest -k name": Part, "pytest --lf": Part, "pytest -m slow": Part, "pytest --collect-only": Part, "pytest -f": Watch, "pytest --co": Part, "pytest tests": Part, "pytest -x tests": Part, "pytest --deselect a": Part, "pytest --ignore tests/slow": Part, "PYTEST_ADDOPTS=-kx pytest": Part, "uv run pytest tests/a.py": Part, "python -m pytest --sw": Part},
		"make":                      {"make -j test": Part, "make -n": Part, "make -i": Part, "make -C web": Elsewhere, "make test": Part, "make VAR=1": Part},
		"make test":                 {"make -n test": Part, "make": Part, "make test | cat": Pipe},
		"gradle test":               {"gradle :web:test": Part, "gradle test --tests X": Part, "gradle test -x lint": Part, "gradle -t test": Watch, "gradle --dry-run test": Part, "gradle -p web test": Elsewhere},
		"mvn test":                  {"mvn test -pl core": Part, "mvn test -DskipTests": Part, "mvn -fn test": Part},
		"dotnet test":               {"dotnet test --filter X": Part, "dotnet test --no-build": Part, "dotnet watch test": Watch},
		"jest":                      {"jest --watch": Watch, "jest a.test.js": Part, "npx jest --onlyChanged": Part},
		"vitest run":                {"vitest": Watch, "vitest run a.test.ts": Part, "npx vitest --watch": Watch},
		"task":                      {"task -c lint": Part},
		"cd web && go vet":          {"go vet": Elsewhere},
	}
	for check, lines := range tests {
		for line, want := range lines {
			if why, meant := Match(line, "/w", check, "/w"); !meant || why != want {
				t.Errorf("%q against %q: meant %v, %q, want %q", line, check, meant, why, want)
			}
		}
	}
	for _, line := range []string{"ls", "git status", "", "echo npm test", "pytest", "cat package.json", "# npm test", "git log --grep 'npm test'", "docker compose run web npm test", "ssh host npm test"} {
		if why, meant := Match(line, "/w", "npm test", "/w"); meant {
			t.Errorf("%q is taken for a run of npm: %s", line, why)
		}
	}
}

// Whatever the line: its reading is the same twice, a run equals itself, and a
// line that counts still counts with a harmless prefix and never behind a pipe.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"npm test", "cd a && CI=1 npx jest -t 'x y' > out 2>&1", "go test ./... | tee log; echo $?", "bash -lc \"make -j 8 'a b'\"", "a\\\nb", "x=1 y=2", "for i in; do", "timeout -k 5 60 pytest -q", "&&", "a <<E\nE", "\"$(", "npm test #x", "{ a; }", "a>b>c", "a 2>", "\\",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		run, why := Read(line, "/w")
		again, why2 := Read(line, "/w")
		if why != why2 || !reflect.DeepEqual(run, again) {
			t.Fatalf("%q reads as %+v %q, then %+v %q", line, run, why, again, why2)
		}
		if why != Fine {
			return
		}
		if run.Runner == "" {
			t.Fatalf("%q counts without a runner", line)
		}
		if strings.ContainsAny(line, "#\\\n") || strings.HasSuffix(strings.TrimSpace(line), ";") {
			return // what is put behind it would be a part of something else
		}
		if _, why := Read(line+" | cat", "/w"); why == Fine {
			t.Errorf("%q counts behind a pipe", line)
		}
		if _, why := Read(line+" || true", "/w"); why == Fine {
			t.Errorf("%q counts with its exit code thrown away", line)
		}
		if _, why := Read(line+" &", "/w"); why == Fine {
			t.Errorf("%q counts in the background", line)
		}
	})
}
