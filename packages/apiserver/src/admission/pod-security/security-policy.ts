// What a namespace's `pod-security.kubernetes.io/*` labels ask for: a level of strictness and the version of its rules,
// for each of the three modes. Broken labels never loosen `enforce` (KEP-2579).

import { type FieldError, FieldPath, invalid } from '@homeostat/machinery';

export type SecurityLevel = 'privileged' | 'baseline' | 'restricted';

export interface LevelVersion {
  readonly level: SecurityLevel;
  /** The minor of v1.x; `Infinity` is `latest`. */
  readonly minor: number;
}

export interface SecurityPolicy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

/** What all names of labels and audit annotations begin with. */
export const podSecurityPrefix = 'pod-security.kubernetes.io/';

const levels: readonly SecurityLevel[] = ['privileged', 'baseline', 'restricted'];
const open: LevelVersion = { level: 'privileged', minor: Infinity };

/** `restricted:latest`, `baseline:v1.22` */
export function levelVersionText({ level, minor }: LevelVersion): string {
  return `${level}:${minor === Infinity ? 'latest' : `v1.${minor}`}`;
}

export function sameLevelVersion(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.minor === b.minor;
}

/** Negative when `a` is less strict than `b`. */
export function compareLevels(a: SecurityLevel, b: SecurityLevel): number {
  return levels.indexOf(a) - levels.indexOf(b);
}

/** The policy of a namespace, always usable; `errors` name the labels that are not. */
export function policyOfLabels(labels: Readonly<Record<string, string>> = {}): {
  readonly policy: SecurityPolicy;
  readonly errors: readonly FieldError[];
} {
  const errors: FieldError[] = [];
  const enforce = readMode(labels, 'enforce', 'restricted', errors);
  const audit = readMode(labels, 'audit', 'privileged', errors);
  const warn = readMode(labels, 'warn', 'privileged', errors);
  // Whoever enforces without saying what to warn about wants to hear of templates that enforcement would refuse.
  const warnsOfEnforced =
    labels[`${podSecurityPrefix}warn`] === undefined &&
    isLevel(labels[`${podSecurityPrefix}enforce`]) &&
    compareLevels(enforce.level, warn.level) > 0;
  if (!warnsOfEnforced) return { policy: { enforce, audit, warn }, errors };
  const minor = labels[`${podSecurityPrefix}warn-version`] === undefined ? enforce.minor : warn.minor;
  return { policy: { enforce, audit, warn: { level: enforce.level, minor } }, errors };
}

function readMode(
  labels: Readonly<Record<string, string>>,
  mode: keyof SecurityPolicy,
  levelOfBroken: SecurityLevel,
  errors: FieldError[],
): LevelVersion {
  let { level, minor } = open;
  const levelText = labels[`${podSecurityPrefix}${mode}`];
  if (isLevel(levelText)) level = levelText;
  else if (levelText !== undefined) {
    level = levelOfBroken;
    errors.push(labelError(mode, levelText, `must be one of ${levels.join(', ')}`));
  }
  const versionText = labels[`${podSecurityPrefix}${mode}-version`];
  if (versionText !== undefined && versionText !== 'latest') {
    const match = /^v1\.(0|[1-9]\d*)$/.exec(versionText);
    if (match === null) errors.push(labelError(`${mode}-version`, versionText, 'must be "latest" or "v1.x"'));
    else minor = Number(match[1]);
  }
  return { level, minor };
}

function isLevel(text: string | undefined): text is SecurityLevel {
  return levels.includes(text as SecurityLevel);
}

function labelError(label: string, value: string, text: string): FieldError {
  return invalid(new FieldPath('metadata.labels').key(`${podSecurityPrefix}${label}`), value, text);
}
