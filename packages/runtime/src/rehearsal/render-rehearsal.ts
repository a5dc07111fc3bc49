// Rehearsals as text for people: which object, why, and field by field what changes.

import type { Json } from '@homeostat/machinery';
import { nameOf } from '../journal/cycle.ts';
import type { FieldChange } from './field-changes.ts';
import type { RehearsedWrite } from './pretend-client.ts';
import type { Rehearsal } from './rehearsal.ts';

export interface WriteCounts {
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
  /** Writes that would be made and change nothing. */
  readonly unchanged: number;
  /** Runs that would fail. */
  readonly failed: number;
}

export function countWrites(rehearsals: readonly Rehearsal[]): WriteCounts {
  const writes = rehearsals.flatMap((rehearsal) => rehearsal.writes);
  const count = (wanted: Effect): number => writes.filter((write) => effectOf(write) === wanted).length;
  return {
    created: count('create'),
    changed: count('change'),
    deleted: count('delete'),
    unchanged: count('none'),
    failed: rehearsals.filter(({ outcome }) => outcome === 'error').length,
  };
}

/** Whether nothing would change. */
export function isAtRest({ created, changed, deleted }: WriteCounts): boolean {
  return created + changed + deleted === 0;
}

/**
 * @example
 * memcached default/sessions
 *   + create deployments.apps default/sessions
 *       spec.replicas: 3
 *   ~ patch the status of memcacheds.cache.example.com default/sessions
 *       status.readyReplicas: 0 → 3
 * 1 to create, 1 to change, 0 to delete.
 */
export function renderRehearsals(rehearsals: readonly Rehearsal[]): string {
  const lines = rehearsals.flatMap((rehearsal) => {
    const told = rehearsal.writes.filter((write) => effectOf(write) !== 'none').flatMap(renderWrite);
    const failure = rehearsal.error === undefined ? [] : [`  ! would fail: ${rehearsal.error}`];
    const events = rehearsal.events.map(({ type, reason, message }) => `  event ${type} ${reason}: ${message}`);
    if (told.length + failure.length === 0) return [];
    return [`${rehearsal.controller} ${rehearsal.key}`, ...told, ...events, ...failure];
  });
  const counts = countWrites(rehearsals);
  const { created, changed, deleted, unchanged, failed } = counts;
  const more = [
    ...(unchanged === 0 ? [] : [`writes that change nothing: ${unchanged}`]),
    ...(failed === 0 ? [] : [`runs that fail: ${failed}`]),
  ];
  const summary = isAtRest(counts)
    ? `Nothing to change in ${rehearsals.length} keys`
    : `${created} to create, ${changed} to change, ${deleted} to delete`;
  lines.push(`${[summary, ...more].join('; ')}.`);
  return `${lines.join('\n')}\n`;
}

type Effect = 'create' | 'change' | 'delete' | 'none' | 'refused';

/** What a write comes to. */
export function effectOf({ verb, before, after, changes, error }: RehearsedWrite): Effect {
  if (error !== undefined) return 'refused';
  if (before === undefined && after !== undefined) return 'create';
  if (after === undefined) return before === undefined && verb !== 'delete' ? 'none' : 'delete';
  return changes.length === 0 ? 'none' : 'change';
}

const signs: Readonly<Record<Effect, string>> = { create: '+', change: '~', delete: '-', none: '=', refused: '!' };

function renderWrite(write: RehearsedWrite): readonly string[] {
  const { verb, subresource, resource, object, reason, facts = {}, changes, error } = write;
  const effect = effectOf(write);
  const of = subresource === undefined ? '' : `the ${subresource} of `;
  const given = Object.entries(facts).map(([name, value]) => `${name}=${show(value)}`);
  const why = reason === undefined ? '' : ` (${[reason, ...given].join(' ')})`;
  const head = `  ${signs[effect]} ${verb} ${of}${nameOf(resource)} ${object}${why}`;
  if (error !== undefined) return [head, `      refused: ${error}`];
  return [head, ...(effect === 'delete' ? [] : changes.map((change) => `      ${renderChange(change)}`))];
}

function renderChange({ path, from, to }: FieldChange): string {
  if (from === undefined) return to === undefined ? path : `${path}: ${show(to)}`;
  return to === undefined ? `${path}: ${show(from)} → removed` : `${path}: ${show(from)} → ${show(to)}`;
}

const shownMax = 200;

function show(value: Json): string {
  const text = JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner));
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}
