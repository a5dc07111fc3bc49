// The `ephemeralcontainers` subresource: containers for debugging are added to a running Pod, never changed or removed.

import { type FieldError, FieldPath, forbidden, type Mutable, quote } from '@homeostat/machinery';
import type { Pod, PodSpec } from '@homeostat/api/types/core-v1';
import { structByName } from '../../../scheme/scheme.ts';
import type { UpdateStrategy } from '../../../strategy.ts';
import { validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { resetMetadataForStatus } from '../../metadata/reset-metadata.ts';
import { isMirrorPod, validatePodAnnotations, validatePodAnnotationsUpdate } from '../../pod-spec/annotations.ts';
import { toGoStruct } from '../../rules/go-struct.ts';
import { jsonDiff } from '../../rules/json-diff.ts';
import { semanticEqual } from '../../semantic-equal.ts';
import { keepField } from '../../update-parts.ts';
import { bumpPodGeneration } from './generation.ts';
import { annotationsPath, metadataPath, podOptions, specOf, specPath, validatePod } from './validation.ts';

export const ephemeralContainersStrategy: UpdateStrategy<Pod> = {
  prepareForUpdate(draft, old) {
    const ephemeralContainers = draft.spec?.ephemeralContainers;
    draft.spec = { ...specOf(old) } as Mutable<PodSpec>;
    if (ephemeralContainers === undefined) delete draft.spec.ephemeralContainers;
    else draft.spec.ephemeralContainers = ephemeralContainers;
    keepField(draft, old, 'status');
    resetMetadataForStatus(draft, old);
    bumpPodGeneration(draft, old);
  },
  validateUpdate: validateEphemeralContainersUpdate,
};

const containerSchema = structByName('io.k8s.api.core.v1.EphemeralContainer');

function validateEphemeralContainersUpdate(pod: Pod, old: Pod): readonly FieldError[] {
  if (isMirrorPod(old.metadata ?? {})) {
    return [forbidden(new FieldPath('[]'), 'static pods do not support ephemeral containers')];
  }
  const options = podOptions(old);
  const errors = [
    ...validateKubeObjectMetaUpdate(pod.metadata ?? {}, old.metadata ?? {}, metadataPath),
    ...validatePod(pod, options),
  ];
  validatePodAnnotationsUpdate(pod.metadata?.annotations, old.metadata?.annotations, annotationsPath, errors);
  validatePodAnnotations(pod.metadata?.annotations, specOf(pod), annotationsPath, errors, options);
  const now = new Map((pod.spec?.ephemeralContainers ?? []).map((container) => [container.name, container]));
  const at = specPath.child('ephemeralContainers');
  for (const former of old.spec?.ephemeralContainers ?? []) {
    const container = now.get(former.name);
    const what = `existing ephemeral containers ${quote(former.name)} may not be`;
    if (container === undefined) errors.push(forbidden(at, `${what} removed\n`));
    else if (!semanticEqual(former, container, containerSchema)) {
      errors.push(
        forbidden(
          at,
          `${what} changed\n${jsonDiff(toGoStruct(former, containerSchema), toGoStruct(container, containerSchema))}`,
        ),
      );
    }
  }
  return errors;
}
