// Amounts of resources as numbers: cpu in thousandths, everything else in whole units (spec/scheduler.md §10.3).
// What is no resource of a node's accounting (`requests.storage` and the like) is left out.

import { parseQuantity } from '@homeostat/machinery';

type ResourceTexts = Readonly<Record<string, string>> | undefined;

export interface Amounts {
  readonly milliCpu: number;
  /** Bytes. */
  readonly memory: number;
  /** Bytes. */
  readonly ephemeralStorage: number;
  /** Extended resources, huge pages, attachable volumes: by name, in units. */
  readonly scalars: ReadonlyMap<string, number>;
}

/** Of a node: how many pods it takes, too. */
export interface NodeAmounts extends Amounts {
  readonly pods: number;
}

/** By resource name; cpu in thousandths. Sums are rounded up to whole units only at the end. */
export type AmountMap = Map<string, number>;

const noScalars: ReadonlyMap<string, number> = new Map();
export const noAmounts: Amounts = { milliCpu: 0, memory: 0, ephemeralStorage: 0, scalars: noScalars };
export const noNodeAmounts: NodeAmounts = { ...noAmounts, pods: 0 };

const parsedCpu = new Map<string, number>();
const parsedOther = new Map<string, number>();
const parsedMax = 4096;

/** The amount a quantity states. */
export function amountOf(name: string, text: string): number {
  const cpu = name === 'cpu';
  const parsed = cpu ? parsedCpu : parsedOther;
  let amount = parsed.get(text);
  if (amount === undefined) {
    const quantity = parseQuantity(text);
    amount = cpu ? quantity.milliValue() : quantity.toNumber();
    if (parsed.size >= parsedMax) parsed.clear();
    parsed.set(text, amount);
  }
  return amount;
}

/** Puts sums into the form of the accounting. */
export function toAmounts(map: ReadonlyMap<string, number>): Amounts {
  if (map.size === 0) return noAmounts;
  let milliCpu = 0;
  let memory = 0;
  let ephemeralStorage = 0;
  let scalars: Map<string, number> | undefined;
  for (const [name, exact] of map) {
    const amount = Math.ceil(exact);
    if (name === 'cpu') milliCpu = amount;
    else if (name === 'memory') memory = amount;
    else if (name === 'ephemeral-storage') ephemeralStorage = amount;
    else if (isScalarResource(name)) (scalars ??= new Map()).set(name, amount);
  }
  return { milliCpu, memory, ephemeralStorage, scalars: scalars ?? noScalars };
}

/** What a node offers. */
export function toNodeAmounts(texts: ResourceTexts): NodeAmounts {
  if (texts === undefined) return noNodeAmounts;
  const map: AmountMap = new Map();
  for (const [name, text] of Object.entries(texts)) map.set(name, amountOf(name, text));
  return { ...toAmounts(map), pods: Math.ceil(map.get('pods') ?? 0) };
}

/** The amount of one resource, by name. */
export function amountIn(amounts: Amounts, name: string): number {
  switch (name) {
    case 'cpu':
      return amounts.milliCpu;
    case 'memory':
      return amounts.memory;
    case 'ephemeral-storage':
      return amounts.ephemeralStorage;
    default:
      return amounts.scalars.get(name) ?? 0;
  }
}

/** Whether nothing is asked for. */
export function isNothing(amounts: Amounts): boolean {
  return amounts.milliCpu === 0 && amounts.memory === 0 && amounts.ephemeralStorage === 0 && amounts.scalars.size === 0;
}

/** Resources that devices and plugins offer: a domain that is not Kubernetes' own. */
export function isExtendedResource(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

/** Resources other than the built-in ones that are counted per node. */
export function isScalarResource(name: string): boolean {
  return (
    isExtendedResource(name) ||
    name.startsWith('hugepages-') ||
    name.includes('kubernetes.io/') ||
    name.startsWith('attachable-volumes-')
  );
}
