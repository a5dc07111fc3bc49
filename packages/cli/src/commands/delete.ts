// `homeostat delete`: by type and name, by selector, or by what manifests name; waits until objects are gone.

import { isApiError } from '@homeostat/base';
import type { DiscoveredResource } from '@homeostat/client';
import { CliError } from '../cli-error.ts';
import { readManifests } from '../resources/manifests.ts';
import { namespaceFor, readResourceArguments, shownType } from '../resources/resource-arguments.ts';
import { type Session, type TargetOptions, withSession } from '../resources/session.ts';

export interface DeleteOptions extends TargetOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly selector?: string;
  readonly all?: boolean;
  readonly cascade?: string;
  readonly gracePeriod?: string;
  readonly force?: boolean;
  readonly ignoreNotFound?: boolean;
  readonly wait?: boolean;
}

interface Doomed {
  readonly resource: DiscoveredResource;
  readonly namespace: string | undefined;
  readonly name: string;
}

const policies = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

export async function deleteResources(words: readonly string[], options: DeleteOptions): Promise<void> {
  const propagationPolicy = policies[(options.cascade ?? 'background') as keyof typeof policies];
  if (propagationPolicy === undefined)
    throw new CliError(
      `invalid cascade value (${options.cascade ?? ''}). Must be "background", "foreground", or "orphan".`,
    );
  const grace = Number(options.gracePeriod ?? '-1');
  if (!Number.isInteger(grace)) throw new CliError(`invalid grace period: ${options.gracePeriod ?? ''}`);
  const gracePeriodSeconds = options.force === true ? 0 : grace < 0 ? undefined : grace;
  await withSession(options, async (session) => {
    const doomed =
      options.filename === undefined ? await fromWords(session, words, options) : await fromFiles(session, options);
    const gone: { readonly target: Doomed; readonly uid: string | undefined }[] = [];
    for (const target of doomed) {
      const { resource, namespace, name } = target;
      try {
        const answer = await session.client.delete(resource, {
          namespace,
          name,
          propagationPolicy,
          ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
        });
        process.stdout.write(
          `${shownType(resource)} "${name}" ${options.force === true ? 'force deleted' : 'deleted'}${namespace === undefined ? '' : ` from ${namespace} namespace`}\n`,
        );
        gone.push({ target, uid: (answer as { details?: { uid?: string } }).details?.uid ?? answer.metadata?.uid });
      } catch (error) {
        if (!(options.ignoreNotFound === true && isApiError(error, 'NotFound'))) throw error;
      }
    }
    if (options.wait !== false) for (const { target, uid } of gone) await untilGone(session, target, uid);
  });
}

async function fromWords(
  session: Session,
  words: readonly string[],
  options: DeleteOptions,
): Promise<readonly Doomed[]> {
  const chosen = await readResourceArguments(session, words);
  const doomed: Doomed[] = [];
  for (const { resource, names } of chosen) {
    const namespace = namespaceFor(session, resource, options.allNamespaces);
    doomed.push(...names.map((name) => ({ resource, namespace, name })));
    if (names.length > 0) continue;
    if (options.selector === undefined && options.all !== true)
      throw new CliError('resource(s) were provided, but no name was specified');
    const list = await session.client.list(resource, {
      namespace,
      ...(options.selector === undefined ? {} : { labelSelector: options.selector }),
    });
    doomed.push(
      ...list.items.map((object) => ({
        resource,
        namespace: object.metadata?.namespace,
        name: object.metadata?.name ?? '',
      })),
    );
  }
  return doomed;
}

async function fromFiles(session: Session, options: DeleteOptions): Promise<readonly Doomed[]> {
  const manifests = readManifests(options.filename ?? [], options.recursive === true);
  return Promise.all(
    manifests.map(async ({ object }) => {
      const resource = await session.mapper.resourceForObject(object);
      const namespace = resource.namespaced ? (object.metadata?.namespace ?? session.namespace) : undefined;
      return { resource, namespace, name: object.metadata?.name ?? '' };
    }),
  );
}

// Watches instead of asking again and again; an object that came back under the name is another one.
async function untilGone(
  session: Session,
  { resource, namespace, name }: Doomed,
  uid: string | undefined,
): Promise<void> {
  for (;;) {
    let resourceVersion: string;
    try {
      const live = await session.client.get(resource, { namespace, name });
      if (uid !== undefined && live.metadata?.uid !== uid) return;
      resourceVersion = live.metadata?.resourceVersion ?? '';
    } catch (error) {
      if (isApiError(error, 'NotFound')) return;
      throw error;
    }
    const events = await session.client.watch(resource, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      resourceVersion,
      timeoutSeconds: 60,
    });
    for await (const event of events) if (event.type === 'DELETED') return;
  }
}
