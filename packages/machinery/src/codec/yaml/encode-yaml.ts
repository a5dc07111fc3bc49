// JSON values to YAML text as sigs.k8s.io/yaml writes them (through yaml.v2): keys in natural order, lists not indented,
// strings plain where that is unambiguous, long lines folded at 80 columns.

import type { Json } from '../../schema/schema.ts';
import { compareKeys } from './compare-keys.ts';
import { emitScalar } from './emit-scalar.ts';

/** YAML of a value, with a newline at the end. Undefined members are left out. */
export function encodeYaml(value: unknown): string {
  const emitter = new Emitter();
  emitter.document(value as Json);
  return emitter.text;
}

type Members = Readonly<Record<string, Json | undefined>>;

/** yaml.v2 writes longer keys in the `? key` form. */
const simpleKeyMax = 128;

class Emitter {
  text = '';

  document(value: Json): void {
    if (isEmptyOrScalar(value)) this.text += `${emitScalar(value, { column: 0, indent: 2, key: false })}\n`;
    else this.#collection(value, 0, false);
  }

  /** @param inline - the first line goes on behind a `- ` */
  #collection(value: Json, indent: number, inline: boolean): void {
    if (Array.isArray(value)) this.#sequence(value as readonly Json[], indent, inline);
    else this.#mapping(value as Members, indent, inline);
  }

  #sequence(items: readonly Json[], indent: number, inline: boolean): void {
    items.forEach((item, i) => {
      this.text += `${i === 0 && inline ? '' : ' '.repeat(indent)}- `;
      this.#afterIndicator(item, indent + 2);
    });
  }

  /** What follows `- ` (or `? `): a scalar on the line, or a collection that begins there. */
  #afterIndicator(value: Json, indent: number): void {
    if (isEmptyOrScalar(value)) this.text += `${emitScalar(value, { column: indent, indent, key: false })}\n`;
    else this.#collection(value, indent, true);
  }

  #mapping(object: Members, indent: number, inline: boolean): void {
    const keys = Object.keys(object).filter((key) => object[key] !== undefined);
    keys.sort(compareKeys).forEach((key, i) => {
      this.text += i === 0 && inline ? '' : ' '.repeat(indent);
      this.#member(key, object[key] as Json, indent);
    });
  }

  #member(key: string, value: Json, indent: number): void {
    const simple = key.length <= simpleKeyMax;
    const name = emitScalar(key, { column: indent, indent: indent + 2, key: simple });
    const start = simple ? `${name}:` : `? ${name}\n${' '.repeat(indent)}:`;
    this.text += start;
    if (isEmptyOrScalar(value)) {
      const column = indent + (simple ? start.length : 1) + 1;
      this.text += ` ${emitScalar(value, { column, indent: indent + 2, key: false })}\n`;
      return;
    }
    if (!simple) {
      this.text += ' ';
      this.#collection(value, indent + 2, true);
      return;
    }
    this.text += '\n';
    // A list in a mapping is not indented.
    this.#collection(value, Array.isArray(value) ? indent : indent + 2, false);
  }
}

function isEmptyOrScalar(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
