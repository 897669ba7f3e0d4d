package workspace

import (
	"encoding/binary"
	"sync"
)

// maxCompiled bounds the scopes that are kept compiled.
const maxCompiled = 2048

// CompiledScope is ParseScopeAt for scopes that are asked for again and again:
// one question needs an entry's several times, and the questions of one server
// are about the same entries. A scope never changes once it is compiled.
func CompiledScope(patterns []string, prefix string) (Scope, error) {
	return compiled.parse(patterns, prefix)
}

var compiled scopeCache

type scopeCache struct {
	mu sync.Mutex
	m  map[string]Scope
}

func (c *scopeCache) parse(patterns []string, prefix string) (Scope, error) {
	n := len(prefix)
	for _, p := range patterns {
		n += len(p) + 4
	}
	if n > maxPattern { // a key as long as that is no saving
		return parseScope(patterns, prefix)
	}
	b := make([]byte, 0, n)
	for _, p := range patterns {
		// With its length, so that no two lists have one key.
		b = append(binary.AppendUvarint(b, uint64(len(p))), p...)
	}
	key := append(b, prefix...)
	c.mu.Lock()
	s, ok := c.m[string(key)]
	c.mu.Unlock()
	if ok {
		return s, nil
	}
	s, err := parseScope(patterns, prefix)
	if err != nil {
		return s, err
	}
	c.mu.Lock()
	if c.m == nil || len(c.m) >= maxCompiled {
		c.m = make(map[string]Scope)
	}
	c.m[string(key)] = s
	c.mu.Unlock()
	return s, nil
}
