// Syntax errors in the words of yaml.v2 as far as the causes can be told apart.

import { DecodeError } from '../decode-error.ts';

interface Problem {
  readonly code: string;
  readonly message: string;
}

/** @param line - of the problem, counted from zero */
export function yamlError(problem: Problem, line: number): DecodeError {
  const [source, text] = describe(problem);
  // The parser names the line before the problem, its scanner the problem's own; neither names the first.
  const where = line === 0 ? '' : `line ${source === 'scanner' ? line + 1 : line}: `;
  return new DecodeError(`yaml: ${where}${text}`);
}

function describe({ code, message }: Problem): [source: 'parser' | 'scanner', text: string] {
  if (message.startsWith('Flow map')) return ['parser', "did not find expected ',' or '}'"];
  if (message.startsWith('Flow sequence')) return ['parser', "did not find expected ',' or ']'"];
  if (message.startsWith('Maximum call stack')) return ['scanner', 'exceeded max depth of 10000'];
  if (message.startsWith('Missing closing')) return ['scanner', 'found unexpected end of stream'];
  switch (code) {
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return ['scanner', 'mapping values are not allowed in this context'];
    case 'TAB_AS_INDENT':
    case 'BAD_SCALAR_START':
      return ['scanner', 'found character that cannot start any token'];
    case 'MISSING_CHAR':
      return ['scanner', "could not find expected ':'"];
    case 'BAD_INDENT':
    case 'UNEXPECTED_TOKEN':
      return ['parser', 'did not find expected key'];
    default:
      return ['parser', message];
  }
}
