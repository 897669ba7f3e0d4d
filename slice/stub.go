package slice

func makePlan(in In) (Plan, error)                           { return Plan{}, nil }
func classify(prompt string, paths []string) (Intent, Depth) { return Unknown, Focused }
