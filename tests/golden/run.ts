// `npm run golden`: replays recordings of a real control plane against this one (options.ts has the arguments).

import { kubectlAndHelm } from '../../tools/kubectl.mjs';
import { startComponents } from './components.ts';
import { groupRecordings, needsControllers, type RecordingGroup } from './groups.ts';
import { HttpClient, type ServerTarget } from './http-client.ts';
import { Kubectl } from './kubectl.ts';
import { parseGoldenOptions, usage, type GoldenOptions } from './options.ts';
import { comparePassing, formatRanges, readPassing, updatePassing, writePassing } from './passing.ts';
import { loadRecordings, type Recording } from './recording.ts';
import { replayAll, type RecordingResult } from './replay-and-compare.ts';
import { formatListEntry, formatResult, formatTotals, totalsOf, writeResults } from './report.ts';

// Recordings of controllers mostly wait, so many are replayed at a time.
const controllerJobs = 12;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: GoldenOptions;
  try {
    options = parseGoldenOptions(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  const recordings = loadRecordings(options.inputs).filter((recording) => isChosen(recording, options));
  if (options.mode === 'list') {
    for (const recording of recordings) console.log(formatListEntry(recording));
    return 0;
  }
  const results = await replayChosen(recordings, options);
  const totals = totalsOf(results);
  console.log(formatTotals(totals));
  if (options.json !== undefined) writeResults(options.json, results);
  if (options.check) return check(results, isComplete(options));
  if (options.update) return update(results, options.allowLoss);
  return totals.steps > 0 && totals.passed === totals.steps ? 0 : 1;
}

function isChosen({ name, needs = [] }: Recording, { only, skipNeeds }: GoldenOptions): boolean {
  return (only === undefined || only.test(name)) && !needs.some((component) => skipNeeds.has(component));
}

function isComplete({ only, skipNeeds, inputs }: GoldenOptions): boolean {
  return only === undefined && skipNeeds.size === 0 && inputs.length === 0;
}

async function replayChosen(recordings: readonly Recording[], options: GoldenOptions): Promise<RecordingResult[]> {
  const results: RecordingResult[] = [];
  const onResult = (result: RecordingResult): void => {
    results.push(result);
    console.log(formatResult(result, options));
  };
  if (options.server !== undefined) {
    const target = withoutUndefined({ ...options, server: options.server });
    await replayAgainst(target, recordings, options, options.jobs ?? 1, onResult);
    return results;
  }
  for (const group of groupRecordings(recordings)) {
    console.log(`# ${[...group.needs, ...group.flags].join(' ')}: ${group.recordings.length} recordings`);
    await replayGroup(group, options, onResult);
  }
  return results;
}

async function replayGroup(
  group: RecordingGroup,
  options: GoldenOptions,
  onResult: (result: RecordingResult) => void,
): Promise<void> {
  const components = await startComponents({ ...group, logs: options.componentLogs });
  const onSignal = (): void => {
    // They would live on without us; what they say about the end is of no interest now.
    const exit = (): never => process.exit(130);
    components.stop().then(exit, exit);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, onSignal);
  try {
    const jobs = options.jobs ?? (needsControllers(group) ? controllerJobs : 1);
    await replayAgainst(components.target, group.recordings, options, jobs, onResult);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, onSignal);
    await components.stop();
  }
}

async function replayAgainst(
  target: ServerTarget,
  recordings: readonly Recording[],
  options: GoldenOptions,
  jobs: number,
  onResult: (result: RecordingResult) => void,
): Promise<void> {
  const client = new HttpClient(target);
  const kubectl = new Kubectl(options.kubectl ?? kubectlAndHelm().kubectl, target, options.kubeconfig);
  try {
    await replayAll(recordings, { client, kubectl }, { jobs, onResult });
  } finally {
    client.close();
    kubectl.close();
  }
}

function check(results: readonly RecordingResult[], complete: boolean): number {
  const listed = readPassing();
  const { lost, gained } = comparePassing(listed, results);
  const replayed = new Set(results.map(({ name }) => name));
  const absent = complete ? [...listed.keys()].filter((name) => !replayed.has(name)) : [];
  for (const { name, steps } of lost) console.log(`LOST ${name}: steps ${formatRanges(steps)} passed before`);
  for (const name of absent) console.log(`LOST ${name}: there is no such recording any more`);
  for (const { name, steps } of gained) console.log(`new  ${name}: steps ${formatRanges(steps)} (--update lists them)`);
  return lost.length + absent.length === 0 ? 0 : 1;
}

function update(results: readonly RecordingResult[], allowLoss: boolean): number {
  const listed = readPassing();
  const { lost, gained } = comparePassing(listed, results);
  writePassing(updatePassing(listed, results, { allowLoss }));
  for (const { name, steps } of gained) console.log(`new  ${name}: steps ${formatRanges(steps)}`);
  const verb = allowLoss ? 'removed' : 'LOST, still listed (--allow-loss removes them)';
  for (const { name, steps } of lost) console.log(`${verb} ${name}: steps ${formatRanges(steps)}`);
  return lost.length === 0 || allowLoss ? 0 : 1;
}

function withoutUndefined({ server, token, ca, cert, key }: GoldenOptions & { readonly server: string }): ServerTarget {
  return {
    server,
    token,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
