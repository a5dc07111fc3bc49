// The `token` subresource of ServiceAccounts: signs a token for an account, bound to a Pod, Secret or Node when asked
// (spec/apiserver.md §16). Nothing is stored.

import type { TokenRequest } from '@homeostat/api/types/authentication-v1';
import type { Env } from '@homeostat/base';
import {
  FieldPath,
  formatTime,
  invalid,
  type KubeObject,
  type Mutable,
  newBadRequest,
  newConflict,
  newInvalid,
  newNotFound,
  parseApiVersion,
  quote,
} from '@homeostat/machinery';
import type { CachedReader, ServerHost } from '../../server/server-host.ts';
import type { VirtualRequest, VirtualResource } from '../../server/virtual-resource.ts';
import type { TokenKeys } from '../crypto-port.ts';
import { type JwtClaims, signJwt } from '../jwt.ts';
import { type AccountClaims, accountUsername } from './account-claims.ts';

const kind = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const expirationSecondsDefault = 3600;
const expirationSecondsMin = 600;
const expirationSecondsMax = 2 ** 32;
/** The lifetime kubelets ask for; such tokens live for a year, but warn once this is over. */
const projectedExpirationSeconds = 3607;
const extendedExpirationSeconds = 365 * 24 * 3600;

export interface TokenRequestOptions {
  readonly env: Env;
  readonly host: Pick<ServerHost, 'reader'>;
  readonly keys: TokenKeys;
  readonly issuer: string;
  /** The server's own audiences, taken when a request names none. */
  readonly audiences: readonly string[];
}

export function createTokenRequestResource(options: TokenRequestOptions): VirtualResource {
  return {
    group: '',
    resource: 'serviceaccounts',
    subresource: 'token',
    applyDefaults(draft) {
      const request = draft as Mutable<TokenRequest>;
      request.spec ??= {} as Mutable<Spec>;
      request.spec.expirationSeconds ??= expirationSecondsDefault;
    },
    create: (request: VirtualRequest) => issueToken(request, options),
  };
}

type Spec = TokenRequest['spec'];

interface Binding {
  readonly pod?: KubeObject;
  readonly secret?: KubeObject;
  readonly node?: { readonly name: string; readonly uid?: string };
}

async function issueToken(request: VirtualRequest, options: TokenRequestOptions): Promise<KubeObject> {
  const object = request.object as unknown as TokenRequest;
  const { name, namespace } = request;
  const { name: wantedName = '', uid: wantedUid = '' } = object.metadata ?? {};
  if (wantedName !== '' && wantedName !== name) {
    const detail = 'must match the service account name if specified';
    throw newInvalid(kind, name, [invalid(new FieldPath('metadata.name'), wantedName, detail)]);
  }
  const account = await find(
    options.host.reader({ group: '', resource: 'serviceaccounts' }),
    namespace,
    name,
    'serviceaccounts',
  );
  const uid = account.metadata?.uid ?? '';
  if (wantedUid !== '' && wantedUid !== uid) {
    const text = `the UID in the token request (${wantedUid}) does not match the UID of the service account (${uid})`;
    throw newConflict({ group: kind.group, resource: kind.kind }, name, text);
  }
  const nowMs = options.env.clock.nowMs();
  const spec = completeSpec(object.spec, options.audiences);
  validate(spec);
  const binding = await resolveBinding(spec, { name, namespace }, options);
  const claims = tokenClaims({ account, spec, binding, nowMs, options });
  const token = signJwt(claims, await options.keys.signingKey());
  request.context.annotate('authentication.kubernetes.io/issued-credential-id', `JTI=${claims.jti ?? ''}`);
  return {
    ...object,
    metadata: { ...object.metadata, name, namespace, uid, creationTimestamp: formatTime(nowMs) },
    spec: {
      audiences: spec.audiences,
      expirationSeconds: spec.expirationSeconds,
      boundObjectRef: spec.boundObjectRef ?? null,
    },
    status: { token, expirationTimestamp: formatTime(nowMs + spec.expirationSeconds * 1000) },
  } as KubeObject;
}

type CompleteSpec = Spec & { readonly expirationSeconds: number; readonly audiences: readonly string[] };

function completeSpec(spec: Spec | undefined, audiences: readonly string[]): CompleteSpec {
  const asked = spec?.audiences ?? [];
  return {
    ...spec,
    audiences: asked.length === 0 ? audiences : asked,
    expirationSeconds: Number(spec?.expirationSeconds ?? expirationSecondsDefault),
  } as CompleteSpec;
}

