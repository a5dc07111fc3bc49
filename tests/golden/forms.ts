// What cannot be equal between two servers, found in text: uids, times, resource versions, addresses, tokens, keys.
// Such a part is compared by its kind (and a uid by identity, a JWT by its claims), the text around it letter by letter.

export const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/;

/** Letters of the random suffixes that the API server makes: no vowels and nothing that looks like one. */
const suffixLetters = 'bcdfghjklmnpqrstvwxz2456789';

const kinds: Readonly<Record<string, string>> = {
  // The name of the volume with a ServiceAccount's token.
  suffix: `(?<=kube-api-access-)[${suffixLetters}]{5}\\b`,
  uid: uuid.source,
  time: time.source,
  // In messages: "resource version 123", "resourceVersion: 123".
  rv: '(?<=[Rr]esource ?[Vv]ersion[^0-9]{0,40})\\d+',
  // "Too large resource version: 9, current: 5".
  current: '(?<=[Rr]esource ?[Vv]ersion: \\d+(?:, current: | \\())\\d+',
  serviceIP: '\\b10\\.0\\.0\\.\\d{1,3}\\b',
  jwt: '\\beyJ[\\w-]+\\.[\\w-]+\\.[\\w-]+',
  pem: '-----BEGIN [A-Z ]+-----[\\s\\S]*-----END [A-Z ]+-----',
  // The end of an Event's name.
  event: '(?<=\\.)[0-9a-f]{14,17}\\b',
  // "2 (3d ago)": when a container was restarted last. It grows by the day.
  ago: '(?<=\\()(?:\\d+[ydhms])+(?= ago\\))',
  // The dump of Go structs that ends some validation messages.
  structDiff: '\\n@@ -\\d[\\s\\S]*',
  nodePort: '(?<=:)3[0-2]\\d{3}(?=/(?:TCP|UDP|SCTP)\\b)',
};

const parts = new RegExp(
  Object.entries(kinds)
    .map(([kind, source]) => `(?<${kind}>${source})`)
    .join('|'),
  'g',
);

/** The age of an object, as tables show it. */
const age = /^(<unknown>|<invalid>|(\d+[ydhms])+( \((\d+[ydhms])+ ago\))?)$/;

export interface Part {
  readonly kind: string;
  readonly value: string;
}

export interface CutText {
  /** The text with `<kind>` in the place of each part. */
  readonly text: string;
  readonly parts: readonly Part[];
}

export function isAge(text: string): boolean {
  return age.test(text);
}

/** Cuts out what cannot be equal. */
export function cutParts(text: string): CutText {
  const found: Part[] = [];
  const rest = text.replace(parts, (...match: unknown[]) => {
    const groups = match.at(-1) as Readonly<Record<string, string | undefined>>;
    const [kind = '', value = ''] = Object.entries(groups).find(([, part]) => part !== undefined) ?? [];
    found.push({ kind, value });
    return kind === 'time' ? `<time${timeForm(value)}>` : `<${kind}>`;
  });
  return { text: rest, parts: found };
}

/** Seconds or fractions, and the zone when it is not UTC. */
function timeForm(value: string): string {
  return (value.includes('.') ? ':micro' : ':s') + (value.endsWith('Z') ? '' : value.slice(-6));
}

/** Cuts what objects of controllers carry without any answer having shown it: template hashes, suffixes, CronJob minutes. */
export function cutControllerNames(text: string): string {
  return text
    .replace(/-[456789bcdf]{8,10}(?=-|\.|\b)/g, '-<hash>')
    .replace(new RegExp(`-[${suffixLetters}]{5}(?=\\.|\\b)`, 'g'), '-<suffix>')
    .replace(/-(?:2[89]|3\d)\d{6}\b/g, '-<minute>');
}

/** Cuts what only kubectl's text has: ages, dates in its local form, suffixes; and evens out its columns. */
export function cutKubectlLine(line: string): string {
  return line
    .replace(/\b(\d+[ydhms])+\b/g, '<age>')
    .replace(/\w{3}, \d\d \w{3} \d{4} [\d:]+ [+-]\d{4}/g, '<date>')
    .replace(new RegExp(`-[${suffixLetters}]{5}\\b`, 'g'), '-<suffix>')
    .replace(/[ \t]+/g, ' ')
    .trim();
}
