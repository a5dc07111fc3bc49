// Annotations of Nodes that once carried taints and the wish to avoid Pods; only their form is still checked.

import { asList, asMap, type FieldError, type FieldPath, invalid, type Json, required } from '@homeostat/machinery';
import type { Taint } from '@homeostat/api/types/core-v1';
import { readJsonObjects, readJsonText } from '../../rules/json-text.ts';
import { validateTaints } from './taints.ts';

const taintsAnnotation = 'scheduler.alpha.kubernetes.io/taints';
const avoidPodsAnnotation = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

export function validateNodeAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const taints = annotations?.[taintsAnnotation] ?? '';
  if (taints !== '') {
    const parsed = readJsonObjects<Taint>(taints, 'core.Taint');
    if ('problem' in parsed) errors.push(invalid(path, taintsAnnotation, parsed.problem));
    else validateTaints(parsed.value, path.child(taintsAnnotation), errors);
  }
  const avoid = annotations?.[avoidPodsAnnotation] ?? '';
  if (avoid === '') return;
  const parsed = readJsonText(avoid);
  if ('problem' in parsed) errors.push(invalid(path.child('AvoidPods'), avoidPodsAnnotation, parsed.problem));
  else validateAvoidPods(parsed.value, path.child(avoidPodsAnnotation), errors);
}

function validateAvoidPods(value: Json, path: FieldPath, errors: FieldError[]): void {
  for (const [index, entry] of (asList(asMap(value)?.['preferAvoidPods']) ?? []).entries()) {
    const at = path.index(index).child('PodSignature');
    const controller = asMap(asMap(asMap(entry)?.['podSignature'])?.['podController']);
    if (controller === undefined) errors.push(required(at));
    else if (controller['controller'] !== true) {
      errors.push(invalid(at.child('PodController', 'Controller'), false, 'must point to a controller'));
    }
  }
}
