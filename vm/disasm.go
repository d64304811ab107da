package vm

import (
	"fmt"
	"strings"
)

// Disassemble lists the program's code, one instruction a line:
//
//	0003  EMIT_ROOT            "Hello, " `user.name` keep      ; 1:8
func (p *Program) Disassemble() string {
	return p.img.disassemble()
}

func (img *Image) disassemble() string {
	var w strings.Builder
	pool := img.codePool()
	for i := range img.Functions {
		f := &img.Functions[i]
		if i > 0 {
			w.WriteByte('\n')
		}
		fmt.Fprintf(&w, "%s: slots %d, loops %d, stack %d\n", f.Name, f.Slots, f.Loops, f.MaxStack)
		run := 0
		for pc := range f.Code {
			for run+1 < len(f.Spans) && int(f.Spans[run+1].PC) <= pc {
				run++
			}
			line := fmt.Sprintf("%04d  %s", pc, pool.Line(&f.Code[pc]))
			if len(f.Spans) > 0 {
				site := img.Sites[f.Spans[run].Site]
				file, start := site.File.Root(f.Spans[run].Span.Start)
				at := file.Position(start)
				where := fmt.Sprintf("%d:%d", at.Line, at.Column)
				if site.Parent >= 0 {
					where = site.File.Name + ":" + where
				}
				line = fmt.Sprintf("%-58s ; %s", line, where)
			}
			w.WriteString(strings.TrimRight(line, " "))
			w.WriteByte('\n')
		}
	}
	return w.String()
}
