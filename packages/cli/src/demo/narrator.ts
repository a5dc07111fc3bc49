// Prints the story: chapters, what the user does, and one line for each thing a stage of the loop did, with the facts it
// acted on. Lines of one kind that come in numbers are told once, with their count.

import type { ToldAction } from './world.ts';

export class Narrator {
  readonly #write: (text: string) => void;
  readonly #seconds: () => number;
  #last: { readonly text: string; readonly head: string; count: number } | undefined;

  constructor(write: (text: string) => void, seconds: () => number) {
    this.#write = write;
    this.#seconds = seconds;
  }

  chapter(title: string): void {
    this.#flush();
    this.#write(`\n${title}\n${'─'.repeat(title.length)}\n`);
  }

  /** What the user, or fate, does. */
  does(text: string): void {
    this.#line('you', text);
  }

  /** What can be seen from outside. */
  sees(text: string): void {
    this.#line('state', text);
  }

  event(component: string, text: string): void {
    this.#line(component, text);
  }

  action(action: ToldAction): void {
    const facts = Object.entries(action.facts).map(
      ([name, value]) => `${name} ${Array.isArray(value) ? value.join('+') : String(value as string)}`,
    );
    const why = facts.length === 0 ? action.reason : `${action.reason}: ${facts.join(', ')}`;
    const woken = action.wokenBy === undefined ? '' : `; woken by: ${action.wokenBy}`;
    const failed = action.failed === undefined ? '' : ` — refused: ${action.failed}`;
    this.#line(
      action.controller,
      `${action.key} → ${action.verb} ${action.target} (${why}${woken})${failed}`,
      `${action.controller}${action.verb}${action.reason}`,
    );
  }

  end(): void {
    this.#flush();
  }

  #line(who: string, text: string, kind = ''): void {
    if (kind !== '' && this.#last?.head === kind) {
      this.#last.count++;
      return;
    }
    this.#flush();
    const seconds = this.#seconds();
    this.#write(`${seconds.toFixed(1).padStart(7)} s  ${who.padEnd(28)} ${text}\n`);
    this.#last = { head: kind, text, count: 1 };
  }

  #flush(): void {
    const last = this.#last;
    this.#last = undefined;
    if (last !== undefined && last.count > 1)
      this.#write(`${' '.repeat(39)}… and ${last.count - 1} more of the same kind\n`);
  }
}
