// Public names of @homeostat/api.

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
