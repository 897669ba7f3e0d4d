package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// figures are what one group of prompts shows. Shares are in percent; -1 where
// there was nothing to count.
type figures struct {
	Prompts int `json:"prompts"`
	Gold    int `json:"gold"` // links between prompts and entries that should come
	// Body: memories and rules whose whole body had been told, skills by name.
	// Sections: those, and entries told by some of their sections.
	Body     int `json:"body"`
	Sections int `json:"body_or_sections"`
	// Line: told as a card or better; skills by name. Touched adds what came by
	// the time the touched file was read, as anything, whole, or by sections.
	Line           int `json:"line"`
	Touched        int `json:"touched"`
	Opened         int `json:"touched_body"`
	OpenedSections int `json:"touched_body_or_sections"`
	// Bodies told in answer to these prompts, and those that are wrong; Hard are
	// look-alikes among them.
	Bodies int `json:"bodies"`
	Wrong  int `json:"wrong_bodies"`
	Hard   int `json:"hard_negative_bodies"`
	// WrongSkills were named with a prompt, and nobody wants them there.
	WrongSkills int `json:"wrong_skill_names"`
	// The same of what the touched file brought on top.
	OpenedBodies int `json:"touched_bodies"`
	OpenedWrong  int `json:"touched_wrong_bodies"`
	// Empty prompts have nothing to find; False of them got one all the
	// same that is not even background (also_ok), Spoke any text.
	Empty int `json:"no_match_prompts"`
	False int `json:"no_match_bodies"`
	Spoke int `json:"no_match_spoke"`
	// MCP: get_context's answers to the same questions.
	MCPBody     int `json:"mcp_body"`
	MCPSections int `json:"mcp_body_or_sections"`
	MCPLine     int `json:"mcp_line"`
	MCPFalse    int `json:"mcp_no_match_bodies"`

	Tokens     int     `json:"tokens"`
	ToolTokens int     `json:"touched_tokens"` // of what the touched file brought
	MCPTokens  int     `json:"mcp_tokens"`
	MRR        float64 `json:"mrr"`
	// Share of the workspace's whole text that a prompt costs on average.
	Share float64 `json:"share_of_whole"`
	Whole int     `json:"-"` // tokens, once per prompt
	rank  float64
}

func pct(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*float64(n)/float64(of))
}

// report is the result of one set.
type report struct {
	Name    string              `json:"name"`
	Entries int                 `json:"entries"`
	Whole   int                 `json:"whole_tokens"` // all knowledge in one file
	Oracle  int                 `json:"oracle_tokens"`
	All     figures             `json:"all"`
	Kinds   map[string]*figures `json:"kinds"`
	Langs   map[string]*figures `json:"langs"`
	// Dictionary are the prompts that only a dictionary could link; they are not
	// part of All.
	Dictionary figures `json:"dictionary"`
	// Common are the links by how many telling words prompt and entry have in
	// common: none, one, two, three or more. Those of Dictionary are among them.
	Common [mostCommon + 1]links `json:"by_words_in_common"`
	Misses []string              `json:"misses,omitempty"`
}

func newReport(name string) *report {
	return &report{Name: name, Kinds: map[string]*figures{}, Langs: map[string]*figures{}}
}

func judge(s *set, outcomes []outcome) *report {
	r := newReport(s.name)
	r.add(s, outcomes)
	r.finish()
	return r
}

// add counts the outcomes of one workspace in.
func (r *report) add(s *set, outcomes []outcome) {
	whole, w := s.whole(), s.words()
	r.Entries += len(s.entries)
	r.Whole += whole
	for _, o := range outcomes {
		groups := []*figures{&r.All, sub(r.Kinds, o.p.Kind), sub(r.Langs, o.p.Lang)}
		if o.p.Link == "dictionary" {
			groups = []*figures{&r.Dictionary}
		}
		for _, f := range groups {
			f.count(s, o)
			f.Whole += whole
		}
		r.link(w, o)
		for _, k := range o.p.Gold {
			r.Oracle += s.size(k)
		}
		r.Misses = append(r.Misses, misses(s, o)...)
	}
}

// finish turns sums into means.
func (r *report) finish() {
	for _, f := range append([]*figures{&r.All, &r.Dictionary}, append(slices.Collect(maps.Values(r.Kinds)), slices.Collect(maps.Values(r.Langs))...)...) {
		if f.Gold > 0 {
			f.MRR = float64(int(1000*f.rank/float64(f.Gold)+0.5)) / 1000
		}
		if f.Whole > 0 {
			f.Share = float64(int(1e5*float64(f.Tokens)/float64(f.Whole)+0.5)) / 1e5
		}
	}
}

func sub(m map[string]*figures, key string) *figures {
	if m[key] == nil {
		m[key] = &figures{}
	}
	return m[key]
}

// enough is the form in which an entry counts as delivered whole.
func enough(key string) form {
	if strings.HasPrefix(key, "skill:") {
		return name
	}
	return body
}

