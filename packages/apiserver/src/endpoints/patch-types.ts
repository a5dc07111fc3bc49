// The media types of PATCH.

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

export type PatchType = (typeof patchTypes)[keyof typeof patchTypes];

/** The patch type of a Content-Type header; undefined for what the router refuses with 415. */
export function patchTypeOf(contentType: string): PatchType | undefined {
  const type = (contentType.split(';')[0] ?? '').trim();
  return Object.values(patchTypes).find((candidate) => candidate === type);
}
