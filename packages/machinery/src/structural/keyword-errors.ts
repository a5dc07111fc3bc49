// Keywords of `openAPIV3Schema` that custom resources may not use, or not like this
// (`k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation`). Works on the JSON as written. Rules are compiled by
// whoever passes RuleChecks; that a rule has a text at all is checked here.

import { type FieldError, type FieldPath, forbidden, invalid, notSupported } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { asList, asMap, type JsonMap } from '../values/json-shapes.ts';
import { checkListType, checkMapType } from './list-type-errors.ts';
import { isMetaField } from './prune-unknown.ts';
import type { RuleChecks, RuleSite } from './rule-checks.ts';
import { checkRuleTexts } from './rule-text-errors.ts';
import { clausesOf, emptyNode, isSet, propertiesOf, textOf } from './schema-node.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

export interface KeywordOptions {
  /** Compiles rules; absent, or where the schema is broken: rules are not looked into. */
  readonly rules?: RuleChecks | undefined;
  /** Items of sets must be atomic. Not asked of a definition that already has other ones. */
  readonly atomicSets: boolean;
  /** Keys of lists of type map must be there in each item. Not asked of a definition that already has other ones. */
  readonly presentKeys: boolean;
}

/** Errors of the keywords, then those of the rules. */
export function keywordErrors(schema: JsonMap, path: FieldPath, options: KeywordOptions): FieldError[] {
  const walk = new KeywordWalk(options);
  const site: RuleSite = { schema, path, parent: undefined, step: 'root', uncorrelatable: undefined };
  walk.visit(site, { insideMeta: false, noDefaults: undefined, isRoot: true, withRules: true });
  return [...walk.errors, ...walk.ruleErrors];
}

interface Context {
  /** In apiVersion, kind or metadata. */
  readonly insideMeta: boolean;
  /** Why there may be no defaults. */
  readonly noDefaults: string | undefined;
  readonly isRoot: boolean;
  /** Outside of junctors. */
  readonly withRules: boolean;
}

class KeywordWalk {
  readonly errors: FieldError[] = [];
  readonly ruleErrors: FieldError[] = [];
  readonly #options: KeywordOptions;

  constructor(options: KeywordOptions) {
    this.#options = options;
  }

  visit(site: RuleSite, context: Context): void {
    const { schema, path } = site;
    const { errors } = this;
    const before = errors.length;
    checkKeywords(schema, path, context, errors);
    this.#visitAdditional(site, context);
    this.#visitProperties(site, context);
    this.#visitJunctors(site, context);
    this.#visitItems(site, context);
    if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
      const at = path.child('x-kubernetes-preserve-unknown-fields');
      errors.push(invalid(at, false, 'must be true or undefined'));
    }
    checkMapType(schema, path, errors);
    checkListType(schema, path, this.#options, errors);
    const rules = asList(schema['x-kubernetes-validations']) ?? [];
    if (rules.length === 0) return;
    checkRuleTexts(schema, rules, path.child('x-kubernetes-validations'), errors);
    // Rules of a broken schema would only fail for reasons that go away with it.
    if (errors.length === before && context.withRules && this.#options.rules !== undefined) {
      this.ruleErrors.push(...this.#options.rules.check(site));
    }
  }

  #visitAdditional(site: RuleSite, context: Context): void {
    const additional = site.schema['additionalProperties'] ?? undefined;
    if (additional === undefined) return;
    const path = site.path.child('additionalProperties');
    if (propertiesOf(site.schema).length > 0 && additional !== true) {
      this.errors.push(forbidden(path, 'additionalProperties and properties are mutual exclusive'));
    }
    const schema = asMap(additional);
    if (schema === undefined) return;
    const noDefaults = context.insideMeta ? 'inside additionalProperties applying to object metadata' : undefined;
    this.visit(
      { schema, path, parent: site, step: 'additionalProperties', uncorrelatable: site.uncorrelatable },
      { ...context, isRoot: false, noDefaults: noDefaults ?? context.noDefaults },
    );
  }

