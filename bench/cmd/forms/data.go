package main

import (
	"encoding/json"
	"fmt"

	"github.com/pcc-lang/pcc/vm"
)

// set is one set of data in all its forms, with the templates that read it.
type set struct {
	name, title string
	cases       []testCase
	forms       []form
}

// testCase is a template in both languages.
type testCase struct {
	name, native, jinja string
	sorted              bool // it shows the order of keys
}

// form is the data in one form.
type form struct {
	name     string
	data     any
	unsorted bool // its keys are in an order of their own
}

// items is how many items each list has.
const items = 100

func sets() []*set { return []*set{chat(), records(), keyed()} }

type (
	// object is what web frameworks and database drivers call a map.
	object map[string]any
	list   []any
	word   string
	// message has its fields in the order of their names, as maps are read.
	message struct {
		Content string `json:"content"`
		Role    string `json:"role"`
	}
	// Embedded is message with one of its fields behind an embedded pointer.
	embedded struct {
		Content string `json:"content"`
		*Author
	}
	// Author is embedded in another struct.
	Author struct {
		Role string `json:"role"`
	}
)

// each makes a list of what make makes of each item.
func each[T any](from int, make func(i int) T) []T {
	out := []T{}
	for i := range from {
		out = append(out, make(i))
	}
	return out
}

func chat() *set {
	role := func(i int) string { return []string{"user", "assistant"}[i%2] }
	content := func(i int) string { return fmt.Sprintf("Message %d says %x.", i, i*7919) }
	plain := func(i int) map[string]any { return map[string]any{"role": role(i), "content": content(i)} }
	texts := func(i int) map[string]string { return map[string]string{"role": role(i), "content": content(i)} }
	under := func(x any) map[string]any { return map[string]any{"messages": x} }
	encoded, err := json.Marshal(under(each(items, plain)))
	if err != nil {
		panic(err) // maps of texts
	}
	decoded, err := vm.DecodeJSON(encoded, vm.DecodeOptions{})
	if err != nil {
		panic(err)
	}
	return &set{
		name: "chat", title: "100 messages of two texts",
		cases: []testCase{
			{name: "two texts", native: "{loop messages as m}\n{{ m.role }}: {{ m.content }}\n{/loop}\n",
				jinja: "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"},
			{name: "a sum", native: "{loop messages as m}\n{{ m.role ~ \": \" ~ m.content }}\n{/loop}\n",
				jinja: "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\n' }}{% endfor %}"},
			{name: "a branch", native: "{loop messages as m}\n{when m.role == \"user\"}\nU\n{else}\nA\n{/when}\n{/loop}\n",
				jinja: "{% for m in messages %}{% if m.role == 'user' %}U\n{% else %}A\n{% endif %}{% endfor %}"},
			{name: "absent", native: "{loop messages as m}\n{when m.tool_calls}\nC\n{/when}\n{{ m.name|default(\"-\") }}\n{/loop}\n",
				jinja: "{% for m in messages %}{% if m.tool_calls %}C\n{% endif %}{{ m.name|default('-') }}\n{% endfor %}"},
			{name: "entries", sorted: true, native: "{loop messages as m}\n{loop m as k, v}\n{{ k }}={{ v }}\n{/loop}\n{/loop}\n",
				jinja: "{% for m in messages %}{% for k, v in m.items() %}{{ k }}={{ v }}\n{% endfor %}{% endfor %}"},
			{name: "JSON", sorted: true, native: "{loop messages as m}\n{{ m|json }}\n{/loop}\n",
				jinja: "{% for m in messages %}{{ m|tojson }}\n{% endfor %}"},
			{name: "from the end", native: "{loop messages as m}\n{{ messages[-1].role }}{{ messages[loop.index0].content }}\n{/loop}\n",
				jinja: "{% for m in messages %}{{ messages[-1].role }}{{ messages[loop.index0].content }}\n{% endfor %}"},
		},
		forms: []form{
			{name: "map[string]any, []any", data: under(each(items, func(i int) any { return plain(i) }))},
			{name: "[]map[string]any", data: under(each(items, plain))},
			{name: "[]any of map[string]string", data: under(each(items, func(i int) any { return texts(i) }))},
			{name: "[]map[string]string", data: under(each(items, texts))},
			{name: "map[string][]map[string]string", data: map[string][]map[string]string{"messages": each(items, texts)}},
			{name: "object, list: named types", data: object{"messages": list(each(items, func(i int) any { return object(plain(i)) }))}},
			{name: "[]object", data: under(each(items, func(i int) object { return plain(i) }))},
			{name: "[]*map[string]any", data: under(each(items, func(i int) *map[string]any { m := plain(i); return &m }))},
			{name: "map[any]any", data: map[any]any{"messages": each(items, func(i int) any {
				return map[any]any{"role": role(i), "content": content(i)}
			})}},
			{name: "[]map[word]any", data: under(each(items, func(i int) map[word]any {
				return map[word]any{"role": role(i), "content": content(i)}
			}))},
			{name: "[]map[string]word", data: under(each(items, func(i int) map[string]word {
				return map[string]word{"role": word(role(i)), "content": word(content(i))}
			}))},
			{name: "[]vm.Message", unsorted: true, data: under(each(items, func(i int) vm.Message {
				return vm.Message{Role: role(i), Content: content(i)}
			}))},
			{name: "[]*vm.Message", unsorted: true, data: under(each(items, func(i int) *vm.Message {
				return &vm.Message{Role: role(i), Content: content(i)}
			}))},
			{name: "[]struct in a map", data: under(each(items, func(i int) message { return message{content(i), role(i)} }))},
			{name: "[]*struct in a map", data: under(each(items, func(i int) *message { return &message{content(i), role(i)} }))},
			{name: "[]any of struct", data: under(each(items, func(i int) any { return message{content(i), role(i)} }))},
			{name: "map[string][]struct", data: map[string][]message{"messages": each(items, func(i int) message { return message{content(i), role(i)} })}},
			{name: "struct of []struct", data: &struct {
				Messages []message `json:"messages"`
			}{each(items, func(i int) message { return message{content(i), role(i)} })}},
			{name: "embedded pointer, in a map", data: under(each(items, func(i int) embedded { return embedded{content(i), &Author{role(i)}} }))},
			{name: "embedded pointer, in a struct", data: &struct {
				Messages []embedded `json:"messages"`
			}{each(items, func(i int) embedded { return embedded{content(i), &Author{role(i)}} })}},
			{name: "DecodeJSON", data: decoded},
		},
	}
}

