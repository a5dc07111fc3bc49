// `npm run bench`: measures the budgets of the design that exist so far and prints them as a table beside what a real control
// plane needed. Arguments choose groups: in-process, custom-resources, api-server, whole-cluster, peers, storage. Nothing here asserts.

import { printPeerTable, printTable, type Row } from './table.ts';

const groups: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  'in-process': async () => (await import('./in-process.ts')).inProcessRows(),
  'custom-resources': async () => (await import('./custom-resources.ts')).customResourceRows(),
  'api-server': async () => (await import('./api-server.ts')).apiServerRows(),
  'whole-cluster': async () => (await import('./whole-cluster.ts')).wholeClusterRows(),
};

const chosen = process.argv.slice(2);
const unknown = chosen.find((name) => !['peers', 'storage'].includes(name) && groups[name] === undefined);
if (unknown !== undefined) {
  console.error(`there is no group ${unknown}; there are ${[...Object.keys(groups), 'peers', 'storage'].join(', ')}`);
  process.exit(2);
}

const rows: Row[] = [];
for (const [name, measure] of Object.entries(groups)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  process.stderr.write(`measuring ${name} …\n`);
  rows.push(...(await measure()));
}
if (rows.length > 0) printTable(rows);
if (chosen.length === 0 || chosen.includes('peers')) {
  process.stderr.write('measuring peers …\n');
  console.log();
  printPeerTable(await (await import('./peers.ts')).peerRows());
}
if (chosen.length === 0 || chosen.includes('storage')) {
  console.log();
  await import('./storage.ts');
}
