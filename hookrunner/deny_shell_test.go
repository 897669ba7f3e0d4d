package hookrunner_test

import (
	"strings"
	"testing"
)

// What a block with "on: both" or "on: shell" says of commands: text that a
// command puts into a file it covers is denied however it is written, text that
// it only looks for or takes out is not, and what cannot be read passes.
func TestACommandIsHeldToABlockThatSpeaksOfCommands(t *testing.T) {
	w := newWorld(t, shop, map[string]string{
		".pathrule/rules/no-eval.md":  "---\ntitle: No eval\npaths: [src]\nblock: [{pattern: '\\beval\\(', on: both, message: Parse the value instead.}]\n---\nText.\n",
		".pathrule/rules/no-force.md": "---\ntitle: No force\nblock: [{pattern: '^\\s*git push\\b.*(--force|-f\\b)', on: shell, paths: [/], message: Ask before a forced push.}]\n---\nText.\n",
		"src/old.js":                  "a = eval(b)\nkeep()\n",
	})
	w.approve("no-eval")
	w.approve("no-force")
	for command, deny := range map[string]bool{
		// a text that goes into a file
		"cat > src/new.js <<'EOF'\nx = eval(y)\nEOF":                                      true,
		"cat <<EOF >> src/old.js\nx = eval(y)\nEOF":                                       true,
		"cat <<-\"END\" > src/new.js\n\tx = eval(y)\n\tEND\nls":                           true,
		"cd src && cat > new.js <<'EOF'\neval(1)\nEOF":                                    true,
		"cd src; cat > new.js <<'EOF'\neval(1)\nEOF":                                      true,
		"tee src/new.js <<'EOF'\neval(1)\nEOF":                                            true,
		"echo 'eval(1)' | tee -a src/new.js":                                              true,
		"echo 'eval(1)' | sudo tee src/new.js > /dev/null":                                true,
		"printf 'eval(1)\\n' >> src/new.js":                                               true,
		"echo \"eval(1)\" > src/new.js":                                                   true,
		"sed -i 's/keep()/eval(1)/' src/old.js":                                           true,
		"sed -i '1a eval(1)' src/old.js":                                                  true,
		"perl -pi -e 's/keep\\(\\)/eval(1)/' src/old.js":                                  true,
		"python3 - <<'EOF'\nopen('src/new.js','w').write('eval(1)')\nEOF\ncat src/old.js": true,
		"bash -lc \"echo 'eval(1)' > src/new.js\"":                                        true,
		"dd of=src/new.js <<< 'eval(1)'":                                                  true,
		"pwsh -Command \"Set-Content -Path src/new.js -Value 'eval(1)'\"":                 true,
		// only looked for, taken out, or in another folder
		"grep -rn 'eval(' src":                    false,
		"rg 'eval\\(' src/old.js | head":          false,
		"git grep 'eval(' -- src":                 false,
		"sed -i '/eval(/d' src/old.js":            false,
		"sed -i 's/eval(b)/parse(b)/' src/old.js": false,
		"sed -n '/eval(/p' src/old.js":            false,
		"cat > web/new.js <<'EOF'\neval(1)\nEOF":  false,
		"echo 'eval(1)' > src-old/new.js":         false,
		"cat src/old.js":                          false,
		// what nobody can read from the line
		"F=src/new.js; echo 'eval(1)' > \"$F\"":      false,
		"echo ZXZhbCgxKQ== | base64 -d > src/new.js": false,
		"python3 make_it.py src/old.js":              false,
		// a block for commands alone
		"git push --force origin main":        true,
		"npm test && git push -f":             false, // its "^" means the line
		"cd web\n  git push -f":               true,
		"git push origin main":                false,
		"echo 'git push --force' >> notes.md": false,
	} {
		reason := w.decide("tool_name", "Bash", "tool_input", input("command", command))
		if (reason != "") != deny {
			t.Errorf("%q: denied = %v, want %v: %s", command, reason != "", deny, reason)
		}
		if reason != "" && !strings.Contains(reason, "In the command: ") {
			t.Errorf("%q: %s", command, reason)
		}
	}
	for command, deny := range map[string]bool{
		"Set-Content -Path src\\new.js -Value 'eval(1)'":            true,
		"@'\nit's eval(1)\n'@ | Out-File src/new.js -Encoding utf8": true,
		"Add-Content src/new.js \"eval(1)\"":                        true,
		"Set-Content web\\new.js 'eval(1)'":                         false,
		"Select-String -Pattern 'eval(' -Path src/old.js":           false,
	} {
		if reason := w.decide("tool_name", "PowerShell", "tool_input", input("command", command)); (reason != "") != deny {
			t.Errorf("PowerShell %q: denied = %v, want %v: %s", command, reason != "", deny, reason)
		}
	}
	// The line is shown as it was typed.
	has(t, w.decide("tool_name", "Bash", "tool_input", input("command", "grep 'eval(' src/old.js && echo 'eval(1)' >> src/old.js")), "In the command: grep 'eval(' src/old.js && echo 'eval(1)' >> src/old.js")
	if l := w.log(); l != "" {
		t.Errorf("log: %s", l)
	}
}
