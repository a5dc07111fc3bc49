// Tables as the server sends them (meta.k8s.io/v1 Table), printed in columns as kubectl does: names in capitals, three blanks
// between columns, columns of a higher priority only when wide.

import type { KubeObject } from '@homeostat/machinery';

export interface Table {
  readonly kind?: string;
  readonly metadata?: { readonly resourceVersion?: string };
  readonly columnDefinitions?: readonly { readonly name: string; readonly priority?: number }[] | null;
  readonly rows?: readonly TableRow[] | null;
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object?: KubeObject;
}

export interface TableLayout {
  readonly wide: boolean;
  readonly headers: boolean;
  readonly namespaces: boolean;
  readonly labels: boolean;
  /** Put before names: `pod/` when several types are shown. */
  readonly prefix: string;
}

export const tableAccept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** Turns tables of one resource into lines; widths are settled by the first call and kept for later ones (watches). */
export class TablePrinter {
  readonly #layout: TableLayout;
  #columns: readonly { readonly name: string; readonly index: number }[] = [];
  #widths: number[] = [];
  #headed = false;

  constructor(layout: TableLayout) {
    this.#layout = layout;
  }

  lines(table: Table): readonly string[] {
    if (table.columnDefinitions !== undefined && table.columnDefinitions !== null && this.#columns.length === 0) {
      this.#columns = table.columnDefinitions
        .map((column, index) => ({ name: column.name.toUpperCase(), index, priority: column.priority ?? 0 }))
        .filter((column) => this.#layout.wide || column.priority === 0);
    }
    const rows = (table.rows ?? []).map((row) => this.#cells(row));
    const head = this.#headed || !this.#layout.headers ? [] : [this.#header()];
    if (rows.length > 0 || head.length > 0) this.#headed = true;
    const all = [...head, ...rows];
    for (const row of all)
      row.forEach((cell, column) => (this.#widths[column] = Math.max(this.#widths[column] ?? 0, cell.length)));
    return all.map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd((this.#widths[column] ?? 0) + 3)))
        .join('')
        .trimEnd(),
    );
  }

  #header(): readonly string[] {
    const names = this.#columns.map((column) => column.name);
    return [...(this.#layout.namespaces ? ['NAMESPACE'] : []), ...names, ...(this.#layout.labels ? ['LABELS'] : [])];
  }

  #cells(row: TableRow): readonly string[] {
    const cells = this.#columns.map(({ name, index }) => {
      const text = cellText(row.cells[index]);
      return name === 'NAME' ? `${this.#layout.prefix}${text}` : text;
    });
    const metadata = row.object?.metadata;
    const labels = Object.entries(metadata?.labels ?? {}).map(([key, value]) => `${key}=${value}`);
    return [
      ...(this.#layout.namespaces ? [metadata?.namespace ?? ''] : []),
      ...cells,
      ...(this.#layout.labels ? [labels.length === 0 ? '<none>' : labels.join(',')] : []),
    ];
  }
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '<none>';
  return typeof cell === 'string'
    ? cell
    : typeof cell === 'object'
      ? JSON.stringify(cell)
      : String(cell as number | boolean);
}
