// What a CustomResourceDefinition's schema is refused for, in upstream's order: the structural rules; defaults, where the
// schema is structural; keywords; rules, where everything else is in order. Follows spec/apiserver.md §14.1 and §14.3.

import { type FieldError, FieldPath, forbidden, invalid } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { asList, asMap, type JsonMap } from '../values/json-shapes.ts';
import { compileForDefaults } from './compile-structural.ts';
import { defaultErrors, type DefaultOptions } from './default-errors.ts';
import { formatCheckOf } from './formats.ts';
import { keywordErrors } from './keyword-errors.ts';
import { hasAtomicItems } from './list-type-errors.ts';
import type { RuleChecks } from './rule-checks.ts';
import { clausesOf, emptyNode, hasNode, isSet, isUnreadable, propertiesOf, textOf } from './schema-node.ts';
import { structuralErrors } from './structural-errors.ts';

export interface SchemaErrorsOptions {
  /** Whether the version has the status subresource: the root may then say less. Default false. */
  readonly statusSubresource?: boolean;
  /** How metadata is read and checked, for defaults in it. */
  readonly metadata?: DefaultOptions['metadata'];
  /** Compiles rules; absent: `x-kubernetes-validations` are only looked at as texts. */
  readonly rules?: RuleChecks;
  /** What the stored definition already violates, and may go on to; from toleratedBy(). Default nothing. */
  readonly tolerated?: ToleratedErrors;
}

/** Rules that came later than some definitions: who violated one before may go on to. */
export interface ToleratedErrors {
  readonly nonStructural: boolean;
  readonly unknownInDefaults: boolean;
  readonly granularSetItems: boolean;
  readonly absentListKeys: boolean;
}

const rootPath = new FieldPath();
const nothing: ToleratedErrors = {
  nonStructural: false,
  unknownInDefaults: false,
  granularSetItems: false,
  absentListKeys: false,
};

/** The errors of a schema, `openAPIV3Schema` as written. @param path - of the schema */
export function schemaErrors(schema: Json | object, path: FieldPath, options: SchemaErrorsOptions = {}): FieldError[] {
  const node = asMap(schema as Json) ?? emptyNode;
  const tolerated = options.tolerated ?? nothing;
  const errors: FieldError[] = [];
  if (options.statusSubresource === true) checkStatusRoot(node, path, errors);
  if (isSet(node['nullable'])) errors.push(forbidden(path.child('nullable'), 'nullable cannot be true at the root'));
  const structure = isUnreadable(node) ? undefined : structureErrors(node, path, options);
  if (!tolerated.nonStructural) errors.push(...(structure ?? []));
  const isSound = structure !== undefined && structure.length === 0;
  errors.push(
    ...keywordErrors(node, path, {
      rules: isSound ? options.rules : undefined,
      atomicSets: !tolerated.granularSetItems,
      presentKeys: !tolerated.absentListKeys,
    }),
  );
  if (isSound && options.rules !== undefined) errors.push(...options.rules.finish(path));
  return errors;
}

function structureErrors(node: JsonMap, path: FieldPath, options: SchemaErrorsOptions): readonly FieldError[] {
  const errors = structuralErrors(node, path);
  if (errors.length > 0) return errors;
  const pruned = options.tolerated?.unknownInDefaults !== true;
  const { metadata, rules } = options;
  return defaultErrors(compileForDefaults(node), path, {
    pruned,
    rules,
    ...(metadata === undefined ? {} : { metadata }),
  });
}

const fieldsBesidesStatus = [
  ...['Description', 'Type', 'Format', 'Title', 'Maximum', 'ExclusiveMaximum', 'Minimum', 'ExclusiveMinimum'],
  ...['MaxLength', 'MinLength', 'Pattern', 'MaxItems', 'MinItems', 'UniqueItems', 'MultipleOf', 'Required', 'Items'],
  ...['Properties', 'ExternalDocs', 'Example', 'XPreserveUnknownFields', 'XValidations'],
];
const keywordsBesidesStatus: ReadonlySet<string> = new Set([
  ...fieldsBesidesStatus.map((name) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`),
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);

/** The status is validated alone, so that the root may only say what is about its fields one by one. */
function checkStatusRoot(node: JsonMap, path: FieldPath, errors: FieldError[]): void {
  const type = textOf(node['type']);
  if (type !== '' && type !== 'object') {
    const text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    errors.push(invalid(path.child('type'), type, text));
  } else if (Object.entries(node).some(([name, value]) => isNonZero(value) && !keywordsBesidesStatus.has(name))) {
    const text = `only [${fieldsBesidesStatus.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    errors.push(invalid(path, node, text));
  }
}

function isNonZero(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false && value !== '';
}

/** Which of the later rules a stored schema violates. */
export function toleratedBy(schema: Json | object | undefined): ToleratedErrors {
  const node = asMap(schema as Json);
  if (node === undefined) return nothing;
  const nonStructural = isUnreadable(node) || structuralErrors(node, rootPath).length > 0;
  return {
    nonStructural,
    unknownInDefaults:
      !nonStructural &&
      defaultErrors(compileForDefaults(node), rootPath, { pruned: true }).some(({ body }) =>
        body.endsWith(': must not have unknown fields'),
      ),
    granularSetItems: hasNode(node, (one) => one['x-kubernetes-list-type'] === 'set' && !hasAtomicItems(one)),
    absentListKeys:
      keywordErrors(node, rootPath, { atomicSets: false, presentKeys: true }).length >
      keywordErrors(node, rootPath, { atomicSets: false, presentKeys: false }).length,
  };
}

/** Whether a schema has `x-kubernetes-validations` anywhere. */
export function hasRules(schema: Json | object): boolean {
  const node = asMap(schema as Json) ?? emptyNode;
  return hasNode(node, (one) => (asList(one['x-kubernetes-validations']) ?? []).length > 0);
}

/** Formats that are not held to, each time they occur: a write of the definition warns of them. */
export function unrecognizedFormats(schema: Json | object): string[] {
  const node = asMap(schema as Json) ?? emptyNode;
  const format = textOf(node['format']);
  const type = node['x-kubernetes-int-or-string'] === true ? '' : textOf(node['type']);
  const own = format !== '' && formatCheckOf(type, format) === undefined ? [format] : [];
  const below = [node['items'], node['additionalProperties'], node['not']]
    .map(asMap)
    .filter((one) => one !== undefined);
  const clauses = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => clausesOf(node[name]));
  const properties = propertiesOf(node).map(([, property]) => property);
  return [...own, ...[...below, ...properties, ...clauses].flatMap(unrecognizedFormats)];
}
