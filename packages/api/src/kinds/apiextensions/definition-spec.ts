// The spec of a CustomResourceDefinition: group, scope, versions, names, conversion.

import type {
  CustomResourceConversion,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from '@homeostat/api/types/apiextensions-v1';
import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  isDns1035Label,
  isDns1123Subdomain,
  notSupported,
  required,
  utf8Length,
} from '@homeostat/machinery';
import type { Cel } from '../../strategy.ts';
import { validateWebhookService, validateWebhookUrl } from '../rules/webhook-client.ts';
import { validateNames, validateRequiredNames } from './definition-names.ts';
import { hoistSpec, printableVersions, type VersionParts } from './hoisted-spec.ts';
import { type SchemaRules, schemaRulesOf } from './version-schema.ts';
import { validateVersionParts } from './version-parts.ts';

const scopes = ['Cluster', 'Namespaced'];
const reviewVersions = ['v1', 'v1beta1'];
const warningBytesMax = 256;

export interface DefinitionSpecOptions {
  /** The stored spec, on update: what its schemas may already do, those of the new one may too. */
  readonly old?: CustomResourceDefinitionSpec;
  /** Checks rules; absent: they are only looked at as texts. */
  readonly cel: Cel | undefined;
}

export function validateDefinitionSpec(
  spec: CustomResourceDefinitionSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
  { old, cel }: DefinitionSpecOptions,
): void {
  const rules = schemaRulesOf(spec, old, cel);
  validateGroup(spec?.group ?? '', path.child('group'), errors);
  const scope = spec?.scope ?? '';
  if (scope === '') errors.push(required(path.child('scope')));
  else if (!scopes.includes(scope)) errors.push(notSupported(path.child('scope'), scope, scopes));
  validateVersions(spec, path, rules, errors);
  validateRequiredNames(spec?.names, path.child('names'), errors);
  validateNames(spec?.names, path.child('names'), errors);
  const { shared, versions } = hoistSpec(spec);
  const hasStatus = hasStatusIn([shared, ...versions]);
  validateVersionParts(shared, path, { ...rules, hasStatus, schemaField: 'validation' }, errors);
  validateConversion(spec?.conversion, path.child('conversion'), errors);
}

function validateGroup(group: string, path: FieldPath, errors: FieldError[]): void {
  const texts = group === '' ? [] : isDns1123Subdomain(group);
  if (group === '') errors.push(required(path));
  else if (texts.length > 0) errors.push(invalid(path, group, texts.join(',')));
  else if (!group.includes('.')) errors.push(invalid(path, group, 'should be a domain with at least one dot'));
}

function hasStatusIn(parts: readonly VersionParts[]): boolean {
  return parts.some(({ subresources }) => subresources?.status !== undefined);
}

function validateVersions(
  spec: CustomResourceDefinitionSpec | undefined,
  path: FieldPath,
  rules: SchemaRules,
  errors: FieldError[],
): void {
  const versions = spec?.versions ?? [];
  const at = path.child('versions');
  for (const [index, version] of versions.entries()) {
    if (version.schema?.openAPIV3Schema === undefined) {
      errors.push(required(at.index(index).child('schema', 'openAPIV3Schema')));
    }
  }
  const hoisted = hoistSpec(spec);
  for (const [index, { version, ...parts }] of hoisted.versions.entries()) {
    const texts = isDns1035Label(version.name ?? '');
    if (texts.length > 0) errors.push(invalid(at.index(index).child('name'), version.name ?? '', texts.join(',')));
    validateDeprecation(version, at.index(index).child('deprecationWarning'), errors);
    const hasStatus = hasStatusIn([hoisted.shared, parts]);
    validateVersionParts(parts, at.index(index), { ...rules, hasStatus, schemaField: 'schema' }, errors);
  }
  const names = versions.map((version) => version.name);
  if (new Set(names).size < names.length) {
    errors.push(invalid(at, printableVersions(spec), 'must contain unique version names'));
  }
  if (versions.filter((version) => version.storage).length !== 1) {
    errors.push(invalid(at, printableVersions(spec), 'must have exactly one version marked as storage version'));
  }
  // The first version's name is also the spec's own, in upstream's internal form.
  const first = versions[0]?.name ?? '';
  const texts = first === '' ? [] : isDns1035Label(first);
  if (texts.length > 0) errors.push(invalid(path.child('version'), first, texts.join(',')));
}

function validateDeprecation(version: CustomResourceDefinitionVersion, path: FieldPath, errors: FieldError[]): void {
  const warning = version.deprecationWarning;
  if (warning === undefined) return;
  if (version.deprecated !== true) {
    errors.push(invalid(path, warning, 'can only be set for deprecated versions'));
    return;
  }
  if (warning === '') errors.push(invalid(path, warning, 'must not be an empty string'));
  const odd = warning.search(/[\p{C}\p{Zl}\p{Zp}]/u);
  if (odd >= 0) {
    const text = `must only contain printable UTF-8 characters; non-printable character found at index ${odd}`;
    errors.push(invalid(path, warning, text));
  }
  if (utf8Length(warning) > warningBytesMax) {
    errors.push(invalid(path, warning, `must be <= ${warningBytesMax} characters long`));
  }
}

function validateConversion(
  conversion: CustomResourceConversion | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (conversion === undefined) return;
  const { strategy = '', webhook } = conversion;
  const at = path.child('strategy');
  if (strategy === '') errors.push(required(at));
  else if (strategy !== 'None' && strategy !== 'Webhook') errors.push(notSupported(at, strategy, ['None', 'Webhook']));
  const client = path.child('webhookClientConfig');
  const versions = path.child('conversionReviewVersions');
  if (strategy !== 'Webhook') {
    const text = 'should not be set when strategy is not set to Webhook';
    if (webhook?.clientConfig !== undefined) errors.push(forbidden(client, text));
    if ((webhook?.conversionReviewVersions ?? []).length > 0) errors.push(forbidden(versions, text));
    return;
  }
  const { url, service } = webhook?.clientConfig ?? {};
  if (webhook?.clientConfig === undefined) errors.push(required(client, 'required when strategy is set to Webhook'));
  else if ((url === undefined) === (service === undefined)) {
    errors.push(required(client, 'exactly one of url or service is required'));
  } else if (url !== undefined) validateWebhookUrl(url, client.child('url'), errors);
  else if (service !== undefined) validateWebhookService(service, client.child('service'), errors);
  validateReviewVersions(webhook?.conversionReviewVersions ?? [], versions, errors);
}

function validateReviewVersions(versions: readonly string[], path: FieldPath, errors: FieldError[]): void {
  if (versions.length === 0) {
    errors.push(required(path));
    return;
  }
  for (const [index, version] of versions.entries()) {
    const texts = isDns1035Label(version);
    if (versions.indexOf(version) < index) errors.push(invalid(path.index(index), version, 'duplicate version'));
    else if (texts.length > 0) errors.push(invalid(path.index(index), version, texts.join(',')));
  }
  if (!versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  }
}
