// Table rows that were recorded from a real API server, made again from the objects the same recording shows: cells and
// row conditions must be equal, ages by their form, because the recording does not say when it was asked.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { convertObject, findResource, tableFor, type ResourceInfo } from '@homeostat/api';
import type { KubeObject } from '@homeostat/machinery';

interface Row {
  readonly cells: readonly unknown[];
  readonly conditions?: unknown;
  readonly object?: KubeObject | null;
}

interface Answer extends KubeObject {
  readonly items?: readonly KubeObject[];
  readonly rows?: readonly Row[] | null;
  readonly columnDefinitions?: readonly { readonly name: string; readonly type: string; readonly priority: number }[];
}

interface Step {
  readonly path?: string;
  readonly answer?: { readonly body?: Answer };
}

const folder = new URL('../golden/recordings/', import.meta.url);
/** Its status is written by the server itself between the recorded steps. */
const serverWritten = new Set(['FlowSchema']);

for (const file of readdirSync(folder).filter((name) => /^(kind|crud-table|list)-.*\.json$/.test(name))) {
  const recording = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { readonly steps: readonly Step[] };
  const known = new Map<string, { readonly object: KubeObject; readonly info: ResourceInfo }>();
  const checks: { readonly title: string; readonly check: () => void }[] = [];
  for (const [index, { path, answer }] of recording.steps.entries()) {
    const info = path === undefined ? undefined : resourceOf(path);
    const body = answer?.body;
    if (info === undefined || body === undefined || typeof body !== 'object') continue;
    if (body.kind !== 'Table') {
      remember(body, info);
      continue;
    }
    for (const row of body.rows ?? []) {
      const found = known.get(keyOf(info, nameIn(row, info)));
      if (found === undefined || serverWritten.has(info.kind)) continue;
      checks.push({
        title: `step ${index}: ${info.kind} ${nameIn(row, info)}`,
        check: () => checkRow(row, body, found),
      });
    }
  }
  if (checks.length === 0) continue;
  describe(file, () => {
    for (const { title, check } of checks) it(title, check);
  });

  function remember(body: Answer, info: ResourceInfo): void {
    if (body.kind !== info.kind && body.kind !== info.listKind) return;
    for (const object of body.items ?? [body]) {
      const key = keyOf(info, object.metadata?.name ?? '');
      // A version that is converted may show less than the stored one.
      const isStored = info.version === info.storage.version && info.group === info.storage.group;
      if (isStored || !known.has(key)) known.set(key, { object, info });
    }
  }
}

function resourceOf(path: string): ResourceInfo | undefined {
  const match =
    /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/[^/?]+)?\/([^/?]+)(?:\/[^/?]+)?(?:\/(?:status|approval))?(?:\?.*)?$/.exec(
      path,
    );
  if (match === null) return undefined;
  return findResource(match[1] ?? '', match[2] ?? '', match[3] ?? '');
}

function keyOf(info: ResourceInfo, name: string): string {
  return `${info.storage.group}/${info.storage.kind}/${name}`;
}

function nameIn(row: Row, info: ResourceInfo): string {
  const cell = row.cells[info.kind === 'Event' ? row.cells.length - 1 : 0];
  return row.object?.metadata?.name ?? String(cell).replace(' (default)', '');
}

function checkRow(
  row: Row,
  table: Answer,
  { object, info }: { readonly object: KubeObject; readonly info: ResourceInfo },
): void {
  const strategy = tableFor(info.storage);
  const stored = convertObject({ ...object }, info, info.storage);
  const actual = strategy.row(stored, Date.parse(object.metadata?.creationTimestamp ?? '') + 500);
  assert.deepEqual(actual.cells.map(withoutAge), row.cells.map(withoutAge));
  assert.deepEqual(actual.conditions, row.conditions);
  const shape = (columns: Answer['columnDefinitions']): unknown =>
    columns?.map(({ name, type, priority }) => ({ name, type, priority }));
  if (table.columnDefinitions !== undefined) assert.deepEqual(shape(strategy.columns), shape(table.columnDefinitions));
}

function withoutAge(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  return /^(?:\d+[smhdy])+$/.test(cell) ? '<age>' : cell.replace(/\((?:\d+[smhdy])+ ago\)/, '(<age> ago)');
}
