// Package exec has the templates and what they are given.
package exec

import (
	"maps"
	"sync"
)

// Context is the data of a render. It is safe for concurrent use.
type Context struct {
	lock   sync.RWMutex
	data   map[string]any
	parent *Context
}

// NewContext returns a context of that data, which it keeps.
func NewContext(data map[string]any) *Context {
	if data == nil {
		data = map[string]any{}
	}
	return &Context{data: data}
}

// EmptyContext returns a context without data.
func EmptyContext() *Context { return NewContext(nil) }

// Has reports whether there is a value of that name, here or in a parent.
func (c *Context) Has(name string) bool {
	_, ok := c.Get(name)
	return ok
}

// Get returns the value of that name.
func (c *Context) Get(name string) (any, bool) {
	for ; c != nil; c = c.parent {
		c.lock.RLock()
		v, ok := c.data[name]
		c.lock.RUnlock()
		if ok {
			return v, true
		}
	}
	return nil, false
}

// Set sets a value here.
func (c *Context) Set(name string, value any) {
	c.lock.Lock()
	c.data[name] = value
	c.lock.Unlock()
}

// Inherit returns a context whose values hide those of c.
func (c *Context) Inherit() *Context { return &Context{data: map[string]any{}, parent: c} }

// Update sets the values of other here, and returns c.
func (c *Context) Update(other *Context) *Context {
	for name, v := range other.values() {
		c.Set(name, v)
	}
	return c
}

// values returns all values, in a map of their own.
func (c *Context) values() map[string]any {
	var chain []*Context
	for ; c != nil; c = c.parent {
		chain = append(chain, c)
	}
	all := map[string]any{}
	for i := len(chain) - 1; i >= 0; i-- {
		chain[i].lock.RLock()
		maps.Copy(all, chain[i].data)
		chain[i].lock.RUnlock()
	}
	return all
}
