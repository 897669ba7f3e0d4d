package workspace

import (
	"testing"

	"pathrule/internal/sysenv"
)

func BenchmarkFind(b *testing.B) {
	root := b.TempDir()
	w := &world{t: &testing.T{}, root: root}
	w.env = sysenv.Env{Cwd: root, UserHome: w.at("home/me"), Vars: func(string) string { return "" }}
	w.dir("home/me/.pathrule/state")
	w.dir("home/me/code/proj/.git")
	w.dir("home/me/code/proj/.pathrule/rules")
	dir := w.dir("home/me/code/proj/packages/web/src")
	for b.Loop() {
		if _, err := Find(dir, w.env); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRel(b *testing.B) {
	root := b.TempDir()
	w := &world{t: &testing.T{}, root: root}
	w.file("proj/packages/web/src/a.ts", "")
	base := w.at("proj")
	file := w.at("proj/packages/web/src/a.ts")
	for b.Loop() {
		if _, ok := Rel(base, base, file); !ok {
			b.Fatal("outside")
		}
	}
}
