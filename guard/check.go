package guard

import (
	"pathrule/guard/approval"
	"pathrule/guard/pending"
)

// Checks are the rules with an approved check that stands.
func Checks(rules []*Rule) []*Rule {
	var out []*Rule
	for _, r := range rules {
		if r.Check != nil && r.State() == approval.Approved {
			out = append(out, r)
		}
	}
	return out
}

// Wants reports that an edit of a path (base coordinates) makes the rule's check
// pending.
func (r *Rule) Wants(rel string) bool { return r.Check != nil && r.covers(r.Check.Paths, rel) }

// CheckName is the rule's check as the logs of sessions name it.
func (r *Rule) CheckName() pending.Check { return pending.Check{Owner: r.Owner, ID: r.ID} }
