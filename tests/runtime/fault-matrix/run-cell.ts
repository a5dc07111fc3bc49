// One history of the fault matrix: an informer follows a namespace of the real API server while one kind of fault hits one place of
// the protocol. What must hold is checked while it runs and at its end.

import { createSeededRandom, type Env, noMetrics, type Random, silentLogger } from '@homeostat/base';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import { createClient } from '@homeostat/client';
import { configMaps } from '@homeostat/client/resources';
import { createInformerSource, SharedInformer } from '@homeostat/runtime';
import { EventContract } from '@homeostat/runtime/testing';
import type { FaultyWire, Place, WireFault } from './faulty-wire.ts';
import type { Connection, World } from './world.ts';

/** What goes wrong beside the wire: in handlers, and by a stop. */
export type CellFault = WireFault | 'handler-throws' | 'stop' | 'swallowed-event';

export interface Cell {
  readonly fault: CellFault;
  readonly place: Place;
}

/** Requests that an informer may make in ten seconds, pages of one list not counted. */
const requestsMax = 25;
/** After the last fault, all is well again within this time; a watch that is half open is found later. */
const recoveryMs = 35_000;
const halfOpenRecoveryMs = 600_000 + 30_000 + recoveryMs;
const repairPeriodMs = 60_000;
/** A stop takes no longer than the slowest handler. */
const stopMs = 1_000;

let histories = 0;

/** Aborts after so many turns of the microtask queue: at any await. */
async function abortLater(stop: AbortController, ticks: number): Promise<void> {
  for (let i = 0; i < ticks; i++) await Promise.resolve();
  stop.abort();
}

/** Runs one history; returns what was wrong, in words. A world may be used for many. */
export async function runCell(world: World, cell: Cell, seed: number): Promise<readonly string[]> {
  const history = new History(world, cell, seed);
  await history.run();
  return history.problems;
}

interface Followed {
  readonly informer: SharedInformer<ConfigMap>;
  readonly wire: FaultyWire;
  readonly connection: Connection;
  readonly contracts: readonly EventContract<ConfigMap>[];
  readonly stop: AbortController;
  readonly running: Promise<void>;
}

class History {
  readonly problems: string[] = [];
  readonly #world: World;
  readonly #cell: Cell;
  readonly #random: Random;
  readonly #env: Env;
  readonly #namespace: string;
  #names = 0;
  #calm = false;

