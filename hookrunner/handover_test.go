package hookrunner

import (
	"os"
	"path/filepath"
	"testing"

	"pathrule/host"
)

func TestAnEventIsHandedUpwardOnlyAndToWhatIsThere(t *testing.T) {
	exe := func(name string) string {
		if filepath.Separator == '\\' {
			name += ".exe"
		}
		return name
	}
	for name, c := range map[string]struct {
		self  string
		there []string
		from  string
		full  bool
		want  string // program
		mark  string
	}{
		"the hook prefers the one that starts faster": {"pathrule-hook", []string{"pathrule-prompt", "pathrule"}, "", false, "pathrule-prompt", toPrompt},
		"without it, the whole program":               {"pathrule-hook", []string{"pathrule"}, "", false, "pathrule", toFull},
		"nobody there":                                {"pathrule-hook", nil, "", false, "", ""},
		"what writes an index is the whole program":   {"pathrule-prompt", []string{"pathrule-prompt", "pathrule"}, "", true, "pathrule", toFull},
		"also for an event that came from the hook":   {"pathrule-prompt", []string{"pathrule"}, toPrompt, true, "pathrule", toFull},
		"never downward again":                        {"pathrule-hook", []string{"pathrule-prompt"}, toPrompt, false, "", ""},
		"never from the top":                          {"pathrule-prompt", []string{"pathrule"}, toFull, true, "", ""},
	} {
		dir := t.TempDir()
		for _, p := range append(c.there, c.self) {
			if err := os.WriteFile(filepath.Join(dir, exe(p)), []byte(p), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		h, _ := host.ByName("claude-code")
		r := &runner{registered: h, host: h}
		r.env.Executable = filepath.Join(dir, exe(c.self))
		r.env.Vars = func(n string) string {
			if n == handedOver {
				return c.from
			}
			return ""
		}
		argv, mark := r.beside(c.full)
		got := ""
		if argv != nil {
			got = filepath.Base(argv[0])
		}
		want := c.want
		if want != "" {
			want = exe(want)
		}
		if got != want || mark != c.mark {
			t.Errorf("%s: %q marked %q, want %q marked %q", name, got, mark, want, c.mark)
		}
	}
}
