// JSON property names as CEL identifiers and back, as Kubernetes escapes them: `da-sh` is `da__dash__sh`, `if` is `__if__`.

const keywords = new Set([
  'true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop',
  'package', 'namespace', 'return', 'var', 'void', 'while',
]); // prettier-ignore

const escapes = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);
const names = new Map([...escapes].map(([char, name]) => [name, char]));

/** The identifier of a property, or undefined if the name has none: then CEL cannot reach the property. */
export function escapeField(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (keywords.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[./-]/g, (part) => escapes.get(part) ?? part);
}

/** The property of an identifier. */
export function unescapeField(name: string): string {
  if (!name.includes('__')) return name;
  const keyword = /^__([a-z]+)__$/.exec(name)?.[1];
  if (keyword !== undefined && keywords.has(keyword)) return keyword;
  return name.replaceAll(/__(?:underscores|dot|dash|slash)__/g, (part) => names.get(part) ?? part);
}
