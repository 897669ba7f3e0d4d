package slice

import "strings"

// isCommand reports a prompt that only wants something executed: "run the
// tests", "git push", "npm run lint". Such a prompt needs no knowledge but
// strict rules. It is short, and nothing in it asks or reports.
func isCommand(prompt string, t *text) bool {
	p := strings.TrimSpace(prompt)
	if q := strings.TrimRight(p, "?？ "); q != p && len(t.words) > 2 && (t.words[0] == "can" || t.words[0] == "could" || t.words[0] == "please") {
		p = q // "can you run the tests?"
	}
	if len(t.words) > 12 || len(p) > 160 || strings.Contains(p, "\n") || strings.ContainsAny(p, "?？") {
		return false
	}
	if t.reports(p) {
		return false
	}
	p = strings.Trim(p, "`$>! .。！")
	w := t.words
	for len(w) > 0 && polite(w[0]) {
		w = w[1:]
	}
	for len(w) > 0 && polite(w[len(w)-1]) {
		w = w[:len(w)-1]
	}
	if len(w) == 0 {
		return false
	}
	if shellLine(p) {
		return true
	}
	if len(w) <= 9 && t.gram() {
		return t.eastern()
	}
	return t.western(w)
}

// reports says that a prompt tells of trouble or asks for more than running:
// "git push fails with 403", "run the tests and fix what breaks". Quoted text
// (a commit message) does not count.
func (t *text) reports(p string) bool {
	if i := strings.IndexAny(p, "\"'"); i > 0 && strings.Contains(p[:i], " -") {
		u := readText(p[:i])
		t = &u
	}
	return t.count(bugStrong+"|"+bugWeak+"|"+refactorStrong+"|"+exploreStrong+"|if|until|because|why|how|explain|write|update|change|make sure|is|are|slow|then tell|warn*", 1, 1) > 0
}

func polite(w string) bool {
	switch w {
	case "please", "pls", "now", "again", "ok", "okay", "just", "then", "can", "you", "could", "lets", "let's", "go", "ahead", "and", "for", "me",
		"пожалуйста", "теперь", "давай", "снова", "bitte", "jetzt", "nochmal", "por", "favor", "ahora", "s'il", "te", "plait", "vous", "maintenant",
		"agora", "lutfen", "simdi", "tekrar":
		return true
	}
	return false
}

// shellLine reports a line for a shell: a known program and arguments that are
// no prose.
func shellLine(p string) bool {
	f := strings.Fields(p)
	if len(f) == 0 {
		return false
	}
	second := ""
	if len(f) > 1 {
		second = strings.ToLower(f[1])
	}
	switch strings.ToLower(f[0]) {
	case "git":
		switch second {
		case "add", "commit", "push", "pull", "status", "diff", "log", "checkout", "switch", "rebase", "merge", "stash", "fetch", "reset", "tag", "branch", "restore", "cherry-pick", "show", "blame", "bisect":
			return len(f) <= 6 || strings.Contains(p, "-m")
		}
	case "npm", "pnpm", "yarn", "bun", "npx", "deno":
		return len(f) >= 2 && len(f) <= 6
	case "go":
		switch second {
		case "test", "build", "vet", "run", "mod", "fmt", "generate", "install", "get", "tool", "work":
			return len(f) <= 7
		}
	case "cargo", "rustup", "gradle", "./gradlew", "mvn", "./mvnw", "dotnet", "pytest", "tox", "ruff", "mypy", "eslint", "prettier", "tsc", "jest", "vitest", "rubocop", "rspec", "bundle", "composer", "phpunit", "mix", "swift", "xcodebuild", "terraform", "kubectl", "helm", "docker", "docker-compose", "poetry", "uv", "pip", "golangci-lint", "staticcheck":
		return len(f) >= 1 && len(f) <= 7 && !strings.Contains(p, ", ")
	case "make", "just", "task", "rake", "bazel", "ninja", "cmake":
		// "make the button blue" is no command line.
		// Nor is "make Button.tsx async": targets are small letters, and a file is
		// made alone.
		return len(f) == 1 || len(f) <= 3 && !prose(second) && (len(f) == 2 || strings.ToLower(f[1]) == f[1] && !strings.Contains(f[1], "."))
	case "ls", "cd", "pwd", "cat", "rg", "grep", "mkdir", "rm", "cp", "mv", "curl", "ssh", "tail", "head", "ps":
		return len(f) <= 5 && len(f) > 1 && !prose(second) || len(f) == 1
	}
	return false
}

func prose(w string) bool {
	switch w {
	case "", "the", "a", "an", "it", "this", "that", "sure", "my", "our", "all", "some", "new", "me", "us", "changes", "your":
		return true
	}
	return false
}

