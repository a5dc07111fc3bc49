// Event, which two groups serve: core/v1, in whose form it is stored and checked, and events.k8s.io/v1, which asks for
// more. Errors name the fields as core/v1 does, whichever way the Event came in.

import type { Event } from '@homeostat/api/types/core-v1';
import {
  type FieldError,
  FieldPath,
  invalid,
  isDns1123Subdomain,
  isQualifiedName,
  required,
  utf8Length,
} from '@homeostat/machinery';
import type { KindStrategy, StrategyContext } from '../../strategy.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../metadata/object-meta.ts';
import { type GoField, toGoForm } from '../rules/go-form.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { immutableText, pushInvalid } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';

const metadataPath = new FieldPath('metadata');
const bytesMax = 128;
const messageBytesMax = 1024;
const namespaceText = 'does not match event.namespace';

const referenceForm: readonly GoField[] = [
  ['Kind', 'kind', ''],
  ['Namespace', 'namespace', ''],
  ['Name', 'name', ''],
  ['UID', 'uid', ''],
  ['APIVersion', 'apiVersion', ''],
  ['ResourceVersion', 'resourceVersion', ''],
  ['FieldPath', 'fieldPath', ''],
];
const sourceForm: readonly GoField[] = [
  ['Component', 'component', ''],
  ['Host', 'host', ''],
];

const objectLabels = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
const coreLabels = [
  ...objectLabels.map((label) => `involvedObject.${label}`),
  'reason',
  'reportingComponent',
  'source',
  'type',
];

/** Events of core/v1. */
export const coreEventStrategy: KindStrategy<Event> = {
  allowCreateOnUpdate: true,
  defaultPropagation: 'unsupported',
  nameRule: 'subdomain',
  validateCreate: (object, context) => validateEvent(object, undefined, context),
  validateUpdate: (object, old, context) => validateEvent(object, old, context),
  fieldLabels: coreLabels,
  selectableFields,
};

/** Events of events.k8s.io/v1: the same, under other field labels. */
export const eventStrategy: KindStrategy<Event> = {
  ...coreEventStrategy,
  fieldLabels: {
    ...Object.fromEntries(objectLabels.map((label) => [`regarding.${label}`, `involvedObject.${label}`])),
    reason: 'reason',
    reportingController: 'reportingComponent',
    type: 'type',
  },
};

function selectableFields(event: Event): Readonly<Record<string, string>> {
  const about = (event.involvedObject ?? {}) as Readonly<Record<string, string | undefined>>;
  const component = event.source?.component ?? '';
  const reporting = event.reportingComponent ?? '';
  return {
    ...Object.fromEntries(objectLabels.map((label) => [`involvedObject.${label}`, about[label] ?? ''])),
    reason: event.reason ?? '',
    reportingComponent: reporting,
    source: component === '' ? reporting : component,
    type: event.type ?? '',
  };
}

function validateEvent(event: Event, old: Event | undefined, context: StrategyContext): FieldError[] {
  const isCore = context.requestVersion === undefined || context.requestVersion === 'v1';
  const errors: FieldError[] = [];
  validateOldRules(event, isCore, errors);
  if (isCore) return errors;
  if (old === undefined) validateNewRules(event, errors);
  else validateChanges(event, old, errors);
  return errors;
}

