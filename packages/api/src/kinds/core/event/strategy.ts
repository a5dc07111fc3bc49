// Events, stored in their core/v1 form whichever group they come through. Those of events.k8s.io/v1 obey stricter rules.

import type { Event } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';
import { validateEventCreate, validateEventUpdate } from './validation.ts';

export const eventStrategy: KindStrategy<Event> = {
  allowCreateOnUpdate: true,
  defaultPropagation: 'unsupported',
  validateCreate: (event, context) => validateEventCreate(event, context.requestVersion),
  validateUpdate: (event, old, context) => validateEventUpdate(event, old, context.requestVersion),
  selectableFields: (event) => ({
    'involvedObject.kind': event.involvedObject?.kind ?? '',
    'involvedObject.namespace': event.involvedObject?.namespace ?? '',
    'involvedObject.name': event.involvedObject?.name ?? '',
    'involvedObject.uid': event.involvedObject?.uid ?? '',
    'involvedObject.apiVersion': event.involvedObject?.apiVersion ?? '',
    'involvedObject.resourceVersion': event.involvedObject?.resourceVersion ?? '',
    'involvedObject.fieldPath': event.involvedObject?.fieldPath ?? '',
    reason: event.reason ?? '',
    reportingComponent: event.reportingComponent ?? '',
    source: event.source?.component || (event.reportingComponent ?? ''),
    type: event.type ?? '',
  }),
  fieldLabels: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
};
