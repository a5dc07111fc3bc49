// The subpath `@homeostat/machinery/testing`: support for tests of this and other packages. Not for production code.

export { randomObject, type RandomObjectOptions } from './testing/random-object.ts';