func (f *figures) count(s *set, o outcome) {
	f.Prompts++
	f.Tokens += o.tokens
	f.ToolTokens += o.touchTokens
	f.MCPTokens += o.mcpTokens
	if o.p.silent() {
		f.Empty++
		if o.misled(o.prompt) {
			f.False++
		}
		if o.text != "" {
			f.Spoke++
		}
		if o.misled(o.mcp) {
			f.MCPFalse++
		}
	}
	for _, k := range o.p.Gold {
		f.Gold++
		want := enough(k)
		least := min(want, part)
		if o.session.forms[k] >= want && (o.prompt.forms[k] >= want || o.p.Session != "") {
			f.Body++
		}
		if o.session.forms[k] >= least && (o.prompt.forms[k] >= least || o.p.Session != "") {
			f.Sections++
		}
		if line(k, o.prompt) || o.p.Session != "" && line(k, o.session) {
			f.Line++
		}
		if line(k, o.touched) || o.touched.forms[k] >= name || o.p.Session != "" && line(k, o.session) {
			f.Touched++
		}
		if o.touched.forms[k] >= want || o.p.Session != "" && o.session.forms[k] >= want {
			f.Opened++
		}
		if o.touched.forms[k] >= least || o.p.Session != "" && o.session.forms[k] >= least {
			f.OpenedSections++
		}
		if o.mcp.forms[k] >= want {
			f.MCPBody++
		}
		if o.mcp.forms[k] >= least {
			f.MCPSections++
		}
		if line(k, o.mcp) {
			f.MCPLine++
		}
		if i := slices.Index(o.prompt.order, k); i >= 0 {
			f.rank += 1 / float64(i+1)
		} else if o.p.Session != "" && o.session.forms[k] >= want {
			f.rank++
		}
	}
	for _, k := range o.prompt.order {
		if o.prompt.forms[k] >= name && strings.HasPrefix(k, "skill:") && o.wrong(k) {
			f.WrongSkills++
		}
		if o.prompt.forms[k] < part {
			continue
		}
		f.Bodies++
		if o.wrong(k) {
			f.Wrong++
		}
		if slices.Contains(o.p.Hard, k) {
			f.Hard++
		}
	}
	for _, k := range o.touched.order {
		if o.touched.forms[k] < part || o.prompt.forms[k] >= part {
			continue
		}
		f.OpenedBodies++
		if o.wrong(k) {
			f.OpenedWrong++
		}
	}
}

// wrong reports a body, or sections of one, that nobody wants here.
func (o *outcome) wrong(k string) bool {
	return !slices.Contains(o.p.Gold, k) && !slices.Contains(o.p.AlsoOK, k)
}

func line(k string, g given) bool {
	return g.forms[k] >= card || strings.HasPrefix(k, "skill:") && g.forms[k] >= name
}

// misled reports that a prompt with nothing to find got a body, or sections of
// one, that nobody wants.
func (o *outcome) misled(g given) bool {
	for k, f := range g.forms {
		if f >= part && o.wrong(k) {
			return true
		}
	}
	return false
}

var forms = [...]string{"nothing", "a name", "a line", "sections", "a body"}

func misses(s *set, o outcome) (out []string) {
	say := func(format string, args ...any) {
		out = append(out, fmt.Sprintf("%s %s/%s %q: ", o.p.ID, o.p.Kind, o.p.Lang, short(o.p.Prompt, 70))+fmt.Sprintf(format, args...))
	}
	for _, k := range o.p.Gold {
		if f := o.session.forms[k]; f < min(enough(k), part) {
			say("%s (%d tokens) came as %s; get_context gave %s", k, s.size(k), forms[f], forms[o.mcp.forms[k]])
		}
	}
	for _, k := range o.prompt.order {
		if o.prompt.forms[k] >= part && o.wrong(k) {
			say("wrong body %s", k)
		}
	}
	for _, k := range o.touched.order {
		if o.touched.forms[k] >= part && o.prompt.forms[k] < part && o.wrong(k) {
			say("wrong body %s with the touched file", k)
		}
	}
	return out
}

func (r *report) print(w io.Writer, verbose, mcp bool) {
	fmt.Fprintf(w, "\n%s: %d entries, %d tokens in one file\n", r.Name, r.Entries, r.Whole)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "group\tprompts\tgold\tbody %\t+sections\tline %\ttouched: body %\t+sections\tany %\tMRR\tbodies\twrong\thard\ttouched: bodies\twrong\tno match\twith body\tspoke\ttokens\ttouched\tget_context body %\t+sections\tline %\tfalse\t")
	row := func(name string, f *figures) {
		if f.Prompts == 0 {
			return
		}
		m := [4]string{"-", "-", "-", "-"}
		if mcp {
			m = [4]string{pct(f.MCPBody, f.Gold), pct(f.MCPSections, f.Gold), pct(f.MCPLine, f.Gold), fmt.Sprint(f.MCPFalse)}
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%.2f\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t\n", name, f.Prompts, f.Gold, pct(f.Body, f.Gold), pct(f.Sections, f.Gold), pct(f.Line, f.Gold),
			pct(f.Opened, f.Gold), pct(f.OpenedSections, f.Gold), pct(f.Touched, f.Gold),
			f.MRR, f.Bodies, f.Wrong, f.Hard, f.OpenedBodies, f.OpenedWrong, f.Empty, f.False, f.Spoke, f.Tokens/f.Prompts, f.ToolTokens/f.Prompts, m[0], m[1], m[2], m[3])
	}
	row("all", &r.All)
	for _, k := range slices.Sorted(maps.Keys(r.Kinds)) {
		row(k, r.Kinds[k])
	}
	for _, k := range slices.Sorted(maps.Keys(r.Langs)) {
		row("lang "+k, r.Langs[k])
	}
	row("dictionary", &r.Dictionary)
	t.Flush()
	for i, l := range r.Common {
		if l.Gold > 0 {
			fmt.Fprintf(w, "%s in common: %d links, body %s %%, line %s %%, by the time the file was touched body %s %%\n",
				[...]string{"no word", "one word", "two words", "three words or more"}[i], l.Gold, pct(l.Body, l.Gold), pct(l.Line, l.Gold), pct(l.Opened, l.Gold))
		}
	}
	fmt.Fprintf(w, "tokens per prompt: %.2f %% of the workspace's whole text\n", 100*r.All.Share)
	if verbose {
		for _, m := range r.Misses {
			fmt.Fprintln(w, "  "+m)
		}
	}
}
