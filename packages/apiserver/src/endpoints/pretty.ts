// Indents compact JSON as Go's json.Indent does: two spaces, empty objects and arrays on one line, strings untouched.

export function indentJson(compact: string): string {
  let out = '';
  let depth = 0;
  let inString = false;
  for (let index = 0; index < compact.length; index++) {
    const char = compact[index] as string;
    if (inString) {
      out += char;
      if (char === '\\') out += compact[++index] ?? '';
      else if (char === '"') inString = false;
      continue;
    }
    switch (char) {
      case '"':
        inString = true;
        out += char;
        break;
      case '{':
      case '[': {
        const closing = char === '{' ? '}' : ']';
        if (compact[index + 1] === closing) {
          out += char + closing;
          index++;
        } else {
          depth++;
          out += char + newline(depth);
        }
        break;
      }
      case '}':
      case ']':
        depth--;
        out += newline(depth) + char;
        break;
      case ',':
        out += char + newline(depth);
        break;
      case ':':
        out += ': ';
        break;
      case '\n':
        break;
      default:
        out += char;
    }
  }
  return out;
}

function newline(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}

/** Whether the client wants indented JSON: it says so, or looks like a person at a terminal or browser. */
export function wantsPretty(query: URLSearchParams, userAgent: string): boolean {
  const asked = query.get('pretty');
  if (asked !== null) return asked === 'true' || asked === '1';
  return userAgent.startsWith('curl') || userAgent.startsWith('Wget') || userAgent.startsWith('Mozilla/5.0');
}
