// Match conditions in CEL.

import { loadAdmissionExpressions } from '@homeostat/api';
import { Asking } from '../authorization-questions.ts';
import type { ConditionBudget, ConditionLanguage } from './condition-language.ts';

export async function loadCelConditions(): Promise<ConditionLanguage> {
  const cel = await loadAdmissionExpressions();
  return {
    costBudget: cel.matchConditionsCostBudget,
    compile(expression) {
      const { program, problem } = cel.compileMatchCondition(expression.trim());
      if (program === undefined) throw new Error(problem);
      return {
        async holds(variables, budget) {
          const asking = new Asking(variables.authorizer, variables.attributes);
          const { resource, subresource, namespace, name } = variables.attributes;
          const bindings = {
            object: variables.object,
            oldObject: variables.oldObject,
            request: variables.request,
            // Only policies are given the namespace.
            namespaceObject: null,
            authorizer: cel.authorizerValue(asking.ask),
            'authorizer.requestResource': cel.resourceCheckValue(asking.ask, {
              group: resource.group,
              resource: resource.resource,
              subresource,
              namespace,
              name,
            }),
          };
          const result = await asking.untilAnswered(() =>
            program.evaluate(bindings, { costBudget: Math.min(budget.left, perExpressionCostMax) }),
          );
          spend(budget, result.cost);
          if (result.error === undefined) return result.value === true;
          if (budget.left <= 0) throw new Error(exhaustedText);
          throw new Error(result.error);
        },
      };
    },
  };
}

const perExpressionCostMax = 1_000_000;
const exhaustedText = 'validation failed due to running out of cost budget, no further validation rules will be run';

function spend(budget: ConditionBudget, cost: number): void {
  budget.left = Math.max(0, budget.left - cost);
}
