// Label selectors ready to match: a conjunction of requirements, sorted by key. Made from text (`parseLabelSelector`),
// from the `metav1.LabelSelector` of an object's spec (`labelSelectorAsSelector`), or from a set of labels.

import { compareBytewise, goQuote } from '../values/go-strings.ts';
import { type LabelOperator, LabelRequirement, type Labels } from './label-requirement.ts';
import { SelectorError } from './selector-error.ts';

/** `metav1.LabelSelector` as it stands in specs. */
export interface LabelSelectorSpec {
  readonly matchLabels?: Labels | null;
  readonly matchExpressions?: readonly LabelSelectorRequirementSpec[] | null;
}

export interface LabelSelectorRequirementSpec {
  readonly key?: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator?: string;
  readonly values?: readonly string[] | null;
}

const noLabels: Labels = {};

export class LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  readonly #nothing: boolean;

  private constructor(requirements: readonly LabelRequirement[], nothing: boolean) {
    this.requirements = requirements;
    this.#nothing = nothing;
  }

  /** Matches whatever meets all requirements; without any, everything. */
  static of(requirements: readonly LabelRequirement[]): LabelSelector {
    return new LabelSelector(
      [...requirements].sort((a, b) => compareBytewise(a.key, b.key)),
      false,
    );
  }

  static readonly everything = LabelSelector.of([]);
  /** What an absent selector in a spec means: it matches no object. */
  static readonly nothing = new LabelSelector([], true);

  /** Whether it has no conditions and so matches everything. */
  get isEmpty(): boolean {
    return this.requirements.length === 0 && !this.#nothing;
  }

  matches(labels: Labels | null | undefined): boolean {
    if (this.#nothing) return false;
    for (const requirement of this.requirements) if (!requirement.matches(labels ?? noLabels)) return false;
    return true;
  }

  /** The one value the selector allows for a key, when its first requirement on the key says so: for indexes. */
  exactMatch(key: string): string | undefined {
    const requirement = this.requirements.find((candidate) => candidate.key === key);
    if (requirement === undefined || requirement.values.length !== 1) return undefined;
    return requirement.operator === '=' || requirement.operator === '==' || requirement.operator === 'in'
      ? requirement.values[0]
      : undefined;
  }

  /** The text form; it parses to an equal selector (except for the one that matches nothing). */
  toString(): string {
    return this.requirements.join(',');
  }
}

/** Whether labels meet a selector; absent labels are no labels. */
export function matchesLabels(selector: LabelSelector, labels: Labels | null | undefined): boolean {
  return selector.matches(labels);
}

/** `a=1,b=2` from a set of labels, unchecked: for selectors such as a Service's `spec.selector`. */
export function selectorFromSet(labels: Labels | null | undefined): LabelSelector {
  return LabelSelector.of(
    Object.entries(labels ?? noLabels).map(([key, value]) => LabelRequirement.equals(key, value)),
  );
}

const specOperators = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/**
 * Makes the selector of a spec: absent matches nothing, empty matches everything.
 *
 * @throws SelectorError with upstream's text
 */
export function labelSelectorAsSelector(spec: LabelSelectorSpec | null | undefined): LabelSelector {
  if (spec === null || spec === undefined) return LabelSelector.nothing;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(spec.matchLabels ?? noLabels)) {
    requirements.push(LabelRequirement.create(key, '=', [value]));
  }
  for (const { key = '', operator: specOperator = '', values } of spec.matchExpressions ?? []) {
    const operator = specOperators.get(specOperator);
    if (operator === undefined)
      throw new SelectorError(`${goQuote(specOperator)} is not a valid label selector operator`);
    requirements.push(LabelRequirement.create(key, operator, values ?? []));
  }
  return LabelSelector.of(requirements);
}

/** How tables show the selector of a spec: `<none>` when empty, `<error>` when malformed. */
export function formatLabelSelector(spec: LabelSelectorSpec | null | undefined): string {
  try {
    const text = labelSelectorAsSelector(spec).toString();
    return text === '' ? '<none>' : text;
  } catch (error) {
    if (error instanceof SelectorError) return '<error>';
    throw error;
  }
}

/** The spec form of a text selector; comparisons have none. @throws SelectorError */
export function toLabelSelectorSpec(selector: LabelSelector): LabelSelectorSpec {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: LabelSelectorRequirementSpec[] = [];
  for (const { key, operator, values } of selector.requirements) {
    switch (operator) {
      case '=':
      case '==':
        matchLabels[key] = values[0] ?? '';
        break;
      case 'in':
        matchExpressions.push({ key, operator: 'In', values });
        break;
      case 'notin':
        matchExpressions.push({ key, operator: 'NotIn', values });
        break;
      case 'exists':
        matchExpressions.push({ key, operator: 'Exists', values });
        break;
      case '!':
        matchExpressions.push({ key, operator: 'DoesNotExist', values });
        break;
      case 'gt':
      case 'lt':
        throw new SelectorError(`${goQuote(operator)} isn't supported in label selectors`);
      case '!=':
        throw new SelectorError(`${goQuote(operator)} is not a valid label selector operator`);
    }
  }
  return { matchLabels, matchExpressions };
}
