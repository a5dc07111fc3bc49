// Annotations of Nodes that once carried taints and the wish to avoid Pods; only their form is still checked.

import { type FieldError, type FieldPath, invalid, required } from '@homeostat/machinery';
import type { Taint } from '@homeostat/api/types/core-v1';
import { validateTaints } from './validation.ts';

const taintsAnnotation = 'scheduler.alpha.kubernetes.io/taints';
const avoidPodsAnnotation = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

export function validateNodeAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const taints = annotations?.[taintsAnnotation] ?? '';
  if (taints !== '') {
    const parsed = parseJson(taints);
    if ('problem' in parsed) errors.push(invalid(path, taintsAnnotation, parsed.problem));
    else validateTaints((parsed.value ?? []) as readonly Taint[], path.child(taintsAnnotation), errors);
  }
  const avoid = annotations?.[avoidPodsAnnotation] ?? '';
  if (avoid === '') return;
  const parsed = parseJson(avoid);
  if ('problem' in parsed) errors.push(invalid(path.child('AvoidPods'), avoidPodsAnnotation, parsed.problem));
  else validateAvoidPods(parsed.value, path.child(avoidPodsAnnotation), errors);
}

interface AvoidPods {
  readonly preferAvoidPods?: readonly { readonly podSignature?: { readonly podController?: { readonly controller?: boolean } } }[];
}

function validateAvoidPods(value: unknown, path: FieldPath, errors: FieldError[]): void {
  for (const [index, entry] of ((value as AvoidPods | null)?.preferAvoidPods ?? []).entries()) {
    const at = path.index(index).child('PodSignature');
    const controller = entry.podSignature?.podController;
    if (controller === undefined) errors.push(required(at));
    else if (controller.controller !== true) {
      errors.push(invalid(at.child('PodController', 'Controller'), false, 'must point to a controller'));
    }
  }
}

function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // Go's words for the common case, a text that does not even start like JSON.
    const first = text.trimStart().charAt(0);
    return { problem: `invalid character '${first}' looking for beginning of value` };
  }
}
