// Public names of @homeostat/api.

export { tableFor } from './columns/tables.ts';
export { convertObject } from './conversion/convert-object.ts';
export { validateObjectMeta, validateObjectMetaUpdate } from './kinds/metadata/object-meta.ts';
export { nameIsPathSegment } from './kinds/rules/names.ts';
export { semanticEqual } from './kinds/semantic-equal.ts';
export { strategyOf } from './kinds/strategies.ts';
export { deletionCostAnnotation, parseDeletionCost } from './meaning/deletion-cost.ts';
export { getPodCondition, isPodAvailable, isPodReady, nextPodAvailabilityMs } from './meaning/pod-conditions.ts';
export { isPodActive, isPodTerminal, isPodTerminating } from './meaning/pod-phase.ts';
export type { ResourceInfo, SubresourceInfo } from './resource.ts';
export {
  findKind,
  findResource,
  kindsOf,
  knownApiVersions,
  resources,
  schemaOf,
  structByName,
  typeNameOf,
} from './scheme/scheme.ts';
export type {
  KindStrategy,
  StrategyContext,
  TableColumn,
  TableRowCells,
  TableStrategy,
  UpdateStrategy,
} from './strategy.ts';
