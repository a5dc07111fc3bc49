// Aliases of a YAML document: what each stands for, and how much they may multiply a text, by upstream's parser's rule.

import { type Alias, type Document, isAlias, isNode, type Node, visit } from 'yaml';
import { DecodeError } from '../decode-error.ts';

/** What each alias stands for: the node with its anchor that comes last before it. One walk for all of them. */
export function aliasTargets(document: Document): ReadonlyMap<Alias, Node> {
  const latest = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) {
        const target = latest.get(node.source);
        if (target !== undefined) targets.set(node, target);
      } else if (isNode(node) && node.anchor !== undefined && node.anchor !== '') latest.set(node.anchor, node);
    },
  });
  return targets;
}

const aliasedMin = 100;
const countedMin = 1000;
/** Up to so many nodes nearly all may come out of aliases; from `manyNodes` on only a tenth. */
const fewNodes = 400_000;
const manyNodes = 4_000_000;
const mostShare = 0.99;
const leastShare = 0.1;

/** Counts nodes as they are read, those within aliases apart. */
export class AliasExpansion {
  #depth = 0;
  #counted = 0;
  #aliased = 0;
  readonly #open = new Set<Node>();

  /** One node more. @throws DecodeError when too many came out of aliases */
  count(): void {
    this.#counted++;
    if (this.#depth > 0) this.#aliased++;
    if (
      this.#aliased > aliasedMin &&
      this.#counted > countedMin &&
      this.#aliased / this.#counted > share(this.#counted)
    )
      throw new DecodeError('yaml: document contains excessive aliasing');
  }

  /** Reads what an alias stands for. @throws DecodeError when that holds the alias itself */
  within<T>(anchor: string, target: Node, read: () => T): T {
    if (this.#open.has(target)) throw new DecodeError(`yaml: anchor '${anchor}' value contains itself`);
    this.#open.add(target);
    this.#depth++;
    const value = read();
    this.#depth--;
    this.#open.delete(target);
    return value;
  }
}

function share(counted: number): number {
  if (counted <= fewNodes) return mostShare;
  if (counted >= manyNodes) return leastShare;
  return mostShare - ((mostShare - leastShare) * (counted - fewNodes)) / (manyNodes - fewNodes);
}
