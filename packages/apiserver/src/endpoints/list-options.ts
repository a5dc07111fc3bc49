// ListOptions: decoding from the query, legacy defaulting of watches, validation (spec/apiserver.md §5.2, §6.3).

import { type FieldError, FieldPath, forbidden, newInvalid, notSupported } from '@homeostat/machinery';
import { queryBool, queryInt } from './query-values.ts';

export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds: number | undefined;
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

/** @throws ApiError 400 for values that can't be read, 422 for combinations that make no sense */
export function decodeListOptions(query: URLSearchParams, forceWatch: boolean): ListOptions {
  const options: ListOptions = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    watch: queryBool(query, 'watch') ?? false,
    allowWatchBookmarks: queryBool(query, 'allowWatchBookmarks') ?? false,
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: queryInt(query, 'timeoutSeconds'),
    limit: queryInt(query, 'limit') ?? 0,
    continue: query.get('continue') ?? '',
    sendInitialEvents: queryBool(query, 'sendInitialEvents'),
  };
  const watching = forceWatch || options.watch;
  const defaulted = watching ? defaultWatch({ ...options, watch: true }) : options;
  const errors = watching ? validateWatch(defaulted) : validateList(defaulted);
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return defaulted;
}

/** A watch from nowhere or from 0 begins with what is there. */
function defaultWatch(options: ListOptions): ListOptions {
  const fromStart = options.resourceVersion === '' || options.resourceVersion === '0';
  if (
    !fromStart ||
    options.sendInitialEvents !== undefined ||
    options.resourceVersionMatch !== '' ||
    options.continue !== ''
  )
    return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
}

const matchPath = new FieldPath('resourceVersionMatch');
const initialPath = new FieldPath('sendInitialEvents');

function validateWatch(options: ListOptions): readonly FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  const asked = options.sendInitialEvents !== undefined;
  if (asked && match !== 'NotOlderThan') {
    errors.push(forbidden(matchPath, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === '') return errors;
  if (!asked)
    errors.push(
      forbidden(matchPath, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    );
  if (match !== 'NotOlderThan') errors.push(notSupported(matchPath, match, ['NotOlderThan']));
  if (options.continue !== '')
    errors.push(forbidden(matchPath, 'resourceVersionMatch is forbidden when continue is provided'));
  return errors;
}

function validateList(options: ListOptions): readonly FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (match !== '') {
    if (options.resourceVersion === '')
      errors.push(forbidden(matchPath, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (options.continue !== '')
      errors.push(forbidden(matchPath, 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(notSupported(matchPath, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(forbidden(matchPath, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined)
    errors.push(forbidden(initialPath, 'sendInitialEvents is forbidden for list'));
  return errors;
}
