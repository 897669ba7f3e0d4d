package index_test

import (
	"context"
	"fmt"
	"testing"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/internal/bench/gen"
)

func generated(b *testing.B, entries, files int) (*place, []gen.Entry) {
	b.Helper()
	p := newPlace(b)
	es, err := gen.Make(p.root, gen.Options{Entries: entries, Files: files})
	if err != nil {
		b.Fatal(err)
	}
	return p, es
}

func BenchmarkBuild(b *testing.B) {
	p, es := generated(b, 10_000, 10_000)
	b.ResetTimer()
	for range b.N {
		if _, err := index.Build(context.Background(), p.ws, p.env); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(es)*b.N)/b.Elapsed().Seconds(), "entries/s")
}

func BenchmarkRefreshOneEntry(b *testing.B) {
	p, _ := generated(b, 10_000, 10_000)
	p.refresh()
	b.ResetTimer()
	for i := range b.N {
		p.memory("bench", fmt.Sprintf("Bench %d", i), "src", "some words that change")
		p.refresh()
	}
}

func BenchmarkOpenAndQuery(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p, es := generated(b, n, n)
			p.refresh()
			text := gen.NewText(99)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				x := p.open()
				if _, err := x.Search(catalog.Query{Text: text.Words(10), Paths: []string{es[i%len(es)].FilePath()}}); err != nil {
					b.Fatal(err)
				}
				x.Close()
			}
		})
	}
}

func BenchmarkCataloguePath(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p, es := generated(b, n, n)
			p.refresh()
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				r := p.catalog()
				if _, err := r.Search(catalog.Query{Paths: []string{es[i%len(es)].FilePath()}}); err != nil {
					b.Fatal(err)
				}
				r.Close()
			}
		})
	}
}

func BenchmarkRefreshNothing(b *testing.B) {
	p, _ := generated(b, 10_000, 10_000)
	p.refresh()
	b.ResetTimer()
	for range b.N {
		p.refresh()
	}
}
