// Loads the expression language when the first expression has to be looked at: few clusters have any, and a start should not
// pay for it.

import type * as Expressions from './admission-expressions.ts';

let loaded: typeof Expressions | undefined;

export async function loadAdmissionExpressions(): Promise<typeof Expressions> {
  return (loaded ??= await import('./admission-expressions.ts'));
}
