package cli

type colour string

const (
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	cyan   colour = "36"
	bold   colour = "1"
	dim    colour = "2"
)

func (o *Out) paint(on bool, c colour, s string) string {
	if !on || s == "" {
		return s
	}
	return "\x1b[" + string(c) + "m" + s + "\x1b[0m"
}

// Bold, Dim, Good, Bad, Mild and Accent colour text for stdout where colour is
// on, and hand it back as it is elsewhere.
func (o *Out) Bold(s string) string { return o.paint(o.Color, bold, s) }

// Dim is for what matters less.
func (o *Out) Dim(s string) string { return o.paint(o.Color, dim, s) }

// Good is for what is as it should be.
func (o *Out) Good(s string) string { return o.paint(o.Color, green, s) }

// Bad is for what is broken.
func (o *Out) Bad(s string) string { return o.paint(o.Color, red, s) }

// Mild is for what deserves a look.
func (o *Out) Mild(s string) string { return o.paint(o.Color, yellow, s) }

// Accent is for names one may type.
func (o *Out) Accent(s string) string { return o.paint(o.Color, cyan, s) }
