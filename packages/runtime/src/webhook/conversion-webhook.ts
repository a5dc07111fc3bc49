// Conversion webhooks: objects of a CustomResourceDefinition from one version to another. One version is the hub; every other
// one (a spoke) says how it becomes the hub and how it is made of it, so that n versions need n-1 pairs of functions.

import { Pacer } from '@homeostat/base';
import { type Json, type KubeObject, parseApiVersion } from '@homeostat/machinery';
import { type ReadConversion, readConversionReview } from './conversion-review.ts';
import type { ReviewContext, Webhook } from './webhook.ts';

/** Both must keep everything the other version can say, or objects lose it on the way. Arguments must not be changed. */
export interface Spoke<THub extends KubeObject = KubeObject, T extends KubeObject = KubeObject> {
  toHub(object: T): THub;
  fromHub(object: THub): T;
}

/** The conversions of one kind. What converters return needs no apiVersion; metadata other than labels and annotations is kept. */
export interface KindConversion {
  readonly group: string;
  readonly kind: string;
  /** The version all others are converted through, e.g. `v1`. */
  readonly hub: string;
  /** By version. */
  readonly spokes: Readonly<Record<string, Spoke>>;
}

export interface KindConversionOptions<THub extends KubeObject> {
  readonly group: string;
  readonly kind: string;
  readonly hub: string;
  readonly spokes: Readonly<Record<string, Spoke<THub>>>;
}

/**
 * Checks the types of one kind's converters.
 *
 * @example
 * const conversion = convertKind<V1>({
 *   group: 'cache.example.com', kind: 'Memcached', hub: 'v1',
 *   spokes: {
 *     v1alpha1: {
 *       toHub: ({ spec, ...rest }: V1Alpha1) => ({ ...rest, spec: { size: spec.count } }),
 *       fromHub: ({ spec, ...rest }) => ({ ...rest, spec: { count: spec.size } }),
 *     },
 *   },
 * });
 */
export function convertKind<THub extends KubeObject>(options: KindConversionOptions<THub>): KindConversion {
  return options as unknown as KindConversion;
}

export interface ConversionWebhookOptions {
  readonly kinds: readonly KindConversion[];
  /** Default `/convert`, as controller-runtime's. */
  readonly path?: string;
}

/** A list of objects may be converted in one call. */
const conversionBodyBytesMax = 128 * 1024 * 1024;

/** Makes the conversion webhook of all kinds of an operator. @throws Error for a kind that is given twice */
export function createConversionWebhook({ kinds, path = '/convert' }: ConversionWebhookOptions): Webhook {
  const byKind = new Map<string, KindConversion>();
  for (const conversion of kinds) {
    const key = `${conversion.kind}.${conversion.group}`;
    if (byKind.has(key)) throw new Error(`conversions of ${key} are given twice`);
    byKind.set(key, conversion);
  }
  return {
    type: 'conversion',
    path,
    bodyBytesMax: conversionBodyBytesMax,
    async review(body, context) {
      const read = readConversionReview(body);
      try {
        const convertedObjects = await convertAll(read, byKind, context);
        return answer(read, { convertedObjects, result: { status: 'Success' } });
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        context.onFailure(error);
        return answer(read, { convertedObjects: [], result: { status: 'Failure', message } });
      }
    },
  };
}

function answer({ uid, apiVersion }: ReadConversion, response: { readonly [key: string]: Json }): Json {
  return { kind: 'ConversionReview', apiVersion, response: { uid, ...response } };
}

/** @throws Error naming the object that can't be converted */
async function convertAll(
  { objects, desiredApiVersion }: ReadConversion,
  byKind: ReadonlyMap<string, KindConversion>,
  { env, signal }: ReviewContext,
): Promise<readonly Json[]> {
  const pacer = new Pacer(env.clock);
  const converted: Json[] = [];
  for (const object of objects) {
    if (pacer.due()) {
      await pacer.yield();
      signal.throwIfAborted();
    }
    converted.push(convert(object, desiredApiVersion, byKind) as unknown as Json);
  }
  return converted;
}

function convert(object: KubeObject, desired: string, byKind: ReadonlyMap<string, KindConversion>): KubeObject {
  const { apiVersion = '', kind = '', metadata } = object;
  if (apiVersion === desired) return object;
  const from = parseApiVersion(apiVersion);
  const to = parseApiVersion(desired);
  const where = `${kind} ${[metadata?.namespace, metadata?.name].filter((part) => part !== undefined).join('/')}`;
  const conversion = byKind.get(`${kind}.${from.group}`);
  if (conversion === undefined || from.group !== to.group)
    throw new Error(`cannot convert ${where} from ${apiVersion} to ${desired}: no conversion is known for the kind`);
  const source = spokeOf(conversion, from.version);
  const target = spokeOf(conversion, to.version);
  if (source === undefined || target === undefined) {
    const unknown = source === undefined ? from.version : to.version;
    throw new Error(`cannot convert ${where} from ${apiVersion} to ${desired}: version ${unknown} is not known`);
  }
  let result: KubeObject;
  try {
    result = target.fromHub(source.toHub(object));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot convert ${where} from ${apiVersion} to ${desired}: ${why}`, { cause: error });
  }
  return {
    ...result,
    apiVersion: desired,
    kind,
    ...(metadata === undefined ? {} : { metadata: keepMetadata(object, result) }),
  };
}

const identity: Spoke = { toHub: (object) => object, fromHub: (object) => object };

function spokeOf({ hub, spokes }: KindConversion, version: string): Spoke | undefined {
  return version === hub ? identity : Object.hasOwn(spokes, version) ? spokes[version] : undefined;
}

/** The API server lets conversions change labels and annotations, nothing else of the metadata. */
function keepMetadata(source: KubeObject, result: KubeObject): NonNullable<KubeObject['metadata']> {
  const { labels: _labels, annotations: _annotations, ...kept } = source.metadata ?? {};
  const { labels, annotations } = result.metadata ?? source.metadata ?? {};
  return {
    ...kept,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}
