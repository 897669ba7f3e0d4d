package host

func measure(u Unit, s string) int    { return 0 }
func all() []Host                     { return nil }
func byName(name string) (Host, bool) { return nil, false }
