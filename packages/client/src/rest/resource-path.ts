// URLs of resources: /api/v1/namespaces/<ns>/pods/<name>/<subresource>, /apis/<group>/<version>/… .

import type { ResourceType } from '../resource/resource-type.ts';

export interface ResourcePathOptions {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/**
 * The percent-encoded path of a collection, object or subresource.
 * @throws TypeError when a name is given as empty, or missing beside a subresource, or a namespace is given for a cluster-scoped resource;
 * when a name, namespace or subresource is `.` or `..`, or has a `/` or `%`: servers and proxies on the way would read another path.
 */
export function resourcePath(resource: ResourceType, options: ResourcePathOptions): string {
  const { namespace, name, subresource } = options;
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  let path = root;
  if (namespace !== undefined && namespace !== '') {
    if (!resource.namespaced) {
      throw new TypeError(
        `${resource.resource} are cluster-scoped, but namespace ${JSON.stringify(namespace)} was given`,
      );
    }
    path += `/namespaces/${segment('namespace', namespace)}`;
  } else if (resource.namespaced && name !== undefined) {
    throw new TypeError(
      `an empty namespace may not be set when a resource name is provided: ${resource.resource} ${JSON.stringify(name)}`,
    );
  }
  path += `/${resource.resource}`;
  if (name !== undefined) {
    if (name === '') throw new TypeError(`resource name may not be empty: ${resource.resource}`);
    path += `/${segment('resource name', name)}`;
  }
  if (subresource !== undefined && name === undefined)
    throw new TypeError(`a subresource is of one object: ${resource.resource}/${subresource} needs a name`);
  if (subresource === undefined) return path;
  // What follows `proxy` is a path of somebody else's.
  return `${path}/${subresource
    .split('/')
    .map((part) => encodeURIComponent(notDots('subresource', part)))
    .join('/')}`;
}

/** As client-go has it, which knows no name that needs an escaped slash. */
function segment(what: string, text: string): string {
  const bad = /[/%]/.exec(text)?.[0];
  if (bad !== undefined) throw new TypeError(`invalid ${what} ${JSON.stringify(text)}: may not contain '${bad}'`);
  return encodeURIComponent(notDots(what, text));
}

function notDots(what: string, text: string): string {
  if (text === '.' || text === '..')
    throw new TypeError(`invalid ${what} ${JSON.stringify(text)}: may not be '.' or '..'`);
  return text;
}

/** Parameters of a query; one with several values is given several times. */
export type QueryParameters = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A raw query without `?`; undefined, false and empty values are left out, but not those of a list. */
export function toQuery(parameters: QueryParameters): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === false || value === '') continue;
    const values = Array.isArray(value) ? (value as readonly string[]) : [String(value)];
    for (const each of values) pairs.push(`${name}=${encodeURIComponent(each)}`);
  }
  return pairs.join('&');
}