function validate(spec: CompleteSpec): void {
  const path = new FieldPath('spec.expirationSeconds');
  const refuse = (detail: string): never => {
    throw newInvalid(kind, '', [invalid(path, spec.expirationSeconds, detail)]);
  };
  if (spec.expirationSeconds < expirationSecondsMin) refuse('may not specify a duration less than 10 minutes');
  if (spec.expirationSeconds > expirationSecondsMax) refuse('may not specify a duration larger than 2^32 seconds');
}

async function resolveBinding(
  spec: CompleteSpec,
  account: { readonly namespace: string; readonly name: string },
  options: TokenRequestOptions,
): Promise<Binding> {
  const ref = spec.boundObjectRef;
  if (ref === undefined || ref === null) return {};
  const { host } = options;
  const refName = ref.name ?? '';
  const type = { ...parseApiVersion(ref.apiVersion ?? ''), kind: ref.kind ?? '' };
  const reader = (resource: string): CachedReader => host.reader({ group: '', resource });
  const read = async (resource: string, namespace: string): Promise<KubeObject> => {
    if (refName === '') throw newBadRequest('Name parameter required.');
    return find(reader(resource), namespace, refName, resource);
  };
  const bound = type.group === '' ? type.kind : '';
  switch (bound) {
    case 'Pod': {
      const pod = (await read('pods', account.namespace)) as PodOfAccount;
      if (pod.spec?.serviceAccountName !== account.name) {
        throw newBadRequest(
          `cannot bind token for serviceaccount ${quote(account.name)} to pod running with different serviceaccount name.`,
        );
      }
      checkUid(pod, ref, 'Pod');
      const nodeName = pod.spec.nodeName ?? '';
      if (nodeName === '') return { pod };
      const node = reader('nodes').get('', nodeName);
      return {
        pod,
        node: { name: nodeName, ...(node?.metadata?.uid === undefined ? {} : { uid: node.metadata.uid }) },
      };
    }
    case 'Secret': {
      const secret = await read('secrets', account.namespace);
      checkUid(secret, ref, 'Secret');
      return { secret };
    }
    case 'Node': {
      const node = await read('nodes', '');
      checkUid(node, ref, 'Node');
      return { node: { name: refName, uid: node.metadata?.uid ?? '' } };
    }
    default:
      throw newBadRequest(`cannot bind token to object of type ${type.group}/${type.version}, Kind=${type.kind}`);
  }
}

interface PodOfAccount extends KubeObject {
  readonly spec?: { readonly serviceAccountName?: string; readonly nodeName?: string };
}

async function find(reader: CachedReader, namespace: string, name: string, resource: string): Promise<KubeObject> {
  const object = await reader.getFresh(namespace, name);
  if (object === undefined) throw newNotFound({ group: '', resource }, name);
  return object;
}

function checkUid(object: KubeObject, ref: { readonly name?: string; readonly uid?: string }, refKind: string): void {
  if (!ref.uid || ref.uid === object.metadata?.uid) return;
  throw newConflict({ group: '', resource: refKind }, ref.name ?? '', boundUidText(ref.uid));
}

/** The text of a bound object reference whose uid is another object's. */
export function boundUidText(uid: string): string {
  return (
    `the UID in the bound object reference (${uid}) does not match the UID in record. ` +
    'The object might have been deleted and then recreated'
  );
}

interface ClaimFacts {
  readonly account: KubeObject;
  readonly spec: CompleteSpec;
  readonly binding: Binding;
  readonly nowMs: number;
  readonly options: TokenRequestOptions;
}

function tokenClaims({ account, spec, binding, nowMs, options }: ClaimFacts): JwtClaims {
  const { name = '', namespace = '', uid = '' } = account.metadata ?? {};
  const now = Math.floor(nowMs / 1000);
  const own = spec.audiences.every((audience) => options.audiences.includes(audience));
  const extended = binding.pod !== undefined && spec.expirationSeconds === projectedExpirationSeconds && own;
  const refOf = (object: KubeObject): { name: string; uid: string } => ({
    name: object.metadata?.name ?? '',
    uid: object.metadata?.uid ?? '',
  });
  const kubernetes: AccountClaims = {
    namespace,
    serviceaccount: { name, uid },
    ...(binding.pod === undefined ? {} : { pod: refOf(binding.pod) }),
    ...(binding.secret === undefined ? {} : { secret: refOf(binding.secret) }),
    ...(binding.node === undefined ? {} : { node: binding.node }),
    ...(extended ? { warnafter: now + spec.expirationSeconds } : {}),
  };
  return {
    iss: options.issuer,
    sub: accountUsername(namespace, name),
    aud: spec.audiences,
    iat: now,
    nbf: now,
    exp: now + (extended ? extendedExpirationSeconds : spec.expirationSeconds),
    jti: options.env.random.uuid(),
    'kubernetes.io': kubernetes,
  };
}