/** The rules of core/v1: an Event with an eventTime is a new one, and has to say who did what. */
function validateOldRules(event: Event, isCore: boolean, errors: FieldError[]): void {
  const namespace = event.metadata?.namespace ?? '';
  const about = event.involvedObject?.namespace ?? '';
  const aboutPath = new FieldPath('involvedObject.namespace');
  if (!hasTime(event.eventTime)) {
    const matches = about === '' ? namespace === '' || namespace === 'default' : namespace === about;
    if (!matches) errors.push(invalid(aboutPath, about, namespaceText));
  } else {
    if (about === '' && namespace !== 'default' && namespace !== 'kube-system') {
      errors.push(invalid(aboutPath, about, namespaceText));
    }
    const reporter = event.reportingComponent ?? '';
    const path = new FieldPath(isCore ? 'reportingComponent' : 'reportingController');
    if (reporter === '') errors.push(required(path));
    pushInvalid(isQualifiedName(reporter), reporter, path, errors);
    for (const field of ['reportingInstance', 'action', 'reason'] as const) {
      validateText(event[field] ?? '', new FieldPath(field), errors);
    }
    if (utf8Length(event.message ?? '') > messageBytesMax) {
      errors.push(invalid(new FieldPath('message'), '', `can have at most ${messageBytesMax} characters`));
    }
  }
  pushInvalid(isDns1123Subdomain(namespace), namespace, new FieldPath('namespace'), errors);
}

function validateText(text: string, path: FieldPath, errors: FieldError[]): void {
  if (text === '') errors.push(required(path));
  else if (utf8Length(text) > bytesMax) errors.push(invalid(path, '', `can have at most ${bytesMax} characters`));
}

/** What events.k8s.io/v1 asks of new Events besides. */
function validateNewRules(event: Event, errors: FieldError[]): void {
  const rules = { namespaced: true, name: nameIsDnsSubdomain };
  errors.push(...validateKubeObjectMeta(event.metadata ?? {}, rules, metadataPath));
  validateSeries(event, errors);
  if (!hasTime(event.eventTime)) errors.push(required(new FieldPath('eventTime')));
  if (event.type !== 'Normal' && event.type !== 'Warning') {
    errors.push(invalid(new FieldPath('type'), '', `has invalid value: ${event.type ?? ''}`));
  }
  const unset: Readonly<Record<string, boolean>> = {
    firstTimestamp: !hasTime(event.firstTimestamp),
    lastTimestamp: !hasTime(event.lastTimestamp),
    count: (event.count ?? 0) === 0,
    source: (event.source?.component ?? '') === '' && (event.source?.host ?? '') === '',
  };
  for (const [field, isUnset] of Object.entries(unset)) {
    if (!isUnset) errors.push(invalid(new FieldPath(field), '', 'needs to be unset'));
  }
}

function validateSeries(event: Event, errors: FieldError[]): void {
  if (event.series === undefined) return;
  if ((event.series.count ?? 0) < 2) errors.push(invalid(new FieldPath('series.count'), '', 'should be at least 2'));
  if (!hasTime(event.series.lastObservedTime)) errors.push(required(new FieldPath('series.lastObservedTime')));
}

/** Only the series of a stored Event may change. */
function validateChanges(event: Event, old: Event, errors: FieldError[]): void {
  if (!semanticEqual(event.series, old.series)) validateSeries(event, errors);
  errors.push(...validateKubeObjectMetaUpdate(event.metadata ?? {}, old.metadata ?? {}, metadataPath));
  const keep = (field: keyof Event, absent: unknown, form?: readonly GoField[]): void => {
    if (semanticEqual(event[field] ?? absent, old[field] ?? absent)) return;
    const value = form === undefined ? (event[field] ?? absent) : toGoForm(event[field], form);
    errors.push(invalid(new FieldPath(field), value, immutableText));
  };
  keep('involvedObject', {}, referenceForm);
  keep('reason', '');
  keep('message', '');
  keep('source', {}, sourceForm);
  keep('firstTimestamp', null);
  keep('lastTimestamp', null);
  keep('count', 0);
  keep('reason', '');
  keep('type', '');
  keep('eventTime', null);
  keep('action', '');
  keep('related', null, referenceForm);
  if ((event.reportingComponent ?? '') !== (old.reportingComponent ?? '')) {
    errors.push(invalid(new FieldPath('reportingController'), event.reportingComponent ?? '', immutableText));
  }
  keep('reportingInstance', '');
}

function hasTime(time: string | null | undefined): boolean {
  return time !== undefined && time !== null;
}
