package workspace

import (
	"fmt"
	"sync"
	"testing"
)

func TestACompiledScopeIsTheScopeOfItsPatterns(t *testing.T) {
	lists := [][]string{nil, {"a"}, {"a", "b"}, {"ab"}, {"a\x00b"}, {"a", "!b"}, {"src/**/*.go", "docs"}, {"b", "a"}}
	paths := []string{"a", "b", "ab", "a/b", "src/x/y.go", "docs/z", "in/a", "in/src/q.go", "other"}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for round := range 2*maxCompiled/len(lists) + 10 { // the cache fills and begins anew
				for i, l := range lists {
					for _, prefix := range []string{"", "in", fmt.Sprint("p", round)} {
						got, err := CompiledScope(l, prefix)
						want, err2 := ParseScopeAt(l, prefix)
						if fmt.Sprint(err) != fmt.Sprint(err2) {
							t.Errorf("%v in %q: %v, want %v", l, prefix, err, err2)
						}
						if round > 2 && i != round%len(lists) {
							continue
						}
						for _, p := range paths {
							f, d := got.Match(p)
							if wf, wd := want.Match(p); f != wf || d != wd {
								t.Errorf("%q in %q on %s: %v %d, want %v %d", l, prefix, p, f, d, wf, wd)
							}
						}
					}
				}
			}
		})
	}
	wg.Wait()
	if _, err := CompiledScope([]string{"{a"}, ""); err == nil {
		t.Skip("this pattern is understood")
	}
	if _, err := CompiledScope([]string{"{a"}, ""); err == nil {
		t.Error("a pattern that cannot be understood is, the second time")
	}
}
