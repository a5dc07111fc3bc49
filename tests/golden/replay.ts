// Does the steps of a recording against a server, one after another, and yields what came back.

import { realClock } from '@homeostat/base/node';
import type { HttpClient } from './http-client.ts';
import { holds, isObject, valueAt } from './json-values.ts';
import type { Kubectl } from './kubectl.ts';
import type { Answer, Recording, Request, Step } from './recording.ts';
import { RecordedWatch } from './watches.ts';

export interface ReplayTools {
  readonly client: HttpClient;
  readonly kubectl: Kubectl;
}

/** A step that has been done, and its answer. */
export interface ReplayedStep {
  readonly step: Step;
  readonly answer: Answer;
}

export async function* replay(recording: Recording, tools: ReplayTools): AsyncGenerator<ReplayedStep> {
  const session = new Session(tools);
  try {
    for (const step of recording.steps) yield { step, answer: await session.perform(step) };
  } finally {
    session.close();
  }
}

class Session {
  readonly #tools: ReplayTools;
  readonly #saved = new Map<string, unknown>();
  readonly #watches = new Map<string, RecordedWatch>();

  constructor(tools: ReplayTools) {
    this.#tools = tools;
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.close();
  }

  async perform({ save = {}, answer: _recorded, ...asked }: Step): Promise<Answer> {
    const answer = await this.#do(this.#fill(asked) as Omit<Step, 'answer'>);
    for (const [name, path] of Object.entries(save)) {
      this.#saved.set(name, valueAt(answer, path) ?? valueAt(answer.body, path));
    }
    return answer;
  }

  async #do(step: Omit<Step, 'answer'>): Promise<Answer> {
    const { client, kubectl } = this.#tools;
    switch (step.do ?? 'request') {
      case 'request':
        return client.ask(requestOf(step));
      case 'watch':
        return this.#openWatch(step);
      case 'events':
        return this.#watch(step).read(step);
      case 'close':
        this.#watch(step).close();
        return {};
      case 'sleep':
        await realClock.sleep(step.ms ?? 0);
        return {};
      case 'kubectl':
        return kubectl.run(step);
      case 'settle':
        return settle(client, step);
      case 'snapshot':
        return snapshot(client, step);
      case 'each':
        return forEach(client, step);
    }
  }

  #openWatch(step: Omit<Step, 'answer'>): Promise<Answer> {
    const watch = new RecordedWatch(this.#tools.client, requestOf(step), {
      onlyInitialBookmark: step.onlyInitialBookmark === true,
    });
    this.#watches.set(step.id ?? '', watch);
    return watch.head;
  }

  #watch({ id = '' }: Pick<Step, 'id'>): RecordedWatch {
    const watch = this.#watches.get(id);
    if (watch === undefined) throw new Error(`the recording reads the watch ${id}, which it has not opened`);
    return watch;
  }

  /** Puts what was saved in the place of `${name}`, everywhere. */
  #fill(value: unknown): unknown {
    if (typeof value === 'string') {
      return value.replace(/\$\{(\w+)\}/g, (all, name: string) =>
        this.#saved.has(name) ? String(this.#saved.get(name)) : all,
      );
    }
    if (Array.isArray(value)) return value.map((each) => this.#fill(each));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.#fill(each)]));
  }
}

function requestOf(step: Omit<Step, 'answer'>): Request {
  if (step.path === undefined) throw new Error(`a ${step.do ?? 'request'} step has no path`);
  return { ...step, path: step.path };
}

async function settle(client: HttpClient, step: Omit<Step, 'answer'>): Promise<Answer> {
  const deadline = realClock.monotonicMs() + (step.timeoutMs ?? 60_000);
  for (;;) {
    const answer = await client.ask(requestOf(step));
    const settled = answer.status === (step.status ?? 200) && holds(answer.body, step.until ?? []);
    if (settled || realClock.monotonicMs() >= deadline) return answer;
    await realClock.sleep(100);
    if (realClock.monotonicMs() >= deadline) return answer;
  }
}

/** Lists, once they have stood still for `quietMs`. */
async function snapshot(
  client: HttpClient,
  { paths = [], quietMs = 1500, timeoutMs = 60_000 }: Omit<Step, 'answer'>,
): Promise<Answer> {
  const read = async (): Promise<Record<string, unknown>> => {
    const bodies = await Promise.all(paths.map(async (path) => [path, (await client.ask({ path })).body] as const));
    return Object.fromEntries(bodies);
  };
  const items = (lists: Record<string, unknown>): string =>
    JSON.stringify(Object.values(lists).map((list) => (isObject(list) ? (list['items'] ?? list) : list)));
  const deadline = realClock.monotonicMs() + timeoutMs;
  let lists = await read();
  let quietSinceMs = realClock.monotonicMs();
  while (realClock.monotonicMs() < deadline && realClock.monotonicMs() - quietSinceMs < quietMs) {
    await realClock.sleep(150);
    const next = await read();
    if (items(next) !== items(lists)) quietSinceMs = realClock.monotonicMs();
    lists = next;
  }
  return { lists };
}

/** One request for each object of a list (or the first few by name), once there are `count` of them. */
async function forEach(client: HttpClient, step: Omit<Step, 'answer'>): Promise<Answer> {
  const { list = '', where = [], count, first, timeoutMs = 20_000 } = step;
  const deadline = realClock.monotonicMs() + timeoutMs;
  let objects: unknown[];
  for (;;) {
    const { body } = await client.ask({ path: list });
    const items = isObject(body) && Array.isArray(body['items']) ? body['items'] : [];
    objects = items.filter((item) => holds(item, where));
    if (count === undefined || objects.length === count || realClock.monotonicMs() > deadline) break;
    await realClock.sleep(100);
  }
  const found = objects.length;
  objects.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const statuses: Record<string, number> = {};
  for (const object of first === undefined ? objects : objects.slice(0, first)) {
    const { status, error } = await client.ask({
      ...(step.method === undefined ? {} : { method: step.method }),
      ...(step.headers === undefined ? {} : { headers: step.headers }),
      ...(step.body === undefined ? {} : { body: fillItem(step.body, object) }),
      path: `${list.split('?')[0]}/${nameOf(object)}${step.suffix ?? ''}`,
    });
    const outcome = String(error ?? status);
    statuses[outcome] = (statuses[outcome] ?? 0) + 1;
  }
  return { found, statuses };
}

function nameOf(object: unknown): string {
  return String(valueAt(object, 'metadata.name'));
}

/** Puts the object's name in the place of `${item}`, and its fields in that of `${item.path}`. */
function fillItem(body: unknown, object: unknown): unknown {
  const text = JSON.stringify(body).replace(/\$\{item(?:\.([\w.-]+))?\}/g, (_all, path?: string) =>
    path === undefined ? nameOf(object) : String(valueAt(object, path)),
  );
  return JSON.parse(text);
}