  constructor(world: World, cell: Cell, seed: number) {
    this.#world = world;
    this.#cell = cell;
    this.#random = createSeededRandom(seed);
    this.#env = {
      clock: world.clock,
      random: createSeededRandom(seed + 1),
      log: silentLogger,
      metrics: noMetrics,
    };
    this.#namespace = `history-${histories++}`;
  }

  async run(): Promise<void> {
    const { fault, place } = this.#cell;
    await this.#world.createNamespace(this.#namespace);
    for (let i = 0; i < 8; i++) await this.#write(true);
    let followed = await this.#follow();
    const { wire } = followed;
    await this.#world.run(wire.remember(`/api/v1/namespaces/${this.#namespace}/configmaps`));
    const atStart = place === 'list' || place === 'page' || (place === 'watch-open' && this.#random.int(2) === 0);
    if (atStart) this.#break(followed);
    await this.#live(15_000);
    if (!atStart) this.#break(followed);
    // What happens to every watch in time: it ends, and its version is forgotten.
    wire.endStreams('end');
    await this.#live(10_000 + this.#random.int(10_000));
    wire.endStreams('gone');
    await this.#live(10_000 + this.#random.int(20_000));
    if (fault === 'stop') {
      await this.#stop(followed);
      followed = await this.#follow();
      await this.#live(5_000);
    }
    followed.wire.heal();
    this.#calm = true;
    await this.#recover(followed);
    // It is not only equal by a list: the watch works.
    for (let i = 0; i < 3; i++) await this.#write(false);
    await this.#recover(followed);
    await this.#stop(followed);
    this.#checkWire(followed.wire);
  }

  #break({ wire, stop }: Followed): void {
    const { fault, place } = this.#cell;
    const times = 1 + this.#random.int(5);
    switch (fault) {
      case 'handler-throws':
      case 'swallowed-event':
        return;
      case 'stop': {
        let left = this.#random.int(6);
        const ticks = this.#random.int(20);
        wire.onStep = (at) => {
          if (at !== place || left-- > 0) return;
          wire.onStep = () => {};
          void abortLater(stop, ticks);
        };
        return;
      }
      default:
        wire.inject(fault, place, times);
    }
  }

  async #follow(): Promise<Followed> {
    const { fault, place } = this.#cell;
    const { clock } = this.#world;
    const connection = await this.#world.connect({
      random: this.#random,
      synced: () => informer.hasSynced,
      pageSize: 3,
      ...(fault === 'swallowed-event' ? { swallow: 0.2 } : {}),
    });
    const { wire, transport } = connection;
    const client = createClient({ transport, env: this.#env, userAgent: 'fault-matrix' });
    const informer: SharedInformer<ConfigMap> = new SharedInformer<ConfigMap>({
      resource: configMaps,
      env: this.#env,
      source: createInformerSource({ client, resource: configMaps, select: { namespace: this.#namespace } }),
      streaming: place !== 'page' && this.#random.int(2) === 0,
      repairPeriodMs: fault === 'swallowed-event' ? repairPeriodMs : 0,
      freeze: true,
    });
    const contracts = ['plain', 'slow', 'late'].map(
      (name) => new EventContract<ConfigMap>({ name, onProblem: (problem) => this.problems.push(problem) }),
    );
    const [plain, slow, late] = contracts;
    const fails = (): void => {
      if (fault === 'handler-throws' && !this.#calm && this.#random.int(3) === 0) throw new Error('the handler failed');
    };
    const handle = plain?.wrap(({ type, object }) => {
      if (type === 'deleted') this.#checkGone(object);
      fails();
    });
    if (handle !== undefined) informer.addHandler(handle);
    const handleSlowly = slow?.wrap(async () => {
      await clock.sleep(this.#random.int(700));
      fails();
    });
    if (handleSlowly !== undefined) informer.addHandler(handleSlowly);
    clock.setTimer(this.#random.int(30_000), () => {
      const handleLate = late?.wrap(fails);
      if (handleLate !== undefined && informer.state !== 'stopped') informer.addHandler(handleLate);
    });
    const stop = new AbortController();
    const running = informer.run({ signal: stop.signal });
    return { informer, wire, connection, contracts, stop, running };
  }

  /** Lets time pass while objects come, change and go. */
  async #live(durationMs: number): Promise<void> {
    const endMs = this.#world.clock.monotonicMs() + durationMs;
    while (this.#world.clock.monotonicMs() < endMs) {
      await this.#world.advance(this.#random.int(3_000));
      const burst = this.#random.int(4);
      for (let i = 0; i < burst; i++) await this.#write(false);
    }
  }

  async #write(create: boolean): Promise<void> {
    const world = this.#world;
    const namespace = this.#namespace;
    const present = world.list(namespace);
    const victim = present[this.#random.int(Math.max(1, present.length))]?.metadata?.name;
    const what = this.#random.int(4);
    if (create || victim === undefined || what === 0) {
      await world.create(namespace, `m${this.#names++}`);
    } else if (what === 1) {
      await world.patch(namespace, victim, { at: String(this.#random.int(1_000_000)) });
    } else {
      await world.remove(namespace, victim);
      if (what === 2) await world.create(namespace, victim);
    }
  }

  /** No false delete: what was told as deleted is gone at this moment. */
  #checkGone(object: ConfigMap): void {
    const { name = '', uid } = object.metadata ?? {};
    const now = this.#world.get(this.#namespace, name);
    if (now?.metadata?.uid === uid) this.problems.push(`${name} (uid ${uid}) was told as deleted, and lives`);
  }

  async #recover(followed: Followed): Promise<void> {
    const { fault } = this.#cell;
    const limitMs =
      fault === 'half-open' ? halfOpenRecoveryMs : fault === 'swallowed-event' ? repairPeriodMs + 5_000 : recoveryMs;
    try {
      await this.#world.runUntil(() => this.#differences(followed).length === 0, limitMs + this.#world.slackMs);
    } catch {
      this.#compare(followed, `${limitMs / 1000} s after the last fault`);
    }
  }

  #differences({ informer, contracts }: Followed): readonly string[] {
    const now = this.#world.list(this.#namespace);
    const differences = contracts.flatMap((contract) => contract.differences(now));
    const cached = new EventContract({ name: 'cache' });
    const fill = cached.wrap();
    for (const object of informer.lister.list()) void fill({ type: 'added', object, initial: true });
    return [...differences, ...cached.differences(now)];
  }

  #compare(followed: Followed, when: string): void {
    this.problems.push(...this.#differences(followed).map((difference) => `${when}: ${difference}`));
  }

  async #stop({ stop, running, wire, connection }: Followed): Promise<void> {
    const stoppedMs = this.#world.clock.monotonicMs();
    stop.abort();
    await this.#world.run(running);
    const tookMs = this.#world.clock.monotonicMs() - stoppedMs;
    if (tookMs > stopMs + this.#world.slackMs) this.problems.push(`a stop took ${tookMs} ms`);
    // What was on its way arrives.
    await this.#world.advance(this.#world.slackMs / 40);
    const requests = wire.requests.length;
    await this.#world.advance(60_000);
    if (wire.openWatches > 0) this.problems.push(`${wire.openWatches} watches were left open by a stop`);
    if (wire.requests.length > requests) this.problems.push('requests were made after the stop');
    this.problems.push(...(await connection.close()));
  }

  #checkWire({ requests, watchesMax }: FaultyWire): void {
    if (watchesMax > 1) this.problems.push(`${watchesMax} watches were open at once`);
    const counted = requests.filter(({ place }) => place !== 'page');
    for (const [from, { atMs }] of counted.entries()) {
      const last = counted[from + requestsMax];
      if (last !== undefined && last.atMs - atMs < 10_000) {
        this.problems.push(`more than ${requestsMax} requests in ten seconds`);
        return;
      }
    }
  }
}
