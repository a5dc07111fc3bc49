// RuntimeClass (node.k8s.io/v1).

import type { Toleration } from '@homeostat/api/types/core-v1';
import type { RuntimeClass } from '@homeostat/api/types/node-v1';
import { duplicate, type FieldError, FieldPath, isDns1123Label, required } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { podSpecOptions } from '../pod-spec/options.ts';
import { validateContainerResources } from '../pod-spec/resources.ts';
import { validateTolerations } from '../pod-spec/tolerations.ts';
import { type GoField, toGoForm } from '../rules/go-form.ts';
import { validateLabels } from '../rules/labels.ts';
import { pushInvalid } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateImmutable } from '../update-parts.ts';

const handlerPath = new FieldPath('handler');
const schedulingPath = new FieldPath('scheduling');
const options = podSpecOptions(true);
const tolerationForm: readonly GoField[] = [
  ['Key', 'key', ''],
  ['Operator', 'operator', ''],
  ['Value', 'value', ''],
  ['Effect', 'effect', ''],
  ['TolerationSeconds', 'tolerationSeconds', null],
];

export const runtimeClassStrategy: KindStrategy<RuntimeClass> = standardStrategy<RuntimeClass>({
  kind: { group: 'node.k8s.io', version: 'v1', kind: 'RuntimeClass' },
  namespaced: false,
  validate(object, errors, old) {
    if (old === undefined) validateNew(object, errors);
    else validateImmutable(object.handler ?? '', old.handler ?? '', handlerPath, errors);
  },
  more: { allowCreateOnUpdate: true, allowUnconditionalUpdate: false },
});

function validateNew(object: RuntimeClass, errors: FieldError[]): void {
  const handler = object.handler ?? '';
  if (handler === '') errors.push(required(handlerPath));
  else pushInvalid(isDns1123Label(handler), handler, handlerPath, errors);
  if (object.overhead !== undefined) {
    const limits = object.overhead.podFixed;
    const requirements = limits === undefined ? {} : { limits };
    validateContainerResources(requirements, new Set(), new FieldPath('overhead'), errors, options);
  }
  const scheduling = object.scheduling;
  if (scheduling === undefined) return;
  const tolerationsPath = schedulingPath.child('tolerations');
  validateLabels(scheduling.nodeSelector, schedulingPath.child('nodeSelector'), errors);
  validateTolerations(scheduling.tolerations, tolerationsPath, errors, options);
  validateUnique(scheduling.tolerations ?? [], tolerationsPath, errors);
}

function validateUnique(tolerations: readonly Toleration[], path: FieldPath, errors: FieldError[]): void {
  for (const [index, toleration] of tolerations.entries()) {
    if (!tolerations.slice(0, index).some((earlier) => semanticEqual(earlier, toleration))) continue;
    errors.push(duplicate(path.index(index), toGoForm(toleration, tolerationForm)));
  }
}
