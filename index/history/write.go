package history

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pathrule/index/terms"
	"pathrule/internal/atomicfile"
	"pathrule/internal/linetree"
)

// Write replaces the history in a cache folder by what the commits, newest
// first, add up to. tip is the commit that they end at; there says which paths
// exist now. The same commits and paths give the same bytes.
func Write(cache, tip string, commits []Commit, there func(string) bool) error {
	var b bytes.Buffer
	if err := encode(&b, tip, commits, count(commits, there)); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(cache, FileName), b.Bytes(), 0o600, 0o700); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

func encode(b *bytes.Buffer, tip string, commits []Commit, t *tally) error {
	w := &linetree.CountWriter{W: b}
	var trees [len(treeNames)]linetree.Tree
	var line []byte
	add := func(i int, fill func(put func(key string) error) error) error {
		tw := linetree.NewWriter(w)
		err := fill(func(key string) error {
			_, err := tw.Add(key, line)
			return err
		})
		if err != nil {
			return err
		}
		trees[i], err = tw.Close()
		return err
	}
	err := add(treeCommits, func(put func(string) error) error {
		for i := range commits {
			c := &commits[i]
			key := number(i)
			line = append(append(append(line[:0], key...), '\t'), c.Hash...)
			line = strconv.AppendInt(append(line, '\t'), c.At, 10)
			line = linetree.AppendList(append(line, '\t'), c.Words)
			line = linetree.AppendList(append(line, '\t'), c.Files)
			var moved []string
			for _, m := range c.Moved {
				moved = append(moved, m[0], m[1])
			}
			line = linetree.AppendList(append(line, '\t'), moved)
			if err := put(key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = add(treeIDs, func(put func(string) error) error {
		for i, p := range t.paths {
			key := number(i)
			line = linetree.AppendField(append(append(line[:0], key...), '\t'), p)
			if err := put(key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = add(treePaths, func(put func(string) error) error {
		// Escaped keys may sort otherwise than the paths.
		ids := make([]int, len(t.paths))
		for i := range ids {
			ids[i] = i
		}
		slices.SortFunc(ids, func(a, b int) int { return strings.Compare(linetree.Key(t.paths[a]), linetree.Key(t.paths[b])) })
		for _, i := range ids {
			key := linetree.Key(t.paths[i])
			line = strconv.AppendInt(append(append(line[:0], key...), '\t'), int64(math.Round(t.heat[i]*heatScale)), 10)
			line = appendLinks(append(line, '\t'), t.with[i])
			if err := put(key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = add(treeWords, func(put func(string) error) error {
		words := slices.SortedFunc(maps.Keys(t.words), func(a, b string) int { return strings.Compare(linetree.Key(a), linetree.Key(b)) })
		for _, word := range words {
			wt := t.words[word]
			key := linetree.Key(word)
			line = strconv.AppendInt(append(append(line[:0], key...), '\t'), int64(wt.docs), 10)
			line = appendLinks(append(line, '\t'), wt.links)
			if err := put(key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	head := fmt.Appendf(nil, "history %d %d %d %s", format, terms.AnalyserVersion, len(commits), tip)
	for i, name := range treeNames {
		head = fmt.Appendf(head, "\n%s %s", name, trees[i])
	}
	b.WriteByte('\n')
	b.Write(append(linetree.AppendSum(head), '\n'))
	return nil
}

// number is a key that sorts as its number does.
func number(i int) string {
	s := strconv.FormatInt(int64(i), 36)
	return "0000"[:max(0, idWidth-len(s))] + s
}

func appendLinks(b []byte, links []link) []byte {
	for i, l := range links {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(append(b, number(l.id)...), ':')
		b = strconv.AppendInt(b, int64(quant(l.share)), 10)
	}
	return b
}
