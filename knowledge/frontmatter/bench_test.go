package frontmatter

import (
	"strings"
	"testing"

	"pathrule/knowledge"
)

var typical = []byte("---\ntitle: Stripe retries need an idempotency key\npaths:\n  - \"services/billing/**\"\n  - \"!**/*.test.ts\"\ntags: [billing, stripe]\npriority: high\n---\n\n" + strings.Repeat("Store the key before the first call, otherwise a retried call charges twice.\n", 20))

func BenchmarkParse(b *testing.B) {
	b.SetBytes(int64(len(typical)))
	b.ReportAllocs()
	for range b.N {
		if _, _, err := Parse(typical, knowledge.Rule, "a", "rules/a.md"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseLines(b *testing.B) {
	b.SetBytes(int64(len(typical)))
	b.ReportAllocs()
	for range b.N {
		if _, err := knowledge.ParseLines(typical, knowledge.Rule, "a", "rules/a.md"); err != nil {
			b.Fatal(err)
		}
	}
}
