// PriorityLevelConfiguration (flowcontrol.apiserver.k8s.io/v1): how many requests of a level run at once, and how the
// rest wait.

import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '@homeostat/api/types/flowcontrol-v1';
import {
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  type Mutable,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { fieldSchema } from '../update-parts.ts';
import { validateFlowConditions } from './conditions.ts';
import { mandatoryPriorityLevels } from './mandatory.ts';

const kind = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', kind: 'PriorityLevelConfiguration' };
const specPath = new FieldPath('spec');
const queuesMax = 10_000_000;
/** Shuffle sharding keeps a hand in 60 bits of hash. */
const handBitsMax = 60;

export const priorityLevelConfigurationStrategy: KindStrategy<PriorityLevelConfiguration> =
  standardStrategy<PriorityLevelConfiguration>({
    kind,
    namespaced: false,
    generationFields: ['spec'],
    status: true,
    validate(object, errors) {
      validateSpec(
        object.metadata?.name ?? '',
        object.spec ?? ({} as PriorityLevelConfigurationSpec),
        specPath,
        errors,
      );
      validateFlowConditions(object.status?.conditions, errors);
    },
    validateStatus(object, _old, errors) {
      validateFlowConditions(object.status?.conditions, errors);
    },
    more: { applyDefaults: applyLevelDefaults },
  });

function applyLevelDefaults(draft: Mutable<PriorityLevelConfiguration>): void {
  const spec = draft.spec;
  if (spec?.exempt !== undefined) {
    spec.exempt.nominalConcurrencyShares ??= 0;
    spec.exempt.lendablePercent ??= 0;
  }
  if (spec?.limited === undefined) return;
  spec.limited.nominalConcurrencyShares ??= 30;
  spec.limited.lendablePercent ??= 0;
  const queuing = spec.limited.limitResponse?.queuing;
  if (queuing === undefined) return;
  queuing.queues ||= 64;
  queuing.handSize ||= 8;
  queuing.queueLengthLimit ||= 50;
}

function validateSpec(name: string, spec: PriorityLevelConfigurationSpec, path: FieldPath, errors: FieldError[]): void {
  const type = spec.type ?? '';
  if ((name === 'exempt') !== (type === 'Exempt') && (name === 'exempt' || type === 'Exempt')) {
    errors.push(invalid(path.child('type'), type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  const wanted = mandatoryPriorityLevels[name];
  if (wanted !== undefined && !semanticEqual(spec, wanted, fieldSchema(kind, 'spec'))) {
    errors.push(invalid(path, spec, `spec of '${name}' must equal the fixed value`));
  }
  switch (type) {
    case 'Exempt':
      if (spec.limited !== undefined)
        errors.push(forbidden(path.child('limited'), 'must be nil if the type is not Limited'));
      if (spec.exempt !== undefined) validateExempt(spec.exempt, path.child('exempt'), errors);
      return;
    case 'Limited':
      if (spec.exempt !== undefined) errors.push(forbidden(path.child('exempt'), 'must be nil if the type is Limited'));
      if (spec.limited === undefined)
        errors.push(required(path.child('limited'), 'must not be empty when type is Limited'));
      else validateLimited(spec.limited, path.child('limited'), errors);
      return;
    default:
      errors.push(notSupported(path.child('type'), type, ['Exempt', 'Limited']));
  }
}

function validateExempt(
  exempt: NonNullable<PriorityLevelConfigurationSpec['exempt']>,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { nominalConcurrencyShares: shares, lendablePercent } = exempt;
  if (shares !== undefined && shares < 0) {
    errors.push(invalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer'));
  }
  validatePercent(lendablePercent, path.child('lendablePercent'), errors);
}

function validateLimited(limited: LimitedPriorityLevelConfiguration, path: FieldPath, errors: FieldError[]): void {
  const { nominalConcurrencyShares: shares, lendablePercent, borrowingLimitPercent: borrowing } = limited;
  if (shares !== undefined && shares < 0) {
    errors.push(invalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer'));
  }
  validateLimitResponse(limited.limitResponse ?? ({} as LimitResponse), path.child('limitResponse'), errors);
  validatePercent(lendablePercent, path.child('lendablePercent'), errors);
  if (borrowing !== undefined && borrowing < 0) {
    const text = 'if specified, must be a non-negative integer';
    errors.push(invalid(path.child('borrowingLimitPercent'), borrowing, text));
  }
}

function validatePercent(percent: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (percent !== undefined && (percent < 0 || percent > 100)) {
    errors.push(invalid(path, percent, 'must be between 0 and 100, inclusive'));
  }
}

function validateLimitResponse(response: LimitResponse, path: FieldPath, errors: FieldError[]): void {
  const at = path.child('queuing');
  switch (response.type as string | undefined) {
    case 'Reject':
      if (response.queuing !== undefined) {
        errors.push(forbidden(at, 'must be nil if limited.limitResponse.type is not Limited'));
      }
      return;
    case 'Queue':
      if (response.queuing === undefined) {
        errors.push(required(at, 'must not be empty if limited.limitResponse.type is Limited'));
      } else validateQueuing(response.queuing, at, errors);
      return;
    default:
      errors.push(notSupported(path.child('type'), response.type ?? '', ['Queue', 'Reject']));
  }
}

function validateQueuing(queuing: QueuingConfiguration, path: FieldPath, errors: FieldError[]): void {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing;
  if (queueLengthLimit <= 0) errors.push(invalid(path.child('queueLengthLimit'), queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(invalid(path.child('queues'), queues, 'must be positive'));
  else if (queues > queuesMax)
    errors.push(invalid(path.child('queues'), queues, `must not be greater than ${queuesMax}`));
  const at = path.child('handSize');
  if (handSize <= 0) errors.push(invalid(at, handSize, 'must be positive'));
  else if (handSize > queues) errors.push(invalid(at, handSize, `should not be greater than queues (${queues})`));
  else {
    const bits = handBits(queues, handSize);
    if (bits > handBitsMax) {
      const text = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${handBitsMax}`;
      errors.push(invalid(at, handSize, text));
    }
  }
}

/** How many bits it takes to deal a hand: the logarithm of the number of ordered hands, rounded up. */
function handBits(queues: number, handSize: number): number {
  let bits = 0;
  for (let dealt = 0; dealt < handSize; dealt += 1) bits += Math.log2(queues - dealt);
  return Math.ceil(bits);
}