type (
	status string
	count  int
	record struct {
		Active bool     `json:"active"`
		Age    int      `json:"age"`
		City   string   `json:"city"`
		ID     int64    `json:"id"`
		Name   string   `json:"name"`
		Plan   string   `json:"plan"`
		Tags   []string `json:"tags"`
	}
	named struct {
		Active bool     `json:"active"`
		Age    count    `json:"age"`
		City   status   `json:"city"`
		ID     uint32   `json:"id"`
		Name   status   `json:"name"`
		Plan   status   `json:"plan"`
		Tags   []status `json:"tags"`
	}
	loose struct {
		Active any `json:"active"`
		Age    any `json:"age"`
		City   any `json:"city"`
		ID     any `json:"id"`
		Name   any `json:"name"`
		Plan   any `json:"plan"`
		Tags   any `json:"tags"`
	}
	pointers struct {
		Active *bool     `json:"active"`
		Age    *int      `json:"age"`
		City   *string   `json:"city"`
		ID     *int64    `json:"id"`
		Name   *string   `json:"name"`
		Plan   *string   `json:"plan"`
		Tags   *[]string `json:"tags"`
	}
	// Base is embedded by those that share fields.
	Base struct {
		Active bool        `json:"active"`
		Age    json.Number `json:"age"`
		City   string      `json:"city"`
		ID     json.Number `json:"id"`
	}
	derived struct {
		*Base
		Name string   `json:"name"`
		Plan string   `json:"plan"`
		Tags []string `json:"tags"`
	}
)

func newRecord(i int) record {
	return record{i%3 > 0, 20 + i%60, fmt.Sprint("City ", i%9), int64(1000 + i), fmt.Sprint("Name ", i),
		[]string{"free", "pro"}[i%2], []string{"a", fmt.Sprint("t", i), "long tag"}}
}

func (r record) plain() map[string]any {
	tags := each(len(r.Tags), func(i int) any { return r.Tags[i] })
	return map[string]any{"active": r.Active, "age": r.Age, "city": r.City, "id": r.ID, "name": r.Name, "plan": r.Plan, "tags": tags}
}

func (r record) named() named {
	tags := each(len(r.Tags), func(i int) status { return status(r.Tags[i]) })
	return named{r.Active, count(r.Age), status(r.City), uint32(r.ID), status(r.Name), status(r.Plan), tags}
}

func (r record) derived() derived {
	return derived{&Base{r.Active, json.Number(fmt.Sprint(r.Age)), r.City, json.Number(fmt.Sprint(r.ID))}, r.Name, r.Plan, r.Tags}
}

