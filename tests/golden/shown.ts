// What the answers of one server have shown so far: names it generated and hashes it computed. Later text is compared
// without them.

import { cutControllerNames, cutParts, type CutText } from './forms.ts';
import { isObject, type JsonObject } from './json-values.ts';

const hashLabels = ['pod-template-hash', 'controller-revision-hash'];
// The API server cuts a longer generateName before it adds the suffix.
const generateNameMax = 58;

export class Shown {
  /** Generated names, with what stands for them. */
  readonly #generated = new Map<string, string>();
  readonly #hashes = new Set<string>();
  readonly #controllersRun: boolean;

  constructor(options: { readonly controllersRun: boolean }) {
    this.#controllersRun = options.controllersRun;
  }

  isGenerated(name: unknown): boolean {
    return typeof name === 'string' && this.#generated.has(name);
  }

  /** Takes in an answer, before it is compared. */
  learn(value: unknown): void {
    if (Array.isArray(value)) {
      for (const each of value) this.learn(each);
    } else if (isObject(value)) {
      if (isObject(value['metadata'])) this.#learnMetadata(value['metadata']);
      for (const each of Object.values(value)) this.learn(each);
    }
  }

  /** The text without what cannot be equal, and those parts. */
  cut(text: string): CutText {
    return cutParts(this.#withoutOwnNames(text));
  }

  /** A form of the value that is the same on every server: only to sort by. */
  blank(value: unknown): unknown {
    if (typeof value === 'string') return this.cut(value).text;
    if (Array.isArray(value)) return value.map((each) => this.blank(each));
    if (!isObject(value)) return value;
    const keys = Object.keys(value)
      .sort()
      .filter((key) => !/resourceVersion|nodePort|Timestamp/.test(key));
    return Object.fromEntries(keys.map((key) => [key, this.blank(value[key])]));
  }

  #learnMetadata(metadata: JsonObject): void {
    const { name, generateName, labels } = metadata;
    if (typeof generateName === 'string' && typeof name === 'string') {
      const base = generateName.slice(0, generateNameMax);
      const suffix = name.slice(base.length);
      if (base !== '' && name.startsWith(base) && /^[a-z0-9]{5}$/.test(suffix)) {
        this.#generated.set(name, `${base}<suffix>`);
      }
    }
    if (!isObject(labels)) return;
    for (const label of hashLabels) {
      const value = labels[label];
      if (typeof value !== 'string' || value === '') continue;
      this.#hashes.add(label === 'controller-revision-hash' ? value.replace(/^.*-/, '') : value);
    }
  }

  #withoutOwnNames(text: string): string {
    let rest = text;
    for (const [name, standIn] of this.#generated) if (rest.includes(name)) rest = rest.replaceAll(name, standIn);
    for (const hash of this.#hashes) if (rest.includes(hash)) rest = rest.replaceAll(hash, '<hash>');
    return this.#controllersRun ? cutControllerNames(rest) : rest;
  }
}
