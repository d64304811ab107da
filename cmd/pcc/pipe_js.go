package main

// ignoreClosedPipe has nothing to do: a JavaScript host sends no signals, and a
// closed pipe is an error of Write there.
func ignoreClosedPipe() {}
