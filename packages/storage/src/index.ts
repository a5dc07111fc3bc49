// Public names of @homeostat/storage. Engines are under `./memory` and `./sqlite`, the kit under `./conformance`.

export { type AutoCompactionOptions, runAutoCompaction } from './auto-compaction.ts';
export {
  type Compare,
  type KeyValue,
  type Operation,
  type RangeOptions,
  type RangeResult,
  StorageError,
  type StorageErrorCode,
  type Store,
  type StoreEvent,
  type TxnResult,
  type ValueHolder,
  type WatchBatch,
  type WatchOptions,
} from './store.ts';
export { holdBytes, holdObject } from './value-holder.ts';
