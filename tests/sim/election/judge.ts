// What must hold of every history of an election, told from what happened alone.

import type { History } from './world.ts';

/** Nobody makes sure of a term after a later one was made sure of; one term is one process's. Needs a Lease that nobody deletes. */
export function twoActed({ acts }: History): readonly string[] {
  const problems: string[] = [];
  let latest = { transitions: -1, process: '' };
  for (const { atMs, process, term } of acts) {
    const { transitions } = term;
    if (transitions < latest.transitions || (transitions === latest.transitions && process !== latest.process)) {
      problems.push(
        `${process} acted in term ${transitions} at ${atMs.toFixed(0)} ms, after ${latest.process} in term ${latest.transitions}`,
      );
    }
    if (transitions >= latest.transitions) latest = { transitions, process };
  }
  return problems;
}

/** Every write in the store was of the term that the Lease in the store had at that very revision. */
export function staleWrites({ acts, stored }: History): readonly string[] {
  const terms = new Map(acts.map(({ name, term }) => [name, term]));
  const problems: string[] = [];
  let current = '';
  for (const step of stored) {
    if (step.type === 'lease') {
      const { metadata, spec } = step.lease ?? {};
      current = `${metadata?.uid} ${spec?.holderIdentity} ${spec?.leaseTransitions ?? 0}`;
      continue;
    }
    const term = terms.get(step.name);
    const own = `${term?.uid} ${term?.holder} ${term?.transitions}`;
    if (own !== current) problems.push(`${step.name} of term ${own} was accepted while the Lease was ${current}`);
  }
  return problems;
}

/** Somebody acts again within the bound. */
export function nobodyLeads({ calmMs, ledAgainMs, boundMs }: History): readonly string[] {
  return ledAgainMs === undefined || ledAgainMs - calmMs > boundMs
    ? [`nobody acted within ${boundMs.toFixed(0)} ms after trouble ended at ${calmMs.toFixed(0)} ms`]
    : [];
}
