// Runs a program for WASI in Node, with the current folder as its root:
//   node --no-warnings .ci/wasi.mjs program.wasm ARGUMENT…
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [program, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: ['pcc', ...args], env: { PWD: '/' }, preopens: { '/': '.' }, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(program));
process.exit(wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject())));
