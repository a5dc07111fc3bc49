// Whether a container restarts when its cpu or memory changes in place.

import { duplicate, type FieldError, type FieldPath, invalid, required } from '@homeostat/machinery';
import type { ContainerResizePolicy } from '@homeostat/api/types/core-v1';
import { validateSupported } from '../rules/values.ts';

export function validateResizePolicy(
  policies: readonly ContainerResizePolicy[] | undefined,
  podRestartPolicy: string,
  path: FieldPath,
  errors: FieldError[],
): void {
  const resources = new Set<string>();
  for (const [index, { resourceName = '', restartPolicy = '' }] of (policies ?? []).entries()) {
    if (resources.has(resourceName)) errors.push(duplicate(path.index(index), resourceName));
    resources.add(resourceName);
    if (resourceName === '') errors.push(required(path));
    else validateSupported(resourceName, ['cpu', 'memory'], path, errors);
    if (restartPolicy === '') errors.push(required(path));
    else validateSupported(restartPolicy, ['NotRequired', 'RestartContainer'], path, errors);
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
  }
}
