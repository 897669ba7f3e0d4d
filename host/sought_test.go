package host

import (
	"strings"
	"testing"

	"pathrule/internal/sysenv"
)

func TestWhatACommandAdds(t *testing.T) {
	for line, want := range map[string]string{
		`grep -rn "eval(" src`:                        `grep -rn         src`,
		`rg -e 'eval(' -e keep src`:                   `rg -e         -e      src`,
		`git grep "eval(" -- src`:                     `git grep         -- src`,
		`cd src && grep eval a | sort`:                `cd src && grep      a | sort`,
		`sed -i 's/eval(x)/parse(x)/g' a.js`:          `sed -i 's/       /parse(x)/g' a.js`,
		`sed -i 's/parse(x)/eval(x)/g' a.js`:          `sed -i 's/        /eval(x)/g' a.js`,
		`sed -i '/eval(/d' a.js`:                      `sed -i '/     /d' a.js`,
		`sed -i "/eval(/,/end/s|eval|parse|;3d" a.js`: `sed -i "/     /,/   /s|    |parse|;3d" a.js`,
		`sed -i -e 's#a\#eval#b#' a.js`:               `sed -i -e 's#       #b#' a.js`,
		`sed -i '1i eval(x)' a.js`:                    `sed -i '1i eval(x)' a.js`,
		`sed -i s/eval/x/ a.js`:                       `sed -i s/    /x/ a.js`,
		`perl -pi -e 's/eval/x/' a.js`:                `perl -pi -e 's/    /x/' a.js`,
		`echo "eval(1)" > a.js`:                       `echo "eval(1)" > a.js`,
		"cat > a.js <<'EOF'\ngrep eval(1)\nEOF":       "cat > a.js <<'EOF'\ngrep eval(1)\nEOF",
		`grep 'unclosed`:                              `grep          `,
		`git commit -m "no eval("`:                    `git commit -m "no eval("`,
		`awk '/eval/ {print "x"}' a.js`:               `awk '/eval/ {print "x"}' a.js`,
		`bash -c "grep eval a.js"`:                    `bash -c "grep eval a.js"`,
		``:                                            ``,
	} {
		if got := Adds(line, sysenv.Env{GOOS: "linux"}); got != want {
			t.Errorf("%q\n got %q\nwant %q", line, got, want)
		}
	}
}

func TestFilesThatPowerShellWrites(t *testing.T) {
	for line, want := range map[string]string{
		`Set-Content -Path src\new.js -Value 'eval(1)'`:                    `create:src\new.js`,
		`Set-Content src/new.js 'eval(1)'`:                                 `create:src/new.js`,
		`'eval(1)' | Out-File -FilePath src\new.js -Encoding utf8 -Append`: `create:src\new.js`,
		`"x" | Out-File src/new.js`:                                        `create:src/new.js`,
		`Add-Content -LiteralPath 'src\a b.js' "x"`:                        `create:src\a b.js`,
		`New-Item -ItemType File -Path src\new.js -Value "x" -Force`:       `create:src\new.js`,
		"@'\nit's eval(1)\ncat other.js\n'@ | Set-Content src/new.js":      `create:src/new.js`,
		"@\"\n$x \"eval(1)\"\n\"@ > src\\new.js":                           `create:src\new.js`,
		`sc src\new.js x`:                                                  `create:src\new.js`,
		`Get-Content src\old.js`:                                           `src\old.js`,
	} {
		if got := show(shellTouches(line, spoken(line, powershell)), strings.Contains(want, " ")); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	if spoken(`cat src/a.js`, powershell) != posix || spoken(`cat src\a.js`, powershell) != powershell || spoken(`x`, posix) != posix {
		t.Error("the language of a line")
	}
}

// Nothing moves: what is left stands where it stood, and what is blank was
// typed by nobody as text that goes in.
func FuzzAdds(f *testing.F) {
	for _, s := range []string{`grep -e 'a b' "c`, `sed -e s/x\\/y/z/ -n`, "rg x\nsed 's|a|b", `sed "$X/a/"`, "@'\n'@ | sc a", `git grep`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, os := range []string{"linux", "windows"} {
			got := Adds(line, sysenv.Env{GOOS: os})
			if len(got) != len(line) {
				t.Fatalf("%q becomes %q", line, got)
			}
			for i := range got {
				if got[i] != line[i] && (got[i] != ' ' || line[i] == '\n') {
					t.Fatalf("%q becomes %q", line, got)
				}
			}
		}
	})
}
