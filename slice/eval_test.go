package slice

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pathrule/knowledge"
	"pathrule/workspace"
)

// asked is one line of testdata/eval/prompts.txt.
type asked struct {
	ws, kind, lang, cwd string
	gold, fine          []string
	prompt              string
}

func readPrompts(t testing.TB) []asked {
	t.Helper()
	data, err := os.ReadFile("testdata/eval/prompts.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := func(s string) []string {
		if s == "" || s == "-" {
			return nil
		}
		return strings.Split(s, ",")
	}
	var out []asked
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(line, "|", 7)
		if len(f) != 7 {
			t.Fatalf("bad line %q", line)
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		out = append(out, asked{f[0], f[1], f[2], f[3], list(f[4]), list(f[5]), strings.ReplaceAll(strings.ReplaceAll(f[6], `\n`, "\n"), `\t`, "\t")})
	}
	return out
}

// counts is the result of a run over the prompts.
type counts struct {
	gold, hit, card       int // gold items, told as wanted, told as a line at least
	bodies, wrong         int // bodies told, neither gold nor fine
	cards, wrongCards     int
	empty, quiet, nothing int // prompts with nothing to find, without a body, without any text
	tokens                int
}

func (c counts) String() string {
	return fmt.Sprintf("gold %d/%d (line or better %d), bodies %d of which wrong %d, lines %d of which wrong %d, nothing to find %d: no body %d, no text %d; %d tokens",
		c.hit, c.gold, c.card, c.bodies, c.wrong, c.cards, c.wrongCards, c.empty, c.quiet, c.nothing, c.tokens)
}

func evaluate(t testing.TB, sources map[string]*fake, only func(asked) bool, tell func(string)) counts {
	var c counts
	for _, a := range readPrompts(t) {
		if only != nil && !only(a) {
			continue
		}
		f := sources[a.ws]
		p, err := Make(In{
			Channel: Prompt, Workspace: &workspace.Workspace{Root: "/home/dev/" + a.ws, ID: "0123456789abcdef"},
			Source: f, Prompt: a.prompt, Cwd: a.cwd, Exists: f.exists,
		})
		if err != nil {
			t.Fatal(err)
		}
		c.tokens += p.Tokens
		told := map[string]Form{}
		var wrong []string
		for _, it := range p.Items {
			id := string(it.Kind) + ":" + it.ID
			told[id] = it.Form
			good := slices.Contains(a.gold, id) || slices.Contains(a.fine, id)
			switch {
			case it.Kind != knowledge.Skill && it.Form == Body:
				c.bodies++
				if !good {
					c.wrong++
					wrong = append(wrong, fmt.Sprintf("body %s %s", id, whyText(it)))
				}
			case strict(&it):
			default:
				c.cards++
				if !good {
					c.wrongCards++
					wrong = append(wrong, fmt.Sprintf("line %s %s", id, whyText(it)))
				}
			}
		}
		if len(a.gold) == 0 {
			c.empty++
			if !slices.ContainsFunc(p.Items, func(i Item) bool { return i.Form == Body }) {
				c.quiet++
			}
			if !slices.ContainsFunc(p.Items, func(i Item) bool { return !strict(&i) }) {
				c.nothing++
			}
		}
		for _, g := range a.gold {
			c.gold++
			want := Body
			if strings.HasPrefix(g, "skill:") {
				want = Name
			}
			switch {
			case told[g] >= want:
				c.hit++
				c.card++
			case told[g] > None:
				c.card++
				wrong = append(wrong, "only a line: "+g+whyOf(p, g))
			default:
				wrong = append(wrong, "missing: "+g+whyOf(p, g))
			}
		}
		if len(wrong) > 0 && tell != nil {
			tell(fmt.Sprintf("[%s %s %s %s/%s] %s\n    %s", a.ws, a.kind, a.lang, p.Intent, p.Depth, a.prompt, strings.Join(wrong, "\n    ")))
		}
	}
	return c
}

func whyText(it Item) string {
	var b strings.Builder
	for _, w := range it.Why {
		fmt.Fprintf(&b, " %s=%.2f", w.Signal, w.Value)
	}
	return b.String()
}

func whyOf(p Plan, id string) string {
	for _, it := range p.Items {
		if string(it.Kind)+":"+it.ID == id {
			return whyText(it)
		}
	}
	for _, l := range p.LeftOut {
		if string(l.Kind)+":"+l.ID == id {
			return " left out: " + l.Why
		}
	}
	return " no candidate"
}

func TestDeliveryQuality(t *testing.T) {
	for _, size := range []int{0, 300, 3000} {
		t.Run(fmt.Sprintf("among %d foreign entries", size), func(t *testing.T) {
			sources := map[string]*fake{"harbor": readEntries(t, "harbor").bury(size), "orchard": readEntries(t, "orchard").bury(size)}
			tell := func(s string) { t.Log(s) }
			c := evaluate(t, sources, nil, tell)
			t.Log(c)
		})
	}
}
