package compiler

// ProfileOptions returns the options of the Jinja environment that WithProfile
// selects by name, to be changed and given to WithJinja after it. ok is false
// for an unknown name.
func ProfileOptions(name string) (o JinjaOptions, ok bool) {
	set, ok := profiles[name]
	if !ok {
		return o, false
	}
	var c jinjaConfig
	set(&c)
	return c.opts, true
}