// western takes the verb first: run/check/execute/start/restart + what, or a
// bare word such as "lint".
func (t *text) western(w []string) bool {
	if len(w) == 1 {
		switch w[0] {
		case "lint", "test", "tests", "build", "rebuild", "format", "typecheck", "compile", "deploy", "commit", "push", "pull", "rebase", "merge", "install", "continue", "proceed", "stop", "retry", "undo", "revert",
			"тесты", "собери", "закоммить", "запушь", "продолжай", "weiter", "kompiliere", "continua", "continue-se", "compila", "continuer", "derle", "devam":
			return true
		}
		return false
	}
	if len(w) > 9 {
		return false
	}
	verb := w[0]
	rest := " " + strings.Join(w[1:], " ") + " "
	run := false
	switch verb {
	case "run", "rerun", "re-run", "execute", "start", "restart", "launch", "stop", "kick",
		"запусти", "запустить", "прогони", "перезапусти", "выполни", "starte", "fuhre", "lass", "fuhr", "ejecuta", "ejecutar", "corre", "lanza", "lance", "execute-le", "lancer", "executer", "relance",
		"execute-o", "rode", "roda", "executa", "executar", "calistir", "baslat":
		run = true
	case "check":
		// "check the tests", not "check the retry logic"
		return endsIn(w, "tests", "test", "lint", "build", "types", "status", "ci", "formatting")
	case "commit", "push", "stage", "закоммить", "запушь", "committe", "pushe", "commitea", "commite", "comita", "commitle", "pushla":
		for _, x := range [...]string{" how ", " why ", " when "} {
			if strings.Contains(rest, x) {
				return false
			}
		}
		return len(w) <= 6
	case "build", "lint", "format", "typecheck", "test", "compile", "install", "deploy", "собери", "baue", "kompiliere", "compila", "compile-le":
		// "build the project", not "build a retry queue for payments"
		return len(w) <= 4 && (endsIn(w, "project", "app", "code", "repo", "everything", "all", "it", "this", "dependencies", "deps", "packages", "image", "workspace", "проект", "всё", "все", "projekt", "alles", "proyecto", "todo", "projet", "tout", "projeto", "tudo") || len(w) == 2 && !strings.Contains(rest, " a "))
	}
	// Turkish puts the verb last: "testleri çalıştır".
	switch w[len(w)-1] {
	case "calistir", "baslat", "calistirir", "derle", "commitle", "pushla":
		run = true
	}
	// "führe die Tests aus", "lass die Tests laufen" and the like hold a thing to run.
	if !run {
		return false
	}
	return t.count("test|tests|tests aus|test suite|suite|unit tests|e2e|lint|linter|build|dev server|server|typecheck|type check|formatter|benchmark|benchmarks|ci|script|migrations|checks|app|it|this|them|all tests|coverage"+
		"|тест*|линт*|сборк*|сервер|проверк*|скрипт|миграци*|prueb*|tests|servidor|linter|compilacion|test|les tests|serveur|testes|servidor|testleri|testler|sunucuyu|derleme", 1, 1) > 0
}

func endsIn(w []string, list ...string) bool {
	for _, x := range list {
		if w[len(w)-1] == x {
			return true
		}
	}
	return false
}

// gram reports a prompt that is mostly of a script without spaces, or Korean.
func (t *text) gram() bool {
	n := 0
	for _, w := range t.words {
		if isGram(w) {
			n++
		}
	}
	return n*2 >= len(t.words) && n > 0
}

// eastern: a short text of what to run and the verb.
func (t *text) eastern() bool {
	if n := len([]rune(strings.TrimSpace(t.gapped))); n > 24 {
		return false
	}
	thing := t.count("テスト|ビルド|リント|フォーマット|サーバ|型チェック|コミット|プッシュ|测试|构建|编译|格式化|代码检查|服务器|提交|推送|테스트|빌드|린트|포맷|서버|커밋|푸시|test|lint|build|ci", 1, 1) > 0
	verb := t.count("実行して|実行|走らせて|回して|流して|ビルドして|コミットして|プッシュして|起動して|再起動|运行|跑一下|跑一遍|执行|构建一下|构建项目|编译一下|编译项目|提交代码|提交一下|推送代码|推送一下|启动|重启|跑测试|실행|돌려|빌드해|커밋해|푸시해|시작해|재시작", 1, 1) > 0
	if !thing || !verb {
		return false
	}
	// A report or a question about it is no command.
	return t.count("失敗|直|なぜ|どう|エラー|追加|書いて|修正|失败|修复|为什么|怎么|报错|添加|写|실패|고쳐|왜|어떻게|추가|오류|작성", 1, 1) == 0
}
