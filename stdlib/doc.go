// Package stdlib holds the filters, tests, functions and methods that
// templates call, and the dialects that bind them together.
//
// What enters: values and the vm.Env of the running machine. What leaves:
// values, or errors that name types and positions but never data. A builtin is
// one row of a table (name, signature, sentence of documentation, Go
// function); the same function serves the native language and Jinja, since
// printing, truth and comparison follow the rules of env.Dialect.
//
// Whatever can grow is charged to the budgets of the Env before it is
// allocated, and no function recurses on its input.
//
// Rules of Python's own types (str methods, format specifications, strftime,
// pprint, textwrap, the printing of numbers) follow the Python 3 library
// reference; those of filters and tests follow Jinja 3.1.
package stdlib
