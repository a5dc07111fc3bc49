// Where a typed decode is in the object, and what went wrong so far. Go's decoder goes on after a wrong type and reports
// the first one at the end; what a type's own UnmarshalJSON refuses ends it at once.

import type { StructSchema } from '../schema/schema.ts';
import { DecodeError } from './decode-error.ts';

export interface DecodeObjectOptions {
  /** Called with the path of each field the schema does not know; at most 100 findings are reported. */
  readonly onUnknown?: (path: string) => void;
  /** Called with the path of each repeated key. In the order of the text, between the calls of `onUnknown`. */
  readonly onDuplicate?: (path: string) => void;
  /** The value is the caller's to give away (fresh from a parser): free-form parts of it are kept, not copied. */
  readonly owned?: boolean;
  /** The value is plain JSON as `JSON.parse` gives it (the reader's special forms are absent): saves a look. */
  readonly plain?: boolean;
  /**
   * Whose words errors use: those of the JSON decoder (default), or those of the converter that reads a patched object
   * back into its type.
   */
  readonly wording?: 'json' | 'converter';
}

const findingsMax = 100;

export class DecodeContext {
  readonly owned: boolean;
  /** The value holds plain JSON alone, no repeated keys nor number literals. */
  readonly plain: boolean;
  readonly converter: boolean;
  readonly #options: DecodeObjectOptions;
  // Stacks with depths of their own: shrinking an array's length at every step would cost more than the walk.
  readonly #path: (string | number)[] = [];
  #pathDepth = 0;
  readonly #fields: string[] = [];
  #fieldsDepth = 0;
  readonly #findings = new Set<string>();
  #struct: StructSchema | undefined;
  #saved: DecodeError | undefined;
  #silent = 0;

  constructor(options: DecodeObjectOptions) {
    this.#options = options;
    this.owned = options.owned === true;
    this.plain = options.plain === true;
    this.converter = options.wording === 'converter';
  }

  /** Enters a field of a struct; returns the struct to pass to {@link leaveField}. */
  enterField(struct: StructSchema, name: string, embedded: readonly string[] | undefined): StructSchema | undefined {
    const outer = this.#struct;
    this.#struct = struct;
    if (embedded !== undefined) for (const part of embedded) this.#fields[this.#fieldsDepth++] = part;
    this.#fields[this.#fieldsDepth++] = name;
    this.#path[this.#pathDepth++] = name;
    return outer;
  }

  leaveField(outer: StructSchema | undefined, embedded: readonly string[] | undefined): void {
    this.#struct = outer;
    this.#fieldsDepth -= embedded === undefined ? 1 : embedded.length + 1;
    this.#pathDepth--;
  }

  /** Enters a list item or a map value. */
  enter(step: string | number): void {
    this.#path[this.#pathDepth++] = step;
  }

  leave(): void {
    this.#pathDepth--;
  }

  /** Runs a part that Go decodes on its own (a type's UnmarshalJSON): nothing in it is reported as unknown. */
  silently<T>(decode: () => T): T {
    this.#silent++;
    try {
      return decode();
    } finally {
      this.#silent--;
    }
  }

  unknown(name: string): void {
    this.#report('unknown', name, this.#options.onUnknown);
  }

  duplicate(name: string): void {
    this.#report('duplicate', name, this.#options.onDuplicate);
  }

  /** A value of the wrong type: noted, decoding goes on. */
  wrongType(found: string, goType: string): undefined {
    this.save(this.typeError(found, goType));
  }

  save(error: DecodeError): undefined {
    if (this.converter) throw error;
    this.#saved ??= error;
  }

  /** `json: cannot unmarshal <found> into Go struct field <Struct>.<path> of type <goType>`. */
  typeError(found: string, goType: string): DecodeError {
    const struct = this.converter ? undefined : this.#struct;
    const target =
      struct === undefined
        ? 'value'
        : `struct field ${struct.name.slice(struct.name.lastIndexOf('.') + 1)}.${this.#fields.slice(0, this.#fieldsDepth).join('.')}`;
    return new DecodeError(`json: cannot unmarshal ${found} into Go ${target} of type ${goType}`);
  }

  /** Ends the decode: throws what was noted. */
  finish(): void {
    if (this.#saved !== undefined) throw this.#saved;
  }

  #report(what: string, name: string, listener: ((path: string) => void) | undefined): void {
    if (listener === undefined || this.#silent > 0 || this.#findings.size >= findingsMax) return;
    let path = '';
    for (const step of this.#path.slice(0, this.#pathDepth))
      path += typeof step === 'number' ? `[${step}]` : path === '' ? step : `.${step}`;
    path = path === '' ? name : `${path}.${name}`;
    const finding = `${what} ${path}`;
    if (this.#findings.has(finding)) return;
    this.#findings.add(finding);
    listener(path);
  }
}
