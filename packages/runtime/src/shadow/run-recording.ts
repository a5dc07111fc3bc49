// What a run read live and wrote, call by call: so that its writes can be compared, and another run can be given the same answers.

import { type Client, isNotFound, resourceId, type ResourceType, toKey } from '@homeostat/client';
import { type KubeObject, newNotFound } from '@homeostat/machinery';
import { fenceId, type SentWrite } from '../controller/fenced-client.ts';

/** A write as it was called. */
export interface RecordedCall {
  /** Makes the same call of another client. */
  readonly replay: (client: Client) => Promise<unknown>;
}

/** Calls of one run that are kept; one with more is not compared. */
const callsMax = 256;

type Answer = { readonly value: unknown } | { readonly error: unknown };

export class RunRecording {
  readonly writes: RecordedCall[] = [];
  /** It did more than is kept, or something that can't be repeated. */
  incomplete = false;
  readonly #reads = new Map<string, Answer>();
  /** What objects were before the run first wrote to them, as far as it is known. */
  readonly #before = new Map<string, KubeObject | undefined>();

  /** A write goes out; `before`: what the run knows of its object. */
  sending({ resource, object, verb }: SentWrite, before: KubeObject | undefined): void {
    const id = `${resource} ${object}`;
    if (this.#before.has(id) || this.#before.size >= callsMax) return;
    if (before !== undefined || verb === 'create') this.#before.set(id, before);
  }

  /** The client of a run, listened to. */
  record(client: Client): Client {
    const writing =
      <A extends readonly unknown[], R>(
        call: (...args: A) => Promise<R>,
        replay: (client: Client, ...args: A) => Promise<unknown>,
      ) =>
      (...args: A): Promise<R> => {
        if (this.writes.length < callsMax) this.writes.push({ replay: (other) => replay(other, ...args) });
        else this.incomplete = true;
        return call(...args);
      };
    const unrepeatable =
      <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) =>
      (...args: A): Promise<R> => {
        this.incomplete = true;
        return call(...args);
      };
    return {
      ...client,
      get: (resource, o) => this.#reading('get', resource, o, client.get(resource, o)),
      list: (resource, o) => this.#reading('list', resource, o, client.list(resource, o)),
      create: writing(client.create, (other, resource, o) => other.create(resource, o)) as Client['create'],
      createSubresource: writing(client.createSubresource, (other, resource, o) =>
        other.createSubresource(resource, o),
      ),
      update: writing(client.update, (other, resource, o) => other.update(resource, o)) as Client['update'],
      updateStatus: writing(client.updateStatus, (other, resource, o) =>
        other.updateStatus(resource, o),
      ) as Client['updateStatus'],
      patch: writing(client.patch, (other, resource, o) => other.patch(resource, o)) as Client['patch'],
      apply: writing(client.apply, (other, resource, o) => other.apply(resource, o)) as Client['apply'],
      delete: writing(client.delete, (other, resource, o) => other.delete(resource, o)),
      deleteCollection: writing(client.deleteCollection, (other, resource, o) => other.deleteCollection(resource, o)),
      request: unrepeatable(client.request),
      send: unrepeatable(client.send),
    };
  }

  /** A client whose first reads are answered as those of the run were. */
  answers(client: Client): Client {
    const recorded = async <T>(
      verb: string,
      resource: ResourceType,
      o: object | undefined,
      live: () => Promise<T>,
    ): Promise<T> => {
      const answer = this.#reads.get(readId(verb, resource, o));
      if (answer === undefined) return live();
      if ('error' in answer) throw answer.error;
      return answer.value as T;
    };
    return {
      ...client,
      get: (resource, o) =>
        recorded('get', resource, o, async () => {
          const id = `${fenceId(resource)} ${toKey(o.namespace, o.name)}`;
          if (o.subresource !== undefined || resource.subresource !== undefined || !this.#before.has(id))
            return client.get(resource, o);
          const before = this.#before.get(id);
          if (before === undefined) throw newNotFound(resource, o.name);
          return before as never;
        }),
      list: (resource, o) => recorded('list', resource, o, () => client.list(resource, o)),
    };
  }

  /** Keeps the first answer: later ones may show what the run itself has written. */
  async #reading<T>(verb: string, resource: ResourceType, o: object | undefined, call: Promise<T>): Promise<T> {
    const id = readId(verb, resource, o);
    const keeps = this.writes.length === 0 && this.#reads.size < callsMax && !this.#reads.has(id);
    try {
      const value = await call;
      if (keeps) this.#reads.set(id, { value });
      return value;
    } catch (error) {
      if (keeps && isNotFound(error)) this.#reads.set(id, { error });
      throw error;
    }
  }
}

function readId(verb: string, resource: ResourceType, o: object = {}): string {
  const { signal: _signal, ...options } = o as { readonly signal?: AbortSignal };
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return `${verb} ${resourceId(resource)} ${resource.subresource ?? ''} ${JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))}`;
}
