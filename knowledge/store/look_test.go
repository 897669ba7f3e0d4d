package store

import (
	"errors"
	"fmt"
	"testing"

	"pathrule/knowledge"
	"pathrule/workspace"
)

// phantoms is a look at entries that are not on the disk: whoever reads one of
// them finds nothing.
type phantoms struct {
	files []knowledge.FileRef
	asked int
}

func (p *phantoms) Files() ([]knowledge.FileRef, []workspace.Problem) { return p.files, nil }
func (p *phantoms) Plain(int) bool                                    { return true }
func (p *phantoms) Version(i int) string                              { return fmt.Sprintf("%016x", i) }
func (p *phantoms) Outlines(yield func(int, knowledge.Entry)) error {
	for i, f := range p.files {
		yield(i, knowledge.Entry{Kind: f.Kind, ID: f.ID, File: f.File, Title: "Title of " + f.ID, Paths: []string{"src"}})
	}
	return nil
}

func (p *phantoms) Alike(string, int) ([]string, error) {
	p.asked++
	return []string{p.files[7].File}, nil
}

func haunted(t *testing.T) (*Store, *phantoms) {
	t.Helper()
	p := &phantoms{}
	for i := range 200 {
		id := fmt.Sprintf("p%03d", i)
		p.files = append(p.files, knowledge.FileRef{Kind: knowledge.Memory, ID: id, File: knowledge.FileOf(knowledge.Memory, id)})
	}
	return newBench(t).Knowing(func(string, []string) knowledge.Look { return p }), p
}

func TestWhatAnIndexKnowsIsNotRead(t *testing.T) {
	s, p := haunted(t)
	if list, problems := s.Outline(); len(list) != 200 || len(problems) > 0 || list[3].Title != "Title of p003" {
		t.Errorf("%d entries, %v", len(list), problems)
	}
	if n, some, problems := s.Tally(); n[knowledge.Memory] != 200 || len(some)+len(problems) > 0 {
		t.Errorf("%v, %v, %v", n, some, problems)
	}
	d := Draft{Kind: knowledge.Memory, Title: "title OF p150", Body: "Text.", Paths: []string{"/src"}}
	var dup *knowledge.DuplicateError
	if _, _, err := s.Create(d, CreateOptions{}); !errors.As(err, &dup) || dup.ID != "p150" {
		t.Errorf("the title of a known entry: %v", err)
	}
	d.Title, d.ID = "Another", "p151"
	if _, _, err := s.Create(d, CreateOptions{}); !errors.As(err, &dup) || dup.What != "id" {
		t.Errorf("the id of a known entry: %v", err)
	}
	d.ID = ""
	if _, _, err := s.Create(d, CreateOptions{}); err != nil {
		t.Error(err)
	}
	if p.asked == 0 {
		t.Error("no neighbour was asked for")
	}
	if list, _ := s.List(); len(list) != 1 {
		t.Errorf("a list holds what stands on the disk: %d", len(list))
	}
	// Whoever kept an entry gets it back by file and version, and what was not
	// kept is read.
	list, problems := s.ListKnown(func(file, version string) (knowledge.Entry, bool) {
		return knowledge.Entry{Title: file, Version: version}, file != p.files[5].File
	})
	if len(list) != 199 || len(problems) != 1 || problems[0].File != ".pathrule/"+p.files[5].File {
		t.Errorf("%d entries, %v", len(list), problems)
	}
	if e := list[3]; e.Kind != knowledge.Memory || e.ID != "p003" || e.File != p.files[3].File || e.Title != e.File || e.Version != "0000000000000003" {
		t.Errorf("%+v", e)
	}
}

// Between the look and the lock another process may write.
func TestAWriteBetweenLookAndLockIsSeen(t *testing.T) {
	s, _ := haunted(t)
	other := *s
	other.ask = nil
	once := false
	s.ask = func(string, []string) knowledge.Look {
		if !once {
			once = true
			if _, _, err := other.Create(Draft{Kind: knowledge.Memory, Title: "Raced", Body: "Text.", Paths: []string{"src"}}, CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			return &phantoms{files: []knowledge.FileRef{{Kind: knowledge.Memory, ID: "x", File: "memories/x.md"}, {}, {}, {}, {}, {}, {}, {}}}
		}
		return nil // the second look finds what stands on the disk
	}
	var dup *knowledge.DuplicateError
	if _, _, err := s.Create(Draft{Kind: knowledge.Memory, Title: "raced", Body: "Text.", Paths: []string{"src"}}, CreateOptions{}); !errors.As(err, &dup) || dup.ID != "raced" {
		t.Errorf("%v", err)
	}
}

func TestTitlesFoldAlikeByBothWays(t *testing.T) {
	for _, title := range []string{"", "Stripe  retries\tAND more", "key KEY \x7f _-[]", "  a  "} {
		if a, b := foldTitle(title), foldRunes(title); a != b {
			t.Errorf("%q: %q and %q", title, a, b)
		}
	}
	if foldTitle("key") != foldTitle("\u212aey") {
		t.Error("the Kelvin sign is a k")
	}
}