  #visitProperties(site: RuleSite, context: Context): void {
    const isResource = context.isRoot || isSet(site.schema['x-kubernetes-embedded-resource']);
    for (const [name, schema] of propertiesOf(site.schema)) {
      const isMeta = isResource && isMetaField(name);
      this.visit(
        {
          schema,
          path: site.path.child('properties').key(name),
          parent: site,
          step: 'property',
          uncorrelatable: site.uncorrelatable,
        },
        {
          ...context,
          isRoot: false,
          insideMeta: context.insideMeta || isMeta,
          noDefaults: isMeta && context.isRoot ? `in top-level ${name}` : context.noDefaults,
        },
      );
    }
  }

  #visitJunctors(site: RuleSite, context: Context): void {
    const inside = { ...context, isRoot: false, withRules: false };
    const visit = (schema: JsonMap, path: FieldPath): void => {
      this.visit({ ...site, schema, path }, inside);
    };
    const not = asMap(site.schema['not']);
    if (not !== undefined) visit(not, site.path.child('not'));
    for (const name of ['allOf', 'oneOf', 'anyOf']) {
      for (const [i, clause] of clausesOf(site.schema[name]).entries()) visit(clause, site.path.child(name).index(i));
    }
    for (const [name, definition] of Object.entries(asMap(site.schema['definitions']) ?? emptyNode)) {
      visit(asMap(definition) ?? emptyNode, site.path.child('definitions').key(name));
    }
  }

  #visitItems(site: RuleSite, context: Context): void {
    const { items } = site.schema;
    // Old and new items correlate in lists of type map alone.
    const correlates = site.schema['x-kubernetes-list-type'] === 'map';
    const uncorrelatable = site.uncorrelatable ?? (correlates ? undefined : site.path);
    const inside = { ...context, isRoot: false };
    const path = site.path.child('items');
    const list = asList(items);
    if (list !== undefined) {
      for (const [i, item] of clausesOf(list).entries()) {
        this.visit({ schema: item, path: path.index(i), parent: site, step: 'items', uncorrelatable }, inside);
      }
      return;
    }
    const schema = asMap(items);
    if (schema !== undefined) this.visit({ schema, path, parent: site, step: 'items', uncorrelatable }, inside);
  }
}

function checkKeywords(node: JsonMap, path: FieldPath, context: Context, errors: FieldError[]): void {
  const type = textOf(node['type']);
  const refuse = (name: string): void => {
    errors.push(forbidden(path.child(name), `${name} is not supported`));
  };
  if (type !== '' && !types.includes(type)) errors.push(notSupported(path.child('type'), type, types));
  if ((node['default'] ?? undefined) !== undefined && context.noDefaults !== undefined) {
    errors.push(forbidden(path.child('default'), `must not be set ${context.noDefaults}`));
  }
  if (textOf(node['id']) !== '') refuse('id');
  if (isThere(node['additionalItems'])) refuse('additionalItems');
  for (const name of ['patternProperties', 'definitions']) {
    if (Object.keys(asMap(node[name]) ?? emptyNode).length > 0) refuse(name);
  }
  if (isThere(node['dependencies'])) refuse('dependencies');
  if (isThere(node['$ref'])) refuse('$ref');
  if (type === 'null') {
    const text = 'type cannot be set to null, use nullable as an alternative';
    errors.push(forbidden(path.child('type'), text));
  }
  if (Array.isArray(node['items']) && node['items'].length > 0) {
    errors.push(forbidden(path.child('items'), 'items must be a schema object and not an array'));
  }
  if (context.insideMeta && isSet(node['x-kubernetes-embedded-resource'])) {
    const at = path.child('x-kubernetes-embedded-resource');
    errors.push(forbidden(at, 'must not be used inside of resource meta'));
  }
  if (isSet(node['uniqueItems'])) {
    const text = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(path.child('uniqueItems'), text));
  }
}

function isThere(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}
