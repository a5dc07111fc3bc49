// The commit log over the worker: collects changes while one commit is on its way and sends them as the next one
// (group commit), puts compaction and checkpoints into the gaps, and reports what became of each commit.

import type { Worker } from 'node:worker_threads';
import { invariant } from '@homeostat/base';
import type { Change } from '../sequencing/change.ts';
import type { CommitListener, CommitLog } from '../sequencing/commit-log.ts';
import { StorageError, type StorageErrorCode } from '../store.ts';
import type { WorkerReply, WorkerRequest } from './commit-worker.ts';
import { packBatch } from './write-batch.ts';

export interface CommitQueueOptions {
  readonly worker: Worker;
  readonly listener: CommitListener;
  readonly directory: string;
  /** Revision below which the file has been compacted. */
  readonly compactedRevision: number;
  /** Called when the worker has the file open. */
  readonly onOpen: () => void;
}

// A commit takes what waits, up to this much: larger ones would only delay the first of their writes.
const batchChangesMax = 2048;
const batchBytesMax = 8 * 1024 * 1024;
// Revisions compacted per transaction, so that writes wait for milliseconds at most.
const compactionStep = 2000;
// Bytes written before an idle moment is used for a checkpoint, and before one is made without waiting for that.
const checkpointIdleBytes = 4 * 1024 * 1024;
const checkpointForcedBytes = 64 * 1024 * 1024;

interface Compaction {
  readonly revision: number;
  resolve(): void;
  reject(error: StorageError): void;
}

export class CommitQueue implements CommitLog {
  readonly #worker: Worker;
  readonly #listener: CommitListener;
  readonly #directory: string;
  readonly #onOpen: () => void;
  #waiting: Change[] = [];
  #pendingBytes = 0;
  #inFlight: { readonly request: WorkerRequest; readonly bytes: number; readonly lastRevision: number } | undefined;
  #flushScheduled = false;
  #compacted: number;
  #compactions: Compaction[] = [];
  #compactNext = false;
  #sinceCheckpoint = 0;
  #failure: StorageError | undefined;
  #closing: PromiseWithResolvers<void> | undefined;

  constructor(options: CommitQueueOptions) {
    this.#worker = options.worker;
    this.#listener = options.listener;
    this.#directory = options.directory;
    this.#compacted = options.compactedRevision;
    this.#onOpen = options.onOpen;
    this.#worker.on('message', (reply: WorkerReply) => this.#onReply(reply));
    this.#worker.on('error', (error) => this.#onLost('failed', error));
    this.#worker.on('exit', () => this.#onLost('ended', undefined));
    this.#send({ type: 'open' });
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  append(change: Change): void {
    this.#waiting.push(change);
    this.#pendingBytes += bytesOf(change);
    this.#schedule();
  }

  compact(revision: number): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#compactions.push({ revision, resolve, reject });
    this.#schedule();
    return promise;
  }

