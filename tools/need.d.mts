// Types of need.mjs.

/** Returns the path of `program`, installing its Debian package when that is possible. @throws with what to do. */
export function need(program: string, options: { readonly suite: string }): string;
/** Path of a program on PATH, or undefined. */
export function which(program: string): string | undefined;