func records() *set {
	plain := func(i int) map[string]any { return newRecord(i).plain() }
	under := func(x any) map[string]any { return map[string]any{"items": x} }
	return &set{
		name: "records", title: "100 records of 7 fields, one a list",
		cases: []testCase{
			{name: "a prompt", native: `
{loop items as x}
- {{ x.name }} ({{ x.id }}), {{ x.age }}, of {{ x.city }}
{when x.active}
  active on {{ x.plan }}
{/when}
{loop x.tags as t}
  * {{ t }}
{/loop}
{/loop}
`, jinja: `
{% for x in items %}- {{ x.name }} ({{ x.id }}), {{ x.age }}, of {{ x.city }}
{% if x.active %}  active on {{ x.plan }}
{% endif %}{% for t in x.tags %}  * {{ t }}
{% endfor %}{% endfor %}`},
		},
		forms: []form{
			{name: "map[string]any, []any", data: under(each(items, func(i int) any { return plain(i) }))},
			{name: "object, list: named types", data: object{"items": list(each(items, func(i int) any { return object(plain(i)) }))}},
			{name: "map[any]any", data: map[any]any{"items": each(items, func(i int) any {
				out := map[any]any{}
				for k, v := range plain(i) {
					out[k] = v
				}
				return out
			})}},
			{name: "[]struct in a map", data: under(each(items, newRecord))},
			{name: "[]*struct in a map", data: under(each(items, func(i int) *record { r := newRecord(i); return &r }))},
			{name: "struct of []struct", data: &struct {
				Items []record `json:"items"`
			}{each(items, newRecord)}},
			{name: "[]struct of named types, in a map", data: under(each(items, func(i int) named { return newRecord(i).named() }))},
			{name: "[]struct of any, in a map", data: under(each(items, func(i int) loose {
				m := plain(i)
				return loose{m["active"], m["age"], m["city"], m["id"], m["name"], m["plan"], m["tags"]}
			}))},
			{name: "[]struct of pointers, in a map", data: under(each(items, func(i int) pointers {
				r := newRecord(i)
				return pointers{&r.Active, &r.Age, &r.City, &r.ID, &r.Name, &r.Plan, &r.Tags}
			}))},
			{name: "[]struct with an embedded pointer and json.Number, in a map", data: under(each(items, func(i int) derived { return newRecord(i).derived() }))},
			{name: "the same in a struct", data: &struct {
				Items []derived `json:"items"`
			}{each(items, func(i int) derived { return newRecord(i).derived() })}},
		},
	}
}

// keyed are maps whose keys are data.
func keyed() *set {
	key := func(i int) string { return fmt.Sprintf("user%03d", i) }
	plain := func(i int) map[string]any { return map[string]any{"role": "user", "content": key(i)} }
	texts := func(i int) map[string]string { return map[string]string{"role": "user", "content": key(i)} }
	names := each(items, func(i int) any { return key(i) })
	under := func(x any) map[string]any { return map[string]any{"users": x, "names": names} }
	return &set{
		name: "keyed", title: "a map of 100 items",
		cases: []testCase{
			{name: "by key", native: "{loop names as n}\n{{ users[n].role }} {{ users[n].content }}\n{/loop}\n",
				jinja: "{% for n in names %}{{ users[n].role }} {{ users[n].content }}\n{% endfor %}"},
			{name: "entries", native: "{loop users as n, u}\n{{ n }}: {{ u.content }}\n{/loop}\n",
				jinja: "{% for n, u in users.items() %}{{ n }}: {{ u.content }}\n{% endfor %}"},
			{name: "keys", native: "{loop users as n, u}\n{{ n }}\n{/loop}\n",
				jinja: "{% for n in users %}{{ n }}\n{% endfor %}"},
			{name: "in", native: "{loop names as n}\n{when n in users}\nyes\n{/when}\n{/loop}\n",
				jinja: "{% for n in names %}{% if n in users %}yes\n{% endif %}{% endfor %}"},
		},
		forms: []form{
			{name: "map[string]any", data: under(mapped(key, func(i int) any { return plain(i) }))},
			{name: "map[string]map[string]any", data: under(mapped(key, plain))},
			{name: "map[string]map[string]string", data: under(mapped(key, texts))},
			{name: "map[string]object", data: under(mapped(key, func(i int) object { return plain(i) }))},
			{name: "map[word]object", data: under(mapped(func(i int) word { return word(key(i)) }, func(i int) object { return plain(i) }))},
			{name: "map[any]any", data: under(mapped(func(i int) any { return key(i) }, func(i int) any { return plain(i) }))},
			{name: "map[string]struct", data: under(mapped(key, func(i int) message { return message{key(i), "user"} }))},
			{name: "map[string]*struct", data: under(mapped(key, func(i int) *message { return &message{key(i), "user"} }))},
			{name: "map[string]vm.Message", data: under(mapped(key, func(i int) vm.Message { return vm.Message{Role: "user", Content: key(i)} }))},
			{name: "map[string]any of struct", data: under(mapped(key, func(i int) any { return message{key(i), "user"} }))},
		},
	}
}

func mapped[K comparable, V any](key func(int) K, value func(int) V) map[K]V {
	out := map[K]V{}
	for i := range items {
		out[key(i)] = value(i)
	}
	return out
}
