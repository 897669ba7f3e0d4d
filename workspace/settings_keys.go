package workspace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// setting is what is known about one key. The table below is static data: it
// costs a hook nothing until it is read.
type setting struct {
	key string
	// enum lists the allowed values; empty for numbers and lists.
	enum []string
	// min and max bound a number; both 0 for other kinds.
	min, max int
	// user: only the user may set it, not a repository.
	user bool
	// lower: a repository may only lower it.
	lower bool
	// list: the value is a list of words.
	list bool
	get  func(*Settings) string
	set  func(*Settings, string, []string)
}

var onOff = []string{"false", "true"}

var settingTable = []setting{
	{key: "mode", enum: []string{"auto", "startup", "always", "manual", "off"}, user: true,
		get: func(s *Settings) string { return s.Mode },
		set: func(s *Settings, v string, _ []string) { s.Mode = v }},
	{key: "proof", enum: []string{"off", "compact"}, user: true,
		get: func(s *Settings) string { return s.Proof },
		set: func(s *Settings, v string, _ []string) { s.Proof = v }},
	{key: "writes", enum: []string{"direct", "review", "off"}, user: true,
		get: func(s *Settings) string { return s.Writes },
		set: func(s *Settings, v string, _ []string) { s.Writes = v }},
	{key: "delta.reset_on_resume", enum: onOff, user: true,
		get: func(s *Settings) string { return strconv.FormatBool(s.ResetOnResume) },
		set: func(s *Settings, v string, _ []string) { s.ResetOnResume = v == "true" }},
	{key: "delta.acknowledge", enum: []string{"none", "line"}, user: true,
		get: func(s *Settings) string { return s.Acknowledge },
		set: func(s *Settings, v string, _ []string) { s.Acknowledge = v }},
	{key: "hooks.path_rules", enum: []string{"hook", "native", "both"}, user: true,
		get: func(s *Settings) string { return s.PathRules },
		set: func(s *Settings, v string, _ []string) { s.PathRules = v }},
	{key: "hooks.path_bodies", min: 0, max: 20, user: true,
		get: func(s *Settings) string { return strconv.Itoa(s.PathBodies) },
		set: func(s *Settings, v string, _ []string) { s.PathBodies = number(v) }},
	{key: "activity", enum: []string{"on", "off"}, user: true,
		get: func(s *Settings) string { return s.Activity },
		set: func(s *Settings, v string, _ []string) { s.Activity = v }},
	{key: "trust.knowledge", enum: []string{"host", "ask"}, user: true,
		get: func(s *Settings) string { return s.TrustKnowledge },
		set: func(s *Settings, v string, _ []string) { s.TrustKnowledge = v }},
	{key: "budget.minimal", min: 50, max: 20000, lower: true,
		get: func(s *Settings) string { return strconv.Itoa(s.BudgetMinimal) },
		set: func(s *Settings, v string, _ []string) { s.BudgetMinimal = number(v) }},
	{key: "budget.focused", min: 50, max: 20000, lower: true,
		get: func(s *Settings) string { return strconv.Itoa(s.BudgetFocused) },
		set: func(s *Settings, v string, _ []string) { s.BudgetFocused = number(v) }},
	{key: "budget.deep", min: 50, max: 20000, lower: true,
		get: func(s *Settings) string { return strconv.Itoa(s.BudgetDeep) },
		set: func(s *Settings, v string, _ []string) { s.BudgetDeep = number(v) }},
	{key: "budget.tool", min: 50, max: 20000, lower: true,
		get: func(s *Settings) string { return strconv.Itoa(s.BudgetTool) },
		set: func(s *Settings, v string, _ []string) { s.BudgetTool = number(v) }},
	{key: "load.max_tokens", min: 200, max: 16000, lower: true,
		get: func(s *Settings) string { return strconv.Itoa(s.LoadMaxTokens) },
		set: func(s *Settings, v string, _ []string) { s.LoadMaxTokens = number(v) }},
	{key: "guards.dependencies", enum: onOff, user: true,
		get: func(s *Settings) string { return strconv.FormatBool(s.GuardDependencies) },
		set: func(s *Settings, v string, _ []string) { s.GuardDependencies = v == "true" }},
	{key: "guards.eval", enum: onOff, user: true,
		get: func(s *Settings) string { return strconv.FormatBool(s.GuardEval) },
		set: func(s *Settings, v string, _ []string) { s.GuardEval = v == "true" }},
	{key: "guards.outside", enum: onOff, user: true,
		get: func(s *Settings) string { return strconv.FormatBool(s.GuardOutside) },
		set: func(s *Settings, v string, _ []string) { s.GuardOutside = v == "true" }},
	{key: "guards.plan", list: true, user: true,
		get: func(s *Settings) string { return strings.Join(s.GuardPlan, ", ") },
		set: func(s *Settings, _ string, l []string) { s.GuardPlan = l }},
	{key: "guards.header", list: true, user: true,
		get: func(s *Settings) string { return strings.Join(s.GuardHeader, ", ") },
		set: func(s *Settings, _ string, l []string) { s.GuardHeader = l }},
	{key: "guards.question", enum: []string{"off", "advise", "strict"}, user: true,
		get: func(s *Settings) string { return s.GuardQuestion },
		set: func(s *Settings, v string, _ []string) { s.GuardQuestion = v }},
	{key: "guards.context", enum: onOff, user: true,
		get: func(s *Settings) string { return strconv.FormatBool(s.GuardContext) },
		set: func(s *Settings, v string, _ []string) { s.GuardContext = v == "true" }},
	{key: "guards.context_tokens", min: 10000, max: 2000000, user: true,
		get: func(s *Settings) string { return strconv.Itoa(s.ContextTokens) },
		set: func(s *Settings, v string, _ []string) { s.ContextTokens = number(v) }},
	{key: "compile.targets", list: true,
		get: func(s *Settings) string { return strings.Join(s.CompileTargets, ", ") },
		set: func(s *Settings, _ string, l []string) { s.CompileTargets = l }},
}

