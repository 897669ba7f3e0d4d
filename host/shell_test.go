package host

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPathsInAShellLine(t *testing.T) {
	for line, want := range map[string]string{
		`cat src/a.ts`:                                         "src/a.ts",
		`cat a.ts b.ts`:                                        "a.ts b.ts",
		`cat Makefile`:                                         "Makefile",
		`cat 'a b.ts' "c d.ts" e\ f.ts`:                        "a b.ts|c d.ts|e f.ts",
		`cd src && cat api/x.ts`:                               "src/api/x.ts",
		`cd /r/src; cat x.ts`:                                  "/r/src/x.ts",
		`cd src && cd api && cat x.ts`:                         "src/api/x.ts",
		`(cd src && cat x.ts); cat y.ts`:                       "src/x.ts y.ts",
		`cd "$DIR" && cat x.ts`:                                "",
		`cd - && cat x.ts && cat /r/y.ts`:                      "/r/y.ts",
		`sed -n 1,3p src/a.ts`:                                 "src/a.ts",
		`sed -i 's/a\/b/c/' src/a.ts`:                          "edit:src/a.ts",
		`sed -i.bak -e s/x/y/ src/a.ts`:                        "edit:src/a.ts",
		`sed -E --in-place 's/a/b/' a.ts`:                      "edit:a.ts",
		`sed -n -e '/x/p' a.ts`:                                "a.ts",
		`printf 'x\n' >> src/new.ts`:                           "create:src/new.ts",
		`echo x | tee src/new.ts`:                              "create:src/new.ts",
		`echo x | sudo tee -a src/new.ts lib/n.ts >/dev/null`:  "create:src/new.ts create:lib/n.ts",
		`dd if=a of=src/new.ts bs=1`:                           "create:src/new.ts",
		`git grep -n 'a.b' src`:                                "src",
		`sed -e s/x/y/ -e s/z/w/ a.ts`:                         "a.ts",
		`rg -n "foo bar" src lib/x.go`:                         "src lib/x.go",
		`grep -rn foo.bar src/`:                                "src/",
		`grep -e foo.bar src/a.ts`:                             "src/a.ts",
		`awk '{print $1}' data/x.csv`:                          "data/x.csv",
		`perl -pi -e 's/a.b/c/' src/a.pl`:                      "edit:src/a.pl",
		`perl -ne 'print' src/a.pl`:                            "src/a.pl",
		`find src lib -name '*.ts' -print`:                     "src lib",
		`ls -la`:                                               "",
		`ls src/api/*.ts`:                                      "src/api",
		`ls *.ts`:                                              "",
		`cat src/{a,b}.ts`:                                     "src",
		`echo see src/a.ts`:                                    "",
		`echo x > out/a.txt 2>&1`:                              "create:out/a.txt",
		`echo x >> out/a.txt 2>/dev/null`:                      "create:out/a.txt",
		`sort < in.txt > out.txt`:                              "in.txt create:out.txt",
		`make build &> logs/b.log`:                             "create:logs/b.log",
		`go test ./...`:                                        "",
		`go test ./internal/x/...`:                             "./internal/x",
		`npm test`:                                             "",
		`npm run build -- --config=cfg/a.js`:                   "cfg/a.js",
		`pytest tests/test_a.py::test_b`:                       "tests/test_a.py::test_b",
		`./scripts/build.sh --all`:                             "./scripts/build.sh",
		`python scripts/x.py data/in.csv`:                      "scripts/x.py data/in.csv",
		`sudo -n cat etc/app.conf`:                             "etc/app.conf",
		`FOO=bar env X=1 cat a.ts`:                             "a.ts",
		`timeout 5 cat a.ts`:                                   "a.ts",
		`bash -lc "cd src && cat 'a b.ts'"`:                    "src/a b.ts",
		`bash scripts/x.sh`:                                    "scripts/x.sh",
		`cat $(git ls-files src/a.ts)`:                         "src/a.ts",
		"cat `cat list.txt`":                                   "list.txt",
		`cat "$HOME/x.ts" y.ts`:                                "y.ts",
		`cat ~/x.ts`:                                           "",
		`diff <(sort a.txt) <(sort b.txt)`:                     "a.txt b.txt",
		`curl https://x.test/a.json`:                           "",
		`git add src && git commit -m "fix a.ts"`:              "src",
		`git diff main`:                                        "",
		`git diff main -- docs`:                                "docs",
		`git show HEAD~1:src/a.ts`:                             "src/a.ts",
		`git -C sub log -- a.ts`:                               "sub/a.ts",
		`git checkout feature/x`:                               "feature/x",
		`git push origin feature/x`:                            "",
		`if [ -f src/a.ts ]; then cat src/b.ts; fi`:            "src/a.ts src/b.ts",
		`cat a.ts # and b.ts`:                                  "a.ts",
		"cat a.ts \\\n  b.ts\ncat c.ts":                        "a.ts b.ts c.ts",
		"cat <<EOF > out.md\ncat inside.ts\nEOF\ncat after.ts": "create:out.md after.ts",
		"cat <<< text.ts":                                      "",
		"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.ts\n+cat b.ts\n*** End Patch\nEOF":                         "create:a.ts",
		"cd sub && apply_patch <<-EOF\n*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n*** End Patch\n\tEOF\n": "edit:sub/a.ts create:sub/b.ts",
		"apply_patch '*** Begin Patch\n*** Delete File: a.ts\n*** End Patch'":                                             "delete:a.ts",
		`cat 'unclosed.ts`: "unclosed.ts",
		`cat $(unclosed`:   "",
		``:                 "",
		`&& || ;; | ) ( <`: "",
	} {
		t.Run(line, func(t *testing.T) {
			if d := cmp.Diff(want, show(shellTouches(line, posix), strings.Contains(want, "|"))); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestPathsInAPowerShellLine(t *testing.T) {
	for line, want := range map[string]string{
		`Get-Content src\a.ts`:                          `src\a.ts`,
		`cd src; type api\x.ts`:                         `src/api\x.ts`,
		`Get-Content "C:\r\a b.ts" | Select-String foo`: `C:\r\a b.ts`,
		`Select-String foo.bar src\a.ts`:                `src\a.ts`,
		`gc $env:HOME\x.ts; gc y.ts`:                    `y.ts`,
		`'x' | Out-File out\a.txt`:                      `create:out\a.txt`,
		`if (Test-Path src\a.ts) { gc src\b.ts }`:       `src\a.ts src\b.ts`,
		"gc a` b.ts":                             `a b.ts`,
		`pwsh -NoProfile -Command "gc src\a.ts"`: `src\a.ts`,
	} {
		if d := cmp.Diff(want, show(shellTouches(line, powershell), false)); d != "" {
			t.Errorf("%s -want +got:\n%s", line, d)
		}
	}
}

func show(list []Touch, bars bool) string {
	var b strings.Builder
	for i, t := range list {
		if i > 0 {
			b.WriteString(map[bool]string{true: "|", false: " "}[bars])
		}
		if t.Op != Shell {
			b.WriteString(string(t.Op) + ":")
		}
		b.WriteString(t.Path)
	}
	return b.String()
}

func TestALongLineIsReadInPart(t *testing.T) {
	line := strings.Repeat("cat a.ts b.ts c.ts; ", 10_000) + "cat late.ts"
	if got := show(shellTouches(line, posix), false); got != "a.ts b.ts c.ts" {
		t.Errorf("got %s", got)
	}
	many := "cat"
	for i := range 1000 {
		many += " f" + strings.Repeat("x", i%7) + "." + strings.Repeat("y", 1+i/7)
	}
	if got := len(shellTouches(many, posix)); got != maxTouches {
		t.Errorf("%d touches, want %d", got, maxTouches)
	}
}

// Whatever the text, reading it ends, stays within the bound, and names only
// paths made of the text's own words.
func FuzzShell(f *testing.F) {
	for _, s := range []string{`cd a && (cat "b c" $(d "e") > f) <<X` + "\ng\nX\nh", "`a`\\", `$(((`, `<<`, `cd /; cat /...`, `bash -c 'sh -c "cat x.y"'`, "git -C", `"$(`, `a=`, "Cd \x00&BAt A", "git -C '\n' add a", "cd 'a\nb' && cat c.d"} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, ps bool) {
		sh := posix
		if ps {
			sh = powershell
		}
		got := shellTouches(s, sh)
		if len(got) > maxTouches {
			t.Fatalf("%d touches", len(got))
		}
		for _, touch := range got {
			if touch.Path == "" || strings.ContainsAny(touch.Path, "\n\x00") {
				t.Fatalf("path %q of %q", touch.Path, s)
			}
			// By bytes, since a quote between two may be all that kept them apart.
			for _, c := range []byte(strings.ReplaceAll(touch.Path, "\uFFFD", "")) {
				if c != '/' && c != '.' && strings.IndexByte(s, c) < 0 {
					t.Fatalf("path %q holds %q, which %q does not", touch.Path, c, s)
				}
			}
		}
	})
}

// A file that a patch names with a header is found, and a file that only a
// patched line mentions is not, whatever stands around them.
func FuzzPatch(f *testing.F) {
	f.Add("a.go", "x\n*** End Patch", "sub")
	f.Add("b c/d.go", "@@\n-x\n+y", "")
	f.Fuzz(func(t *testing.T, name, body, dir string) {
		for _, touch := range patchTouches(body, dir) {
			if touch.Path == "" || strings.ContainsAny(touch.Path, "\n\x00") {
				t.Fatalf("path %q of %q", touch.Path, body)
			}
		}
		name = strings.TrimSpace(name)
		if name == "" || len(name) > 1000 || strings.ContainsAny(name, "\r\n\x00") || name == "secret.go" {
			return
		}
		lines := "+" + strings.ReplaceAll(strings.ReplaceAll(body, "\r", ""), "\n", "\n+")
		got := patchTouches("*** Begin Patch\n*** Update File: "+name+"\n"+lines+"\n+*** Add File: secret.go\n*** End Patch\n", "")
		if len(got) != 1 || got[0] != (Touch{name, Edit}) {
			t.Fatalf("%q: got %v", name, got)
		}
	})
}
