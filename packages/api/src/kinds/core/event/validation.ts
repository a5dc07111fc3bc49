// Validation of Events. The core/v1 API takes nearly everything; events.k8s.io/v1 wants the new fields and not the old.

import { type FieldError, FieldPath, invalid, isQualifiedName, required, utf8Length } from '@homeostat/machinery';
import type { Event } from '@homeostat/api/types/core-v1';
import { structByName } from '../../../scheme/scheme.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { toGoStruct } from '../../rules/go-struct.ts';
import { nameIsDnsSubdomain } from '../../rules/names.ts';
import { immutableText, pushInvalid } from '../../rules/values.ts';
import { semanticEqual } from '../../semantic-equal.ts';

const metadataPath = new FieldPath('metadata');
const textBytesMax = 128;
const noteBytesMax = 1024;

/** `version` is the GroupVersion of the request, `v1` for the core API. */
export function validateEventCreate(event: Event, version = 'v1'): FieldError[] {
  const errors = validateBasics(event, version);
  if (version === 'v1') return errors;
  errors.push(...validateKubeObjectMeta(event.metadata ?? {}, { namespaced: true, name: nameIsDnsSubdomain }, metadataPath));
  validateSeries(event, errors);
  if (!isSet(event.eventTime)) errors.push(required(new FieldPath('eventTime')));
  const type = event.type ?? '';
  if (type !== 'Normal' && type !== 'Warning') {
    errors.push(invalid(new FieldPath('type'), '', `has invalid value: ${type}`));
  }
  const unwanted: readonly (readonly [field: string, set: boolean])[] = [
    ['firstTimestamp', isSet(event.firstTimestamp)],
    ['lastTimestamp', isSet(event.lastTimestamp)],
    ['count', (event.count ?? 0) !== 0],
    ['source', (event.source?.component ?? '') !== '' || (event.source?.host ?? '') !== ''],
  ];
  for (const [field, set] of unwanted) if (set) errors.push(invalid(new FieldPath(field), '', 'needs to be unset'));
  return errors;
}

export function validateEventUpdate(event: Event, old: Event, version = 'v1'): FieldError[] {
  const errors = validateBasics(event, version);
  if (version === 'v1') return errors;
  errors.push(...validateKubeObjectMetaUpdate(event.metadata ?? {}, old.metadata ?? {}, metadataPath));
  if (!semanticEqual(event.series, old.series)) validateSeries(event, errors);
  for (const [field, shown] of fixedFields) validateFixed(event, old, field, shown, errors);
  return errors;
}

/** Fields an update may not change, with the internal name that messages show; `reason` is checked twice, as upstream does. */
const fixedFields: readonly (readonly [field: keyof Event, shown: string])[] = [
  ['involvedObject', 'involvedObject'],
  ['reason', 'reason'],
  ['message', 'message'],
  ['source', 'source'],
  ['firstTimestamp', 'firstTimestamp'],
  ['lastTimestamp', 'lastTimestamp'],
  ['count', 'count'],
  ['reason', 'reason'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingComponent', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
];

const eventSchema = structByName('io.k8s.api.core.v1.Event');

function validateFixed(event: Event, old: Event, field: keyof Event, shown: string, errors: FieldError[]): void {
  const schema = eventSchema?.byName.get(field);
  const value = toGoStruct({ [field]: event[field] }, eventSchema) as Readonly<Record<string, unknown>>;
  const oldValue = toGoStruct({ [field]: old[field] }, eventSchema) as Readonly<Record<string, unknown>>;
  const name = Object.keys(value).find((key) => key.toLowerCase() === field.toLowerCase()) ?? '';
  if (schema === undefined || semanticEqual(value[name], oldValue[name])) return;
  errors.push(invalid(new FieldPath(shown), value[name], immutableText));
}

function validateSeries(event: Event, errors: FieldError[]): void {
  if (event.series === undefined) return;
  if ((event.series.count ?? 0) < 2) errors.push(invalid(new FieldPath('series.count'), '', 'should be at least 2'));
  if (!isSet(event.series.lastObservedTime)) errors.push(required(new FieldPath('series.lastObservedTime')));
}

function validateBasics(event: Event, version: string): FieldError[] {
  const errors: FieldError[] = [];
  const namespace = event.metadata?.namespace ?? '';
  const involved = event.involvedObject?.namespace ?? '';
  const mismatch = invalid(new FieldPath('involvedObject').child('namespace'), involved, 'does not match event.namespace');
  if (!isSet(event.eventTime)) {
    // Events about objects without a namespace are kept in `default`.
    const fits = involved === '' ? namespace === '' || namespace === 'default' : namespace === involved;
    if (!fits) errors.push(mismatch);
  } else {
    if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') errors.push(mismatch);
    validateNewFields(event, version, errors);
  }
  pushInvalid(nameIsDnsSubdomain(namespace, false), namespace, new FieldPath('namespace'), errors);
  return errors;
}

function validateNewFields(event: Event, version: string, errors: FieldError[]): void {
  const controllerPath = new FieldPath(version === 'v1' ? 'reportingComponent' : 'reportingController');
  const controller = event.reportingComponent ?? '';
  if (controller === '') errors.push(required(controllerPath));
  pushInvalid(isQualifiedName(controller), controller, controllerPath, errors);
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const text = event[field] ?? '';
    if (text === '') errors.push(required(new FieldPath(field)));
    validateLength(text, textBytesMax, new FieldPath(field), errors);
  }
  validateLength(event.message ?? '', noteBytesMax, new FieldPath('message'), errors);
}

function validateLength(text: string, max: number, path: FieldPath, errors: FieldError[]): void {
  if (utf8Length(text) > max) errors.push(invalid(path, '', `can have at most ${max} characters`));
}

function isSet(time: string | null | undefined): boolean {
  return time !== undefined && time !== null && time !== '';
}
