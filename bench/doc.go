// Package bench holds the comparison of PCC with hand-written Go and with other
// template engines: the same data enters all of them, the same bytes leave.
//
// Package workload has the templates and the data, handwritten the floor,
// engine the contestants, measure the clock. The tests here check that all
// outputs are byte-equal; the commands below cmd print the tables that stand
// in BENCHMARKS.md.
package bench
