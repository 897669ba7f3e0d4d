package knowledge

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLineCarriesTheDecision(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for name, c := range map[string]struct{ title, desc, body, want string }{
		"a description waits for the text":        {"", "TypeScript style", "# x\n\nNamed exports only, and no any outside of tests.", "Named exports only, and no any outside of tests."},
		"a description is better than nothing":    {"T", "TypeScript style", "# T\n", "TypeScript style"},
		"a heading is no sentence":                {"T", "", "# T\n\nNever retry a POST without an idempotency key. More text.", "Never retry a POST without an idempotency key."},
		"markup goes, globs and names stay":       {"", "", "**Keep** `src/**/*.ts` and snake_case_name in [the guide](x.md)!", "Keep src/**/*.ts and snake_case_name in the guide!"},
		"a short sentence takes the next along":   {"", "", "Beware. The importer locks the whole table while it runs.", "Beware. The importer locks the whole table while it runs."},
		"an abbreviation ends nothing":            {"", "", "Prices are stored net, e.g. 1190 for 10 EUR incl. VAT of 19 percent. Next.", "Prices are stored net, e.g. 1190 for 10 EUR incl. VAT of 19 percent."},
		"a version number ends nothing":           {"", "", "Node 20.11 breaks the build of the image, so stay on 18.19 for now. Next.", "Node 20.11 breaks the build of the image, so stay on 18.19 for now."},
		"Japanese ends with its own stop":         {"", "", "請求書は毎月二十五日の正午に締め切られ、その後の変更はすべて翌月の請求へ自動的に回されるので注意。次の文。", "請求書は毎月二十五日の正午に締め切られ、その後の変更はすべて翌月の請求へ自動的に回されるので注意。"},
		"Japanese lines join without a blank":     {"", "", "請求書は毎月二十五日の正午に締め切られ、その後の変更は\nすべて翌月の請求へ自動的に回されるので注意してほしい。", "請求書は毎月二十五日の正午に締め切られ、その後の変更はすべて翌月の請求へ自動的に回されるので注意してほしい。"},
		"a list that is announced comes along":    {"", "", "Rules for migrations:\n\n- never drop a column\n- always add an index `CONCURRENTLY`.", "Rules for migrations: never drop a column; always add an index CONCURRENTLY"},
		"what stands under Decision wins":         {"", "", "# Queue\n\nWe looked at three queues in May.\n\n## Decision\n\nWe use the outbox table, not a broker, until 2027.\n", "We use the outbox table, not a broker, until 2027."},
		"a label Decision: wins":                  {"", "", "We looked at three queues in May and none was good.\n\nDecision: we use the outbox table and no broker at all.", "we use the outbox table and no broker at all."},
		"code, tables and comments are skipped":   {"", "", "<!-- x -->\n```\ncode here\n```\n\n| a | b |\n|---|---|\n\nThe real text is this one sentence here, no other.", "The real text is this one sentence here, no other."},
		"a sentence that repeats the title waits": {"Use cents", "", "Use cents.\n\nFloats lose money in the monthly sum over all invoices.", "Floats lose money in the monthly sum over all invoices."},
		"a setext heading is a heading":           {"", "", "Title here\n==========\n\nThe text that counts stands below it and is long enough.", "The text that counts stands below it and is long enough."},
		"quotes lose their mark":                  {"", "", "> [!WARNING]\n> Do not run the seed script against staging, it truncates.", "Do not run the seed script against staging, it truncates."},
		"a placeholder is text":                   {"", "", "Run `make release v=<version>` and then tag <name> by hand yourself.", "Run make release v=<version> and then tag <name> by hand yourself."},
		"a long sentence is cut at a word":        {"", "", long, strings.TrimSpace(long[:195]) + "…"},
		"headings alone are better than nothing":  {"T", "", "# T\n\n## First part\n\n## Second", "First part"},
		"nothing gives nothing":                   {"T", "", "# T\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := Entry{Title: c.title, Description: c.desc, Body: c.body}
			if got := e.Line(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestSkillIsIntroducedByItsDescription(t *testing.T) {
	e := Entry{Kind: Skill, Description: "Use when deploying.", Body: "# x\n\n1. Tag it.\n"}
	if got := e.Line(); got != "Use when deploying." {
		t.Errorf("got %q", got)
	}
}

func FuzzLineIsOneShortLine(f *testing.F) {
	for _, s := range []string{"# a\n\nb. c", "**x** _y_ `z` [a](b) ![c](d) <b>e</b>", "- a\n- b:", "日本語。次。", "```\nx", "a*b*c __d__ \\*e\\*", "<!-- x", "> > x\n===\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if !utf8.ValidString(body) {
			return
		}
		e := Entry{Body: body}
		l := e.Line()
		if utf8.RuneCountInString(l) > 200 || strings.ContainsAny(l, "\n\r") || strings.TrimSpace(l) != l || !utf8.ValidString(l) {
			t.Fatalf("%q gives %q", body, l)
		}
	})
}
