package cli

import "strings"

// Table prints aligned columns. On a terminal the column Flex is cut so that
// lines fit; in a pipe nothing is cut.
type Table struct {
	Head []string
	// Flex is the column that gives way when a line is too long.
	Flex int
	rows [][]string
	// style per column, applied after padding so that colour takes no room.
	Style []func(string) string
}

// Row adds a line; cells are made safe for a terminal.
func (t *Table) Row(cells ...string) {
	for i := range cells {
		cells[i] = OneLine(cells[i])
	}
	t.rows = append(t.rows, cells)
}

// Print draws the table.
func (o *Out) Print(t *Table) {
	if o.JSON {
		return
	}
	const gap = "  "
	widths := make([]int, len(t.Head))
	for i, h := range t.Head {
		widths[i] = Width(h)
	}
	for _, r := range t.rows {
		for i, c := range r {
			if w := Width(c); i < len(widths) && w > widths[i] {
				widths[i] = w
			}
		}
	}
	if o.Width > 0 {
		total := len(gap) * (len(widths) - 1)
		for _, w := range widths {
			total += w
		}
		if over := total - o.Width; over > 0 && t.Flex < len(widths) {
			widths[t.Flex] = max(widths[t.Flex]-over, 12)
		}
	}
	line := func(cells []string, style func(i int, s string) string) {
		var b strings.Builder
		for i, c := range cells {
			if i == t.Flex {
				c = Cut(c, widths[i])
			}
			if i < len(cells)-1 {
				c = Pad(c, widths[i])
			}
			if i > 0 {
				b.WriteString(gap)
			}
			b.WriteString(style(i, c))
		}
		o.Println(strings.TrimRight(b.String(), " "))
	}
	line(t.Head, func(_ int, s string) string { return o.Dim(s) })
	for _, r := range t.rows {
		line(r, func(i int, s string) string {
			if i < len(t.Style) && t.Style[i] != nil {
				return t.Style[i](s)
			}
			return s
		})
	}
}
