package compiler

import (
	"strings"

	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/vm"
)

// path adds a path to the image; equal paths share an entry unless their
// position would be lost. all are the keys of the whole expression, its variable
// first; slot is the local slot of that plus 1, 0 where it is none.
func (l *lowerer) path(e ast.Expr, all, keys []string, items []bool, slot int) int32 {
	if len(keys) > maxParts {
		l.tooMany(e.Span())
	}
	u := l.newUndefined(e)
	u.Name, u.Slot = l.pathName(e, all), int32(slot)
	u.Key = l.head && l.guard == 0 && len(all) > 1 && !l.dialect.UndefinedObjects()
	paths, p := extended(l.img.Paths)
	l.img.Paths = paths
	p.Keys, p.Item, p.Undef = keys, items, u
	return int32(len(paths) - 1)
}

// undefined describes what e is where it leads nowhere.
func (l *lowerer) undefined(e ast.Expr) *vm.Undefined {
	u := l.newUndefined(e)
	root, keys, _, ok := l.chain(e)
	if !ok {
		u.Name = strings.TrimSpace(l.file.Slice(e.Span()))
		return u
	}
	u.Name = l.pathName(e, keys)
	if r := l.scopes.resolve(root.Name); r.local != nil && !l.dialect.UndefinedObjects() {
		u.Slot = int32(r.local.slot) + 1
	}
	return u
}

// pathName names what the path e of these keys reads.
func (l *lowerer) pathName(e ast.Expr, keys []string) string {
	if l.isVars(keys) {
		keys = keys[1:]
	}
	return l.dotted(e, keys)
}

func (l *lowerer) newUndefined(e ast.Expr) *vm.Undefined {
	if len(l.undefs) == 0 {
		const few, most = 4, 64
		n := min(max(few, l.reads-l.described), most)
		l.undefs = make([]vm.Undefined, n)
		l.described += n
	}
	u := &l.undefs[0]
	l.undefs = l.undefs[1:]
	u.Pos, u.Site = uint32(e.Span().Start), l.site
	return u
}

func (l *lowerer) undef(e ast.Expr) int32 {
	l.img.Undefs = append(l.img.Undefs, l.undefined(e))
	return int32(len(l.img.Undefs) - 1)
}
