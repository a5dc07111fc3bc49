// `homeostat apply`: server-side apply of manifests, object by object, in their order.

import { isApiError } from '@homeostat/base';
import { CliError } from '../cli-error.ts';
import { type Manifest, readManifests } from '../resources/manifests.ts';
import { objectPrinter } from '../resources/output.ts';
import { shownType } from '../resources/resource-arguments.ts';
import { type Session, type TargetOptions, withSession } from '../resources/session.ts';

export interface ApplyOptions extends TargetOptions {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
  readonly dryRun?: string;
  readonly forceConflicts?: boolean;
  readonly fieldManager?: string;
  readonly output?: string;
}

export async function apply(options: ApplyOptions): Promise<void> {
  const dryRun = options.dryRun ?? 'none';
  if (dryRun !== 'none' && dryRun !== 'server')
    throw new CliError(`Invalid dry-run value (${dryRun}). Must be "none" or "server".`);
  const manifests = readManifests(options.filename, options.recursive === true);
  await withSession(options, async (session) => {
    let failed = 0;
    for (const manifest of manifests) {
      try {
        await applyOne(session, manifest, options);
      } catch (error) {
        // The others are applied all the same; the exit code tells.
        failed++;
        process.stderr.write(`error: ${manifest.source}: ${describe(error)}\n`);
      }
    }
    if (failed > 0) throw new CliError(`${failed} of ${manifests.length} objects were not applied`);
  });
}

async function applyOne(session: Session, { object }: Manifest, options: ApplyOptions): Promise<void> {
  const resource = await session.mapper.resourceForObject(object);
  const name = object.metadata?.name ?? '';
  const namespace = resource.namespaced ? (object.metadata?.namespace ?? session.namespace) : undefined;
  if (name === '') throw new CliError(`${object.kind} without metadata.name can't be applied`);
  if (options.namespace !== undefined && namespace !== undefined && namespace !== options.namespace) {
    throw new CliError(
      `the namespace from the provided object "${namespace}" does not match the namespace "${options.namespace}". You must pass '--namespace=${namespace}' to perform this operation.`,
    );
  }
  const before = await session.client.get(resource, { name, namespace }).catch((error: unknown) => {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  });
  const applied = await session.client.patch(resource, {
    type: 'apply',
    name,
    namespace,
    patch: namespace === undefined ? object : { ...object, metadata: { ...object.metadata, namespace } },
    fieldManager: options.fieldManager ?? 'homeostat',
    ...(options.forceConflicts === true ? { force: true } : {}),
    ...(options.dryRun === 'server' ? { dryRun: true } : {}),
  });
  const printer = objectPrinter(options.output);
  if (printer !== undefined) {
    process.stdout.write(printer([{ resource, object: applied }], true));
    return;
  }
  const unchanged = before?.metadata?.resourceVersion === applied.metadata?.resourceVersion;
  const what = before === undefined ? 'created' : unchanged ? 'unchanged' : 'configured';
  process.stdout.write(
    `${shownType(resource)}/${name} ${what}${options.dryRun === 'server' ? ' (server dry run)' : ''}\n`,
  );
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
