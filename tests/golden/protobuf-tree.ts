// Protobuf read without a schema: a tree of [field, value], so that two encodings of the same message are compared
// field by field and what cannot be equal in it (times, versions, uids) as in JSON.

const magic = [0x6b, 0x38, 0x73, 0x00]; // "k8s\0" begins an object

type Field = readonly [number: number, value: unknown];

export function protobufTree(bytes: Buffer): unknown {
  const isEnvelope = startsWithMagic(bytes);
  const fields = readMessage(isEnvelope ? bytes.subarray(4) : bytes);
  return { magic: isEnvelope, fields: fields ?? bytes.toString('base64') };
}

function startsWithMagic(bytes: Buffer): boolean {
  return bytes.length >= 4 && magic.every((byte, index) => bytes[index] === byte);
}

/** The fields, or undefined when the bytes are no message. */
function readMessage(bytes: Buffer): readonly Field[] | undefined {
  const reader = new Reader(bytes);
  const fields: Field[] = [];
  while (!reader.done) {
    const field = reader.field();
    if (field === undefined) return undefined;
    fields.push(field);
  }
  return sortManagedFields(fields);
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at === this.#bytes.length;
  }

  field(): Field | undefined {
    const tag = this.#varint();
    if (tag === undefined) return undefined;
    const number = Number(tag >> 3n);
    // No message of Kubernetes has such fields: these bytes are something else.
    if (number === 0 || number > 20_000) return undefined;
    switch (Number(tag & 7n)) {
      case 0: {
        const value = this.#varint();
        return value === undefined ? undefined : [number, isRecentTime(value) ? '<seconds>' : String(value)];
      }
      case 1:
        return this.#fixed(number, 8);
      case 2: {
        const part = this.#lengthPrefixed();
        return part === undefined ? undefined : [number, readPart(part)];
      }
      case 5:
        return this.#fixed(number, 4);
      default:
        return undefined;
    }
  }

  #fixed(number: number, length: number): Field | undefined {
    if (this.#at + length > this.#bytes.length) return undefined;
    const value = this.#bytes.subarray(this.#at, this.#at + length).toString('hex');
    this.#at += length;
    return [number, value];
  }

  #lengthPrefixed(): Buffer | undefined {
    const length = this.#varint();
    if (length === undefined || this.#at + Number(length) > this.#bytes.length) return undefined;
    const part = this.#bytes.subarray(this.#at, this.#at + Number(length));
    this.#at += Number(length);
    return part;
  }

  #varint(): bigint | undefined {
    let value = 0n;
    for (let shift = 0n; shift <= 63n; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return undefined;
      this.#at++;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    return undefined;
  }
}

function readPart(part: Buffer): unknown {
  if (part.length === 0) return '';
  // An object inside a watch event.
  if (part.length > 4 && startsWithMagic(part)) {
    return { magic: true, fields: readMessage(part.subarray(4)) ?? part.toString('base64') };
  }
  const text = part.toString('utf8');
  // eslint-disable-next-line no-control-regex
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffd]/.test(text)) return readMessage(part) ?? part.toString('base64');
  // A resource version, as likely as not: numbers in text are compared by form.
  if (/^\d{1,10}$/.test(text)) return '<digits>';
  return text.startsWith('{') ? parseOr(text) : text;
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Between 2020 and 2065. */
function isRecentTime(value: bigint): boolean {
  return value > 1_600_000_000n && value < 3_000_000_000n;
}

// ObjectMeta.managedFields is field 17 of it; its entries have manager 1, operation 2, apiVersion 3, subresource 8.
// Their order depends on when a second ended.
function sortManagedFields(fields: readonly Field[]): readonly Field[] {
  const managed = fields.filter(isManagedFields);
  if (managed.length < 2) return fields;
  const sorted = managed.toSorted((a, b) =>
    managedKey(a) < managedKey(b) ? -1 : managedKey(a) > managedKey(b) ? 1 : 0,
  );
  let next = 0;
  return fields.map((field) => (isManagedFields(field) ? (sorted[next++] ?? field) : field));
}

function isManagedFields([number, value]: Field): boolean {
  if (number !== 17 || !Array.isArray(value)) return false;
  const [manager, operation] = value as readonly Field[];
  return manager?.[0] === 1 && (operation?.[1] === 'Apply' || operation?.[1] === 'Update');
}

function managedKey([, value]: Field): string {
  const entry = value as readonly Field[];
  return JSON.stringify([2, 1, 3, 8].map((wanted) => entry.find(([number]) => number === wanted)?.[1] ?? ''));
}
