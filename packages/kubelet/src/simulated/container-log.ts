// What one simulated container has said. Bounded: of many lines the newest stay.

import { createDeferred, type Deferred } from '@homeostat/base';
import type { LogLine } from '../runtime/container-runtime.ts';

const linesMax = 500;

export class ContainerLog {
  readonly #lines: LogLine[] = [];
  readonly #notes = new Map<string, string>();
  #dropped = 0;
  #changed: Deferred<void> | undefined;

  /** How many lines there have been, those dropped counted. */
  get length(): number {
    return this.#dropped + this.#lines.length;
  }

  say(ms: number, text: string): void {
    this.#lines.push({ ms, text });
    if (this.#lines.length > linesMax) {
      this.#lines.shift();
      this.#dropped++;
    }
    this.wake();
  }

  /** Says something about `topic`, unless it is what was said of it last. */
  note(topic: string, ms: number, text: string): void {
    if (this.#notes.get(topic) === text) return;
    this.#notes.set(topic, text);
    this.say(ms, text);
  }

  /** Lines from number `from` on, as far as they are still there. */
  since(from: number): readonly LogLine[] {
    return this.#lines.slice(Math.max(0, from - this.#dropped));
  }

  /** Resolves at the next line or other change. */
  changed(): Promise<void> {
    this.#changed ??= createDeferred<void>();
    return this.#changed.promise;
  }

  wake(): void {
    this.#changed?.resolve();
    this.#changed = undefined;
  }
}
