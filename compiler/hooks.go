package compiler

import (
	"github.com/pcc-lang/pcc/ast"
	"github.com/pcc-lang/pcc/stdlib"
	"github.com/pcc-lang/pcc/vm"
)

// jinjaNode lowers the statements of the jinja dialect; false means that n is none.
func (l *lowerer) jinjaNode(n ast.Node) bool { return false }

// jinjaLoop lowers a jinja for loop.
func (l *lowerer) jinjaLoop(n *ast.Loop) {}

// jinjaCall lowers calls that the jinja dialect treats apart; false means none.
func (l *lowerer) jinjaCall(e *ast.Call) bool { return false }

// jinjaDialect is the dialect that the profile selects.
func (c *config) jinjaDialect() *vm.Dialect { return stdlib.Jinja() }
