package fastify

import (
	"fmt"
	"io"
)

// Report holds what each mode showed; a mode that did not run is nil.
type Report struct {
	A      *promptReport `json:"a_fresh,omitempty"`
	B      *promptReport `json:"b_session,omitempty"`
	D      *pathReport   `json:"d_path,omitempty"`
	E      *walkReport   `json:"e_walk,omitempty"`
	F      *promptReport `json:"f_mcp,omitempty"`
	G      *lifeReport   `json:"g_compact,omitempty"`
	H      *lifeReport   `json:"h_edit,omitempty"`
	R      *lifeReport   `json:"determinism,omitempty"`
	Missed []string      `json:"missed"`
}

// judge holds the figures against the project's targets (docs/performance.md).
func (r *Report) judge() {
	r.Missed = []string{}
	miss := func(bad bool, format string, args ...any) {
		if bad {
			r.Missed = append(r.Missed, fmt.Sprintf(format, args...))
		}
	}
	if a := r.A; a != nil {
		miss(a.AbstainBodies > 0, "A: %d bodies on the abstain prompt", a.AbstainBodies)
		miss(a.HardNegatives > 1, "A: %d hard-negative bodies, at most 1", a.HardNegatives)
	}
	if b := r.B; b != nil {
		miss(b.GoldBody.Hit < b.GoldBody.Of, "B: gold bodies %v", b.GoldBody)
		miss(b.GoldSkillName.Hit < b.GoldSkillName.Of, "B: gold skills by name %v", b.GoldSkillName)
		miss(b.HardNegatives > 0, "B: %d hard-negative bodies", b.HardNegatives)
		miss(b.Unrelated > 0, "B: %d unrelated bodies", b.Unrelated)
		miss(b.AbstainBodies > 0, "B: %d bodies on the abstain prompt", b.AbstainBodies)
		miss(float64(b.BodyTokens) > 1.1*float64(b.OracleTokens), "B: bodies %d tokens, oracle %d", b.BodyTokens, b.OracleTokens)
		miss(b.TextTokens > 700, "B: prompt text %d tokens, at most 700", b.TextTokens)
		miss(b.RepeatBytes > 0, "C: %d bytes on repeats", b.RepeatBytes)
	}
	if e := r.E; e != nil {
		miss(e.Missing > 0 || e.Foreign > 0, "E: %d entries never told, %d foreign", e.Missing, e.Foreign)
		miss(e.Twice > 0, "E: %d entries told twice in one form", e.Twice)
	}
	if f := r.F; f != nil {
		miss(f.AbstainBodies > 0, "F: %d bodies on the abstain prompt", f.AbstainBodies)
		miss(f.GoldBody.Hit < f.GoldBody.Of, "F: gold bodies %v", f.GoldBody)
		miss(f.HardNegatives > 1, "F: %d hard-negative bodies, at most 1", f.HardNegatives)
	}
	if d := r.D; d != nil {
		miss(d.Exact.Hit < d.Exact.Of, "D: exact %v", d.Exact)
	}
	for i, l := range []*lifeReport{r.G, r.H, r.R} {
		if l != nil && !l.OK {
			miss(true, "%s: %d findings", []string{"G", "H", "determinism"}[i], len(l.Notes))
		}
	}
}

// Print writes the figures as text.
func (r *Report) Print(w io.Writer) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	for _, m := range []struct {
		name string
		r    *promptReport
	}{{"A  each prompt in a new session", r.A}, {"B  ten prompts in one session", r.B}, {"F  get_context for each prompt", r.F}} {
		if m.r == nil {
			continue
		}
		p("%s", m.name)
		p("   gold as body %v, gold skill by name %v, facts %v, MRR %.2f", m.r.GoldBody, m.r.GoldSkillName, m.r.Facts, m.r.MRR)
		p("   hard negatives %d, unrelated %d, on the abstain prompt %d, on the source-only prompt %d", m.r.HardNegatives, m.r.Unrelated, m.r.AbstainBodies, m.r.SourceBodies)
		p("   tokens: bodies %d, oracle %d, whole text %d; prompt process median %.1f ms, p95 %.1f ms", m.r.BodyTokens, m.r.OracleTokens, m.r.TextTokens, m.r.MedianMS, m.r.P95MS)
		if m.r.RepeatBytes >= 0 {
			p("C  the same ten again: %d bytes", m.r.RepeatBytes)
		}
		notes(w, m.r.Notes)
	}
	if d := r.D; d != nil {
		p("D  one read per path: exact %v, own missing %d, inherited %v, foreign %d, text %d tokens; tool process median %.1f ms, p95 %.1f ms",
			d.Exact, d.OwnMissing, d.Inherited, d.Foreign, d.Tokens, d.MedianMS, d.P95MS)
		notes(w, d.Notes)
	}
	if e := r.E; e != nil {
		p("E  all paths in one session: %d entries told, %d never, %d foreign, %d twice, text %d tokens", e.Told, e.Missing, e.Foreign, e.Twice, e.Tokens)
		notes(w, e.Notes)
	}
	for _, l := range []struct {
		name string
		r    *lifeReport
	}{{"G  compaction brings the body back", r.G}, {"H  an edited body comes once", r.H}, {"R  same bytes in 20 parallel runs and another write order", r.R}} {
		if l.r != nil {
			p("%s: %v", l.name, l.r.OK)
			notes(w, l.r.Notes)
		}
	}
	if len(r.Missed) == 0 {
		p("all targets met")
		return
	}
	p("missed targets:")
	notes(w, r.Missed)
}

func notes(w io.Writer, all []string) {
	for i, n := range all {
		if i == 12 {
			fmt.Fprintf(w, "     and %d more\n", len(all)-i)
			break
		}
		fmt.Fprintf(w, "   - %s\n", n)
	}
}
