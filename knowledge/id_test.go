package knowledge

import (
	"strings"
	"testing"

	"pathrule/workspace"
)

func TestIDs(t *testing.T) {
	for id, c := range map[string]struct{ read, write bool }{
		"stripe-retries":                {true, true},
		"billing/stripe_retries.v2":     {true, true},
		"請求書/締め日":                       {true, true},
		"größe":                         {true, true},
		"हिन्दी":                        {true, true},
		"2024-03-cache":                 {true, true},
		"-x":                            {true, true},
		"":                              {false, false},
		"a b":                           {false, false},
		"a:b":                           {false, false},
		"a\\b":                          {false, false},
		"../a":                          {false, false},
		"a/../b":                        {false, false},
		"a/./b":                         {false, false},
		".hidden":                       {false, false},
		"a//b":                          {false, false},
		"/a":                            {false, false},
		"a/":                            {false, false},
		"gro\u0308ße":                   {false, false},
		"a\u200bb":                      {false, false},
		"a\x00":                         {false, false},
		"\xff":                          {false, false},
		strings.Repeat("x", 201):        {false, false},
		strings.Repeat("x/", 200) + "y": {false, false},
		"con":                           {true, false},
		"a/NUL.txt":                     {true, false},
		"com1":                          {true, false},
		"com10":                         {true, true},
		"console":                       {true, true},
		"a.":                            {true, false},
		"x.md":                          {true, false},
	} {
		if err := CheckID(id); (err == nil) != c.read {
			t.Errorf("read %q: %v", id, err)
		}
		if err := CheckNewID(id); (err == nil) != c.write {
			t.Errorf("write %q: %v", id, err)
		}
	}
}

func FuzzSlugIsAnID(f *testing.F) {
	for _, s := range []string{"Stripe: retries", "請求書の締め日", "ＡＰＩ", "con", "a\u0308", "हिन्दी", "COM1.x", strings.Repeat("长", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, title string) {
		s := Slug(title)
		if s == "" {
			return
		}
		if err := CheckNewID(s); err != nil {
			t.Fatalf("%q gives %q: %v", title, s, err)
		}
		if strings.HasPrefix(s, "-") || strings.HasSuffix(s, "-") || strings.Contains(s, "--") || strings.Contains(s, "/") {
			t.Fatalf("%q gives %q", title, s)
		}
	})
}

func TestIdentNamesEntriesAndNothingElse(t *testing.T) {
	for rel, want := range map[string]string{
		"memories/a.md":           "memory:a",
		"memories/a/b.c.md":       "memory:a/b.c",
		"rules/gro\u0308ße.md":    "rule:größe",
		"skills/deploy/SKILL.md":  "skill:deploy",
		"skills/ops/web/SKILL.md": "skill:ops/web",
		"skills/SKILL.md":         "",
		"skills/deploy/notes.md":  "",
		"skills/deploy/skill.md":  "",
		"memories/a.mdc":          "",
		"memories/.md":            "",
		"memories/.#a.md":         "",
		"memories/a.md~":          "",
		"memories/../rules/a.md":  "",
		"trash/x/memories/a.md":   "",
		"team.md":                 "",
		"memories":                "",
	} {
		k, id, ok := Ident(rel)
		got := ""
		if ok {
			got = string(k) + ":" + id
		}
		if got != want {
			t.Errorf("%q is %q, want %q", rel, got, want)
		}
		if ok && CheckID(id) == nil {
			if k2, id2, ok := Ident(FileOf(k, id)); !ok || k2 != k || id2 != id {
				t.Errorf("%q does not come back: %s:%s", rel, k2, id2)
			}
		}
	}
}

func TestPersonalEntriesChooseTheirWorkspaces(t *testing.T) {
	ws := &workspace.Workspace{Root: "/home/me/work/shop", ID: "0123456789abcdef"}
	for _, c := range []struct {
		list []string
		want bool
	}{
		{nil, true},
		{[]string{"shop"}, true},
		{[]string{"0123456789abcdef"}, true},
		{[]string{"/home/me/work/shop"}, true},
		{[]string{"~/work"}, true},
		{[]string{"~/work/*"}, true},
		{[]string{"~/wor"}, false},
		{[]string{"other", "/srv"}, false},
		{[]string{"work/shop"}, false},
	} {
		e := Entry{Workspaces: c.list}
		if got := e.InWorkspace(ws, "/home/me"); got != c.want {
			t.Errorf("%v: %v", c.list, got)
		}
	}
}

func TestVersionIsXXHash64InHex(t *testing.T) {
	// The published test vector of XXH64 with seed 0.
	if got := Version(nil); got != "ef46db3751d8e999" {
		t.Errorf("empty input: %s", got)
	}
}