  close(): Promise<void> {
    if (this.#failure !== undefined) return Promise.resolve();
    this.#closing ??= Promise.withResolvers();
    this.#schedule();
    return this.#closing.promise;
  }

  // Later, so that writes made in one turn share a commit.
  #schedule(): void {
    if (this.#flushScheduled || this.#inFlight !== undefined || this.#failure !== undefined) return;
    this.#flushScheduled = true;
    queueMicrotask(() => {
      this.#flushScheduled = false;
      if (this.#inFlight === undefined && this.#failure === undefined) this.#sendNext();
    });
  }

  #sendNext(): void {
    const compactFirst = this.#compactNext;
    this.#compactNext = false;
    if (this.#sinceCheckpoint > checkpointForcedBytes) return this.#sendCheckpoint();
    if (compactFirst && this.#compactions.length > 0) return this.#sendCompaction();
    if (this.#waiting.length > 0) return this.#sendWrites();
    if (this.#compactions.length > 0) return this.#sendCompaction();
    if (this.#closing !== undefined) return this.#send({ type: 'close' });
    if (this.#sinceCheckpoint > checkpointIdleBytes) this.#sendCheckpoint();
  }

  #sendWrites(): void {
    let count = 0;
    let bytes = 0;
    for (const change of this.#waiting) {
      const size = bytesOf(change);
      if (count > 0 && (count >= batchChangesMax || bytes + size > batchBytesMax)) break;
      count++;
      bytes += size;
    }
    const batch = packBatch(this.#waiting.slice(0, count));
    this.#waiting = this.#waiting.slice(count);
    // Compaction gets every other turn while writes keep coming.
    this.#compactNext = true;
    this.#send({ type: 'write', batch }, bytes, batch.lastRevision);
  }

  #sendCompaction(): void {
    const goal = this.#compactions[0]?.revision ?? this.#compacted;
    this.#send({ type: 'compact', from: this.#compacted, to: Math.min(goal, this.#compacted + compactionStep) });
  }

  #sendCheckpoint(): void {
    this.#sinceCheckpoint = 0;
    this.#send({ type: 'checkpoint' });
  }

  #send(request: WorkerRequest, bytes = 0, lastRevision = 0): void {
    this.#inFlight = { request, bytes, lastRevision };
    this.#worker.postMessage(request, request.type === 'write' ? [request.batch.values.buffer] : []);
  }

  #onReply(reply: WorkerReply): void {
    const inFlight = this.#inFlight;
    invariant(inFlight !== undefined, 'the commit worker answered without a request');
    this.#inFlight = undefined;
    if (reply.type === 'failed') this.#onRefused(inFlight.request, reply.code, reply.message);
    else this.#onDone(inFlight.request, inFlight.bytes, inFlight.lastRevision);
    this.#schedule();
  }

  #onDone(request: WorkerRequest, bytes: number, lastRevision: number): void {
    switch (request.type) {
      case 'open':
        this.#onOpen();
        return;
      case 'write':
        this.#pendingBytes -= bytes;
        this.#sinceCheckpoint += bytes;
        this.#listener.committed(lastRevision);
        return;
      case 'compact':
        this.#compacted = request.to;
        this.#compactions = this.#compactions.filter((compaction) => {
          if (compaction.revision > this.#compacted) return true;
          compaction.resolve();
          return false;
        });
        return;
      case 'checkpoint':
        return;
      case 'close':
        this.#failure = new StorageError('closed', 'the store is closed');
        this.#closing?.resolve();
        return;
    }
  }

  #onRefused(request: WorkerRequest, code: StorageErrorCode, message: string): void {
    const error = new StorageError(code, `writing to the store in ${this.#directory}: ${message}`);
    switch (request.type) {
      case 'write':
        this.#dropWrites();
        if (code === 'no-space') this.#listener.failed(error, false);
        else this.#fail(error);
        return;
      case 'compact':
        this.#failCompactions(error);
        if (code !== 'no-space') this.#fail(error);
        return;
      case 'checkpoint':
        // Nothing is lost: the write-ahead log has it all, and the next checkpoint tries again.
        if (code !== 'no-space') this.#fail(error);
        return;
      case 'open':
      case 'close':
        this.#fail(error);
        return;
    }
  }

  #onLost(how: string, cause: unknown): void {
    if (this.#failure === undefined) {
      this.#fail(new StorageError('io', `the commit worker of the store in ${this.#directory} ${how}`, { cause }));
    }
  }

  /** After a failed disk nobody knows what it holds: nothing more is written until the store is opened again. */
  #fail(error: StorageError): void {
    this.#failure = error;
    this.#dropWrites();
    this.#failCompactions(error);
    this.#listener.failed(error, true);
    this.#closing?.reject(error);
  }

  #dropWrites(): void {
    this.#waiting = [];
    this.#pendingBytes = 0;
  }

  #failCompactions(error: StorageError): void {
    const compactions = this.#compactions;
    this.#compactions = [];
    for (const compaction of compactions) compaction.reject(error);
  }
}

function bytesOf(change: Change): number {
  return change.events.reduce(
    (sum, event) => sum + event.key.length + (event.current?.value.bytes().byteLength ?? 0),
    0,
  );
}
