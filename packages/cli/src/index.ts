// The homeostat command as a function; the binary is bin/homeostat.mjs.

export { createProgram, main } from './main.ts';
