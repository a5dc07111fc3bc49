// What plugins answer, as the framework passes it on: with the name of who said it, and errors that say what was being done.

import { Status, statusError, type Verdict } from './status.ts';

/** The verdict with the name of its plugin, unless it has one. */
export function named<V extends Verdict>(verdict: V, plugin: string): V | Status {
  if (verdict === undefined || verdict.plugin !== '') return verdict;
  const { code, reasons } = verdict;
  return new Status({ code, reasons, plugin });
}

/** A refusal keeps its reasons; whatever else a plugin says is an error that names the plugin. */
export function refusal(verdict: Status, plugin: string, doing: string): Status {
  if (verdict.isRejected) return named(verdict, plugin);
  const cause = statusError(verdict);
  return Status.error(plugin, new Error(`${doing} "${plugin}": ${cause.message}`, { cause }));
}
