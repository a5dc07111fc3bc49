// What a checker is: state in, sentences about what is wrong out. Checkers hold at rest, when nobody has anything to do.

import type { StoreState } from '../store-state.ts';

/** Problems found in a state, one sentence each; none when all is well. */
export type Checker = (state: StoreState) => readonly string[];

/** `namespace/name`, or the name of cluster-scoped objects, for messages. */
export function nameOf(object: {
  readonly metadata?: { readonly namespace?: string; readonly name?: string } | undefined;
}): string {
  const { namespace, name = '' } = object.metadata ?? {};
  return namespace === undefined ? name : `${namespace}/${name}`;
}
