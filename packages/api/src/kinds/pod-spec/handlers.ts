// What a probe or a lifecycle hook does: exec, httpGet, tcpSocket, grpc, sleep; and probes and lifecycles around them.

import { type FieldError, type FieldPath, forbidden, invalid, isHttpHeaderName, required } from '@homeostat/machinery';
import type {
  Container,
  ExecAction,
  GRPCAction,
  HTTPGetAction,
  Lifecycle,
  PodOS,
  Probe,
  SleepAction,
  TCPSocketAction,
} from '@homeostat/api/types/core-v1';
import { pushInvalid, validateNonnegative, validateSupported } from '../rules/values.ts';
import { validatePortNumberOrName } from './ports.ts';
import { validateStopSignal } from './stop-signals.ts';

interface Handler {
  readonly exec?: ExecAction;
  readonly httpGet?: HTTPGetAction;
  readonly tcpSocket?: TCPSocketAction;
  readonly grpc?: GRPCAction;
  readonly sleep?: SleepAction;
}

/** Probes of a long-running container. */
export function validateProbes(
  container: Container,
  graceSeconds: number | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  if (livenessProbe !== undefined) {
    validateProbe(livenessProbe, graceSeconds, path.child('livenessProbe'), errors);
    validateSuccessIsOne(livenessProbe, path.child('livenessProbe'), errors);
  }
  if (readinessProbe !== undefined) {
    const at = path.child('readinessProbe');
    validateProbe(readinessProbe, graceSeconds, at, errors);
    const grace = readinessProbe.terminationGracePeriodSeconds;
    if (grace !== undefined) {
      errors.push(invalid(at.child('terminationGracePeriodSeconds'), grace, 'must not be set for readinessProbes'));
    }
  }
  if (startupProbe !== undefined) {
    validateProbe(startupProbe, graceSeconds, path.child('startupProbe'), errors);
    validateSuccessIsOne(startupProbe, path.child('startupProbe'), errors);
  }
}

export function validateLifecycle(
  lifecycle: Lifecycle,
  context: { readonly graceSeconds: number | undefined; readonly os: PodOS | undefined },
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const hook of ['postStart', 'preStop'] as const) {
    const handler = lifecycle[hook];
    if (handler !== undefined) validateHandler(handler, context.graceSeconds, path.child(hook), errors);
  }
  if (lifecycle.stopSignal !== undefined) {
    validateStopSignal(lifecycle.stopSignal, context.os, path.child('stopSignal'), errors);
  }
}

function validateProbe(probe: Probe, graceSeconds: number | undefined, path: FieldPath, errors: FieldError[]): void {
  validateHandler(probe, graceSeconds, path, errors);
  validateNonnegative(probe.initialDelaySeconds, path.child('initialDelaySeconds'), errors);
  validateNonnegative(probe.timeoutSeconds, path.child('timeoutSeconds'), errors);
  validateNonnegative(probe.periodSeconds, path.child('periodSeconds'), errors);
  validateNonnegative(probe.successThreshold, path.child('successThreshold'), errors);
  validateNonnegative(probe.failureThreshold, path.child('failureThreshold'), errors);
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0) {
    errors.push(invalid(path.child('terminationGracePeriodSeconds'), grace, 'must be greater than 0'));
  }
}

function validateSuccessIsOne(probe: Probe, path: FieldPath, errors: FieldError[]): void {
  const successes = probe.successThreshold ?? 0;
  if (successes !== 1) errors.push(invalid(path.child('successThreshold'), successes, 'must be 1'));
}

function validateHandler(
  handler: Handler,
  graceSeconds: number | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  let found = false;
  for (const field of ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const) {
    if (handler[field] === undefined) continue;
    const at = path.child(field);
    if (found) errors.push(forbidden(at, 'may not specify more than 1 handler type'));
    else validateAction(handler, field, graceSeconds, at, errors);
    found = true;
  }
  if (!found) errors.push(required(path, 'must specify a handler type'));
}

function validateAction(
  handler: Handler,
  field: keyof Handler,
  graceSeconds: number | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  switch (field) {
    case 'exec':
      if ((handler.exec?.command ?? []).length === 0) errors.push(required(path.child('command')));
      break;
    case 'httpGet':
      if (handler.httpGet !== undefined) validateHttpGet(handler.httpGet, path, errors);
      break;
    case 'tcpSocket':
      validatePortNumberOrName(handler.tcpSocket?.port ?? 0, path.child('port'), errors);
      break;
    case 'grpc':
      validatePortNumberOrName(handler.grpc?.port ?? 0, path.child('port'), errors);
      break;
    case 'sleep':
      validateSleep(handler.sleep?.seconds ?? 0, graceSeconds, path, errors);
      break;
  }
}

function validateHttpGet(action: HTTPGetAction, path: FieldPath, errors: FieldError[]): void {
  if ((action.path ?? '') === '') errors.push(required(path.child('path')));
  validatePortNumberOrName(action.port ?? 0, path.child('port'), errors);
  validateSupported(action.scheme ?? '', ['HTTP', 'HTTPS'], path.child('scheme'), errors);
  for (const { name = '' } of action.httpHeaders ?? []) {
    pushInvalid(isHttpHeaderName(name), name, path.child('httpHeaders'), errors);
  }
}

function validateSleep(seconds: number, graceSeconds: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return;
  const text = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  errors.push(invalid(path, seconds, text));
}
