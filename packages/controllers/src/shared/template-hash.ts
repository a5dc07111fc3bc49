// The hash in the names of ReplicaSets (and DaemonSet revisions): FNV-1a over a dump of the Go value of a pod template
// (spec/workloads.md Appendix A). The shape of the Go structs is generated: `generated/pod-template-types.json`.
// Nothing depends on its value but names; it equals upstream's so that names do.

import type { PodTemplateSpec } from '@homeostat/api/types/core-v1';
import { fnv32a, safeEncode } from '@homeostat/machinery';
import shapes from './generated/pod-template-types.json' with { type: 'json' };
import { dumpQuantity } from './quantity-dump.ts';

type Field = readonly [goName: string, goType: string, jsonKey: string];
const structs = shapes as unknown as Readonly<Record<string, readonly Field[]>>;

const zeroTime = '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}';

/** The hash of a template as the API server returns it (defaulted), for the number of collisions so far (absent and 0 differ). */
export function templateHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  const dump = dumpTemplate(template);
  const bytes = new TextEncoder().encode(dump);
  if (collisionCount === undefined) return safeEncode(String(fnv32a(bytes)));
  const salted = new Uint8Array(bytes.length + 8);
  salted.set(bytes);
  new DataView(salted.buffer).setUint32(bytes.length, collisionCount, true);
  return safeEncode(String(fnv32a(salted)));
}

/** The dump itself; exported for its test. */
export function dumpTemplate(template: PodTemplateSpec): string {
  return typed('v1.PodTemplateSpec', template);
}

// A value with its type in front, as struct fields are printed.
function typed(goType: string, value: unknown): string {
  const name = bare(goType);
  if (!name.startsWith('*')) return `(${name})${body(goType, value)}`;
  return value === undefined || value === null ? `(${name})<nil>` : `(${name})${body(goType.slice(1), value)}`;
}

// A value without its type, as elements of slices and maps are printed.
function body(goType: string, value: unknown): string {
  const name = bare(goType);
  if (name.startsWith('*')) return `<*>${body(goType.slice(1), value)}`;
  if (name.startsWith('[]')) return dumpSlice(goType.slice(2), value);
  if (name === 'map[string]string') return dumpMap('string', value);
  if (name === 'v1.ResourceList') return dumpMap('resource.Quantity', value);
  if (name === 'resource.Quantity') return dumpQuantity(typeof value === 'string' ? value : '0');
  if (name === 'intstr.IntOrString') return dumpIntOrString(value);
  if (name === 'v1.Time') return zeroTime;
  const fields = structs[name];
  if (fields !== undefined) return dumpStruct(fields, (value ?? {}) as Readonly<Record<string, unknown>>);
  if (name === 'bool') return value === true ? 'true' : 'false';
  if (/^u?int\d*$/.test(name)) return numberText(value);
  return typeof value === 'string' ? value : '';
}

// Named types are followed by the kind behind the name, where that is not a struct.
function bare(goType: string): string {
  const space = goType.indexOf(' ');
  return space === -1 ? goType : goType.slice(0, space);
}

function dumpStruct(fields: readonly Field[], value: Readonly<Record<string, unknown>>): string {
  const parts = fields.map(([name, type, key]) => `${name}:${typed(type, key === '' ? value : value[key])}`);
  return `{${parts.join(' ')}}`;
}

function dumpSlice(elementType: string, value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return '<nil>';
  return `[${value.map((element) => body(elementType, element)).join(' ')}]`;
}

function dumpMap(valueType: string, value: unknown): string {
  const entries = Object.entries((value ?? {}) as Readonly<Record<string, unknown>>);
  if (entries.length === 0) return '<nil>';
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `map[${sorted.map(([key, item]) => `${key}:${body(valueType, item)}`).join(' ')}]`;
}

function dumpIntOrString(value: unknown): string {
  if (typeof value === 'string') return `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`;
  return `{Type:(intstr.Type)0 IntVal:(int32)${numberText(value)} StrVal:(string)}`;
}

function numberText(value: unknown): string {
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '0';
}
