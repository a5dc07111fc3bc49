// Group, version, kind and resource names, and how they are written.

export interface GroupVersion {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

export interface GroupVersionResource extends GroupVersion {
  /** Plural, lower case, e.g. `deployments`. */
  readonly resource: string;
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `apps/v1`, or `v1` for the core group: the apiVersion of objects. */
export function toApiVersion(gv: GroupVersion): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** Parses an apiVersion; @throws Error with upstream's text when it has more than one slash. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const parts = apiVersion.split('/');
  if (parts.length === 1) return { group: '', version: parts[0] ?? '' };
  if (parts.length === 2) return { group: parts[0] ?? '', version: parts[1] ?? '' };
  throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
}

/** `deployments.apps`, or `pods` for the core group: as messages name resources. */
export function toGroupResource(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}
