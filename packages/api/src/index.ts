// Public names of @homeostat/api.

export type { ResourceInfo, SubresourceInfo } from './resource.ts';
export type {
  KindStrategy,
  StrategyContext,
  TableColumn,
  TableRowCells,
  TableStrategy,
  UpdateStrategy,
} from './strategy.ts';
