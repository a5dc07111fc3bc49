// Brings CustomResourceDefinitions to a server and waits until their resources are served: what an operator does before its
// first list, and what tests do first.

import { abortable, type Env } from '@homeostat/base';
import type { CustomResourceDefinition } from '@homeostat/api/types/apiextensions-v1';
import type { Client } from '@homeostat/client';
import { customResourceDefinitions } from '@homeostat/client/resources';

export interface InstallOptions {
  readonly client: Client;
  readonly env: Env;
  /** How long all of them may take together, milliseconds; default 30 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Default the client's user agent is not known here: `homeostat-runtime`. */
  readonly fieldManager?: string;
}

/** A definition that did not become established in time; `conditions` say what the server made of it. */
export class DefinitionNotEstablishedError extends Error {
  override readonly name = 'DefinitionNotEstablishedError';
  readonly definition: CustomResourceDefinition;

  constructor(definition: CustomResourceDefinition, timeoutMs: number, options?: ErrorOptions) {
    const conditions = (definition.status?.conditions ?? [])
      .map(({ type, status, message }) => `${type} is ${status}${message === undefined ? '' : ` (${message})`}`)
      .join(', ');
    super(
      `${definition.metadata?.name} was not established within ${timeoutMs / 1000} s: ${conditions || 'the server says nothing of it'}`,
      options,
    );
    this.definition = definition;
  }
}

const defaultTimeoutMs = 30_000;

/**
 * Applies definitions (server-side apply, taking fields others hold) and waits until each is established. Safe to repeat.
 *
 * @throws ApiError when a definition is refused; DefinitionNotEstablishedError; the signal's reason.
 * @example await installDefinitions([memcacheds.definition], { client, env });
 */
export async function installDefinitions(
  definitions: readonly CustomResourceDefinition[],
  { client, env, timeoutMs = defaultTimeoutMs, signal, fieldManager = 'homeostat-runtime' }: InstallOptions,
): Promise<void> {
  const late = new AbortController();
  const timer = env.clock.setTimer(timeoutMs, () => late.abort(new Error('late')));
  const either = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  try {
    for (const definition of definitions) {
      const applied = await client.apply(customResourceDefinitions, {
        object: definition,
        fieldManager,
        force: true,
        signal: either,
      });
      await established(applied, client, env, either);
    }
  } catch (error) {
    if (!late.signal.aborted || signal?.aborted === true) throw error;
    throw await toLateError(definitions, client, timeoutMs, error, signal);
  } finally {
    timer.cancel();
  }
}

/** Waits on a watch; where that ends or breaks, the state is read again. */
async function established(
  applied: CustomResourceDefinition,
  client: Client,
  env: Env,
  signal: AbortSignal,
): Promise<void> {
  const name = applied.metadata?.name ?? '';
  let current = applied;
  for (;;) {
    if (isEstablished(current)) return;
    const events = await client.watch(customResourceDefinitions, {
      fieldSelector: `metadata.name=${name}`,
      ...(current.metadata?.resourceVersion === undefined ? {} : { resourceVersion: current.metadata.resourceVersion }),
      signal,
    });
    try {
      for await (const event of events) if (event.type !== 'DELETED' && isEstablished(event.object)) return;
    } catch (error) {
      if (signal.aborted) throw error;
      env.log.debug('waiting for a definition: the watch broke', { name, error });
    }
    await abortable(env.clock.sleep(retryMs, signal), signal);
    current = await client.get(customResourceDefinitions, { name, signal });
  }
}

const retryMs = 200;

/** Whether its resources are served. */
export function isEstablished({ status }: CustomResourceDefinition): boolean {
  return (status?.conditions ?? []).some(
    (condition) => condition.type === 'Established' && condition.status === 'True',
  );
}

/** For one more look at what became of it; the server may be what is late. */
const lookTimeoutMs = 5_000;

async function toLateError(
  definitions: readonly CustomResourceDefinition[],
  client: Client,
  timeoutMs: number,
  cause: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  for (const wanted of definitions) {
    try {
      const found = await client.get(customResourceDefinitions, {
        name: wanted.metadata?.name ?? '',
        timeoutMs: lookTimeoutMs,
        ...(signal === undefined ? {} : { signal }),
      });
      if (!isEstablished(found)) return new DefinitionNotEstablishedError(found, timeoutMs);
    } catch (error) {
      signal?.throwIfAborted();
      return new DefinitionNotEstablishedError(wanted, timeoutMs, { cause: error });
    }
  }
  return cause;
}