// glossaryPrefix begins the keys that name a term: "glossary.invoice".
const glossaryPrefix = "glossary."

func number(v string) int { n, _ := strconv.Atoi(v); return n }

func defaultSettings() Settings {
	return Settings{
		Mode: "auto", Proof: "off", Writes: "direct",
		Acknowledge: "none",
		PathRules:   "hook", PathBodies: 3,
		TrustKnowledge: "host", Activity: "on",
		BudgetMinimal: 300, BudgetFocused: 1200, BudgetDeep: 2400, BudgetTool: 300,
		LoadMaxTokens: 1600,
		GuardQuestion: "off", ContextTokens: 120000,
	}
}

// SettingKeys are the keys of all settings in documentation order; the
// glossary's terms come besides as "glossary.<term>".
func SettingKeys() []string {
	out := make([]string, len(settingTable))
	for i := range settingTable {
		out[i] = settingTable[i].key
	}
	return out
}

// SettingValues describes what a key takes: "auto, startup, …", "50 to 20000",
// or "a list of words"; "" for an unknown key.
func SettingValues(key string) string {
	d := describe(key)
	switch {
	case d == nil:
		return ""
	case len(d.enum) > 0:
		return strings.Join(d.enum, ", ")
	case d.list:
		return "a list of words"
	}
	return fmt.Sprintf("a whole number from %d to %d", d.min, d.max)
}

// Get returns the value of a key as the config file would hold it; ok is false
// for an unknown key or a term that the glossary does not hold.
func (s *Settings) Get(key string) (value string, ok bool) {
	if term, found := strings.CutPrefix(key, glossaryPrefix); found {
		words, ok := s.Glossary[term]
		return strings.Join(words, ", "), ok
	}
	d := describe(key)
	if d == nil {
		return "", false
	}
	return d.get(s), true
}

// CheckSetting says whether value is allowed for key, with the remedy; repo
// asks whether a repository's config.yaml may hold it.
func CheckSetting(key, value string, repo bool) error {
	if repo && userOnly(key) {
		return fmt.Errorf("%q is the user's alone and has no effect in a repository; set it for this machine", key)
	}
	d := describe(key)
	if d == nil {
		return fmt.Errorf("unknown setting %q; %s", key, unknownRemedy(key))
	}
	_, _, err := d.parse(value, nil, false)
	return err
}

var glossarySetting = setting{key: glossaryPrefix, list: true}

// describe finds a key's row; nil for an unknown key.
func describe(key string) *setting {
	if term, ok := strings.CutPrefix(key, glossaryPrefix); ok && strings.TrimSpace(term) != "" {
		return &glossarySetting
	}
	for i := range settingTable {
		if settingTable[i].key == key {
			return &settingTable[i]
		}
	}
	return nil
}

// userOnly reports the keys that a repository may not set, known or not.
func userOnly(key string) bool {
	switch group, _, _ := strings.Cut(key, "."); group {
	case "mode", "proof", "writes", "activity", "delta", "trust", "hooks", "guards":
		return true
	}
	return false
}

// parse checks a value; a list setting also takes a comma string.
func (d *setting) parse(value string, list []string, isList bool) (string, []string, error) {
	if d.list {
		if !isList {
			for item := range strings.SplitSeq(value, ",") {
				if item = strings.TrimSpace(item); item != "" {
					list = append(list, item)
				}
			}
		}
		if slices.Contains(list, "") {
			return "", nil, fmt.Errorf("%q holds an empty word", strings.TrimSuffix(d.key, "."))
		}
		return strings.Join(list, ", "), list, nil
	}
	if isList {
		return "", nil, fmt.Errorf("%q takes one value, not a list", d.key)
	}
	if len(d.enum) > 0 {
		if !slices.Contains(d.enum, value) {
			return "", nil, fmt.Errorf("%q is no value of %q; it takes %s", value, d.key, strings.Join(d.enum, ", "))
		}
		return value, nil, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < d.min || n > d.max {
		return "", nil, fmt.Errorf("%q is no value of %q; it takes a whole number from %d to %d", value, d.key, d.min, d.max)
	}
	return strconv.Itoa(n), nil, nil
}

// unknownRemedy names the nearest known key.
func unknownRemedy(key string) string {
	best, dist := "", len(key)/2+1
	_, last, _ := strings.Cut(key, ".")
	for _, known := range append(SettingKeys(), "glossary") {
		d := distance(key, known)
		// "focused" alone, or "budgets.focused", means the key that ends so.
		if _, tail, ok := strings.Cut(known, "."); ok && (tail == key || tail == last) {
			d = min(d, 1)
		}
		if d < dist {
			best, dist = known, d
		}
	}
	if best == "" {
		return "known settings: " + strings.Join(SettingKeys(), ", ") + ", glossary"
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// distance is the number of single edits between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
