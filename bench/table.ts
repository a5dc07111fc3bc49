// Rows of the benchmark table and how they are printed. Benchmarks measure; nothing asserts on them.

/** One line: what was measured, what the budget is, and what a real control plane needed on such a machine. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  readonly budget: string;
  /** kube-apiserver 1.36.2 with etcd 3.6, measured once on 2 shared cores (docs/benchmarks.md). */
  readonly upstream?: string;
}

/** One line of the comparison with other clients, all measured in the same run. */
export interface PeerRow {
  readonly what: string;
  readonly ours?: string;
  readonly clientGo?: string;
  readonly clientNode?: string;
}

export function printTable(rows: readonly Row[]): void {
  const head: Row = { what: 'what', measured: 'measured', budget: 'budget', upstream: 'real control plane' };
  printCells([head, ...rows].map((row) => [row.what, row.measured, row.budget, row.upstream ?? '–']));
}

export function printPeerTable(rows: readonly PeerRow[]): void {
  const head: PeerRow = { what: 'what', ours: 'ours', clientGo: 'client-go', clientNode: '@kubernetes/client-node' };
  printCells([head, ...rows].map((row) => [row.what, row.ours ?? '–', row.clientGo ?? '–', row.clientNode ?? '–']));
}

function printCells(cells: readonly (readonly string[])[]): void {
  const widths = (cells[0] ?? []).map((_unused, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  cells.forEach((row, index) => {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
    if (index === 0) console.log(widths.map((width) => '─'.repeat(width)).join('  '));
  });
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function perSecond(count: number, elapsedMs: number): string {
  return `${Math.round((count / elapsedMs) * 1000).toLocaleString('en')}/s`;
}

export function millis(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}
