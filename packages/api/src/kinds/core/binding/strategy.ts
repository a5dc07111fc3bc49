// Bindings: the request that puts a Pod on a Node. Never stored.

import { type FieldError, FieldPath, notSupported, required } from '@homeostat/machinery';
import type { Binding } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';

const targetPath = new FieldPath('target');

export const bindingStrategy: KindStrategy<Binding> = { validateCreate: validateBinding };

/** Upstream answers these with a plain error (500), joined as an aggregate; see spec/apiserver.md §12.4. */
export function validateBinding(binding: Binding): FieldError[] {
  const errors: FieldError[] = [];
  const kind = binding.target?.kind ?? '';
  if (kind !== '' && kind !== 'Node') errors.push(notSupported(targetPath.child('kind'), kind, ['Node', '<empty>']));
  if ((binding.target?.name ?? '') === '') errors.push(required(targetPath.child('name')));
  return errors;
}
