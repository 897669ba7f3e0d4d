package compile

import "pathrule/host"

// Cost is what a target's files weigh in a client's context, in tokens
// (ceil(UTF-8 bytes / 4)); of a shared file only our region counts.
type Cost struct {
	Always int // in every request
	Paths  int // all files that are loaded for some paths, together
}

// CostOf sums up a plan. A client that ignores paths loads all of it in every
// request; Cline's command line does.
func CostOf(changes []Change) Cost {
	var c Cost
	for _, ch := range changes {
		if ch.record == nil || ch.After == nil || ch.Action == Refuse {
			continue
		}
		text := ch.After
		if ch.record.Region {
			r, err := findRegion(text)
			if err != nil || !r.found {
				continue
			}
			text = text[r.from:r.to]
		}
		n := host.Token4.Measure(string(text))
		if len(ch.record.For) > 0 {
			c.Paths += n
		} else if t, err := targetOf(ch.record.Target); err == nil && !t.skills {
			c.Always += n
		}
	}
	return c
}
