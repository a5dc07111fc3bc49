// The Accept header (spec/apiserver.md §2.2): which of the served media types a client takes, with its parameters, in the
// client's order of preference.

export type MediaType = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

export const servedMediaTypes: readonly MediaType[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];

/** What the client wants the object turned into. */
export interface Transform {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  readonly version: 'v1' | 'v1beta1';
}

export interface OutputMedia {
  readonly type: MediaType;
  readonly transform?: Transform;
  readonly pretty: boolean;
}

interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

export interface NegotiationRules {
  /** Whether the endpoint can show tables. */
  readonly table: boolean;
  /** Whether `as=` is understood at all (errors are never transformed). */
  readonly transforms: boolean;
  /** Whether what is shown untransformed has a protobuf message (custom resources have none); default true. */
  readonly messages?: boolean;
}

const jsonMedia: OutputMedia = { type: 'application/json', pretty: false };
const parsed = new Map<string, readonly Clause[]>();
const parsedMax = 500;

/** The first clause that the endpoint can serve; undefined: 406. */
export function negotiate(accept: string, rules: NegotiationRules): OutputMedia | undefined {
  if (accept === '' || accept === 'application/json') return jsonMedia;
  for (const clause of clausesOf(accept)) {
    for (const type of servedMediaTypes) {
      if (!matches(clause, type)) continue;
      const media = withParameters(type, clause.parameters, rules);
      if (media !== undefined) return media;
    }
  }
  return undefined;
}

/** Whether the router finds any representation: it compares bare media types and knows only the full wildcard. */
export function routerAccepts(accept: string): boolean {
  if (accept === '') return true;
  return accept.split(',').some((part) => {
    const type = (part.split(';')[0] ?? '').trim();
    return type === '*/*' || (servedMediaTypes as readonly string[]).includes(type);
  });
}

function withParameters(
  type: MediaType,
  parameters: ReadonlyMap<string, string>,
  rules: NegotiationRules,
): OutputMedia | undefined {
  const untransformed = rules.messages !== false || type !== 'application/vnd.kubernetes.protobuf';
  if (parameters.size === 0) return untransformed ? { type, pretty: false } : undefined;
  const stream = parameters.get('stream') ?? '';
  if (stream !== '' && (stream !== 'watch' || type === 'application/yaml')) return undefined;
  const serverVersion = parameters.get('sv') ?? '';
  if (serverVersion !== '' && serverVersion !== 'v1') return undefined;
  const pretty = parameters.get('pretty') === '1';
  const kind = parameters.get('as') ?? '';
  if (kind === '') return untransformed ? { type, pretty } : undefined;
  const group = parameters.get('g') ?? '';
  const version = parameters.get('v') ?? '';
  if (!rules.transforms || group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  switch (kind) {
    case 'Table':
      if (!rules.table || type === 'application/vnd.kubernetes.protobuf') return undefined;
      return { type, pretty, transform: { kind, version } };
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return { type, pretty, transform: { kind, version } };
    default:
      return undefined;
  }
}

function matches(clause: Clause, type: MediaType): boolean {
  if (clause.type === '*' && clause.subtype === '*') return true;
  return clause.type === 'application' && (clause.subtype === '*' || type === `application/${clause.subtype}`);
}

/** Clauses by falling quality; equal ones keep the client's order. Headers repeat, so the last few are remembered. */
export function clausesOf(accept: string): readonly Clause[] {
  const known = parsed.get(accept);
  if (known !== undefined) return known;
  const clauses = accept
    .split(',')
    .map(parseClause)
    .filter((clause) => clause !== undefined)
    .sort((a, b) => b.quality - a.quality);
  if (parsed.size >= parsedMax) parsed.clear();
  parsed.set(accept, clauses);
  return clauses;
}

function parseClause(text: string): Clause | undefined {
  const [media = '', ...rest] = text.split(';');
  const [type = '', subtype = ''] = media.trim().toLowerCase().split('/');
  if (type === '') return undefined;
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const part of rest) {
    const equals = part.indexOf('=');
    const key = (equals < 0 ? part : part.slice(0, equals)).trim();
    const value = equals < 0 ? '' : part.slice(equals + 1).trim();
    if (key === 'q') quality = Number.isFinite(Number(value)) ? Number(value) : 1;
    else if (key !== '') parameters.set(key, value);
  }
  return { type, subtype: subtype === '' && type === '*' ? '*' : subtype, quality, parameters };
}
