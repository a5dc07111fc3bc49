// A profile: the name pods ask for, and the plugins that then decide, in order and with weights (spec/scheduler.md §2.2, §2.3).

import type { Plugin, PluginFactory, PluginHandle } from '../framework/plugin.ts';

/** A plugin of a profile. */
export interface ProfilePlugin {
  readonly factory: PluginFactory;
  /** How much its scores count; 1 unless given. */
  readonly weight?: number;
}

export interface Profile {
  /** What pods give as `spec.schedulerName`. */
  readonly schedulerName: string;
  /** At each point plugins run in this order. */
  readonly plugins: readonly ProfilePlugin[];
  /** Share of the nodes to look at before choosing, percent; absent or 0: adaptive. */
  readonly percentageOfNodesToScore?: number;
}

type With<K extends keyof Plugin> = Plugin & Required<Pick<Plugin, K>>;

/** Plugins by extension point. */
export interface ProfilePlugins {
  readonly all: readonly Plugin[];
  readonly percentageOfNodesToScore: number | undefined;
  readonly preEnqueue: readonly With<'preEnqueue'>[];
  readonly queueSort: With<'less'>;
  readonly preFilter: readonly With<'preFilter'>[];
  readonly filter: readonly With<'filter'>[];
  readonly postFilter: readonly With<'postFilter'>[];
  readonly preScore: readonly With<'preScore'>[];
  readonly score: readonly { readonly plugin: With<'score'>; readonly weight: number }[];
  /** Those that reserve or take back. */
  readonly reserve: readonly Plugin[];
  readonly permit: readonly With<'permit'>[];
  readonly preBind: readonly With<'preBind'>[];
  readonly bind: readonly With<'bind'>[];
  readonly postBind: readonly With<'postBind'>[];
}

/** Makes a profile's plugins. @throws Error when the profile can't work */
export function createProfilePlugins(profile: Profile, handle: PluginHandle): ProfilePlugins {
  const made = profile.plugins.map(({ factory, weight = 1 }) => ({ plugin: factory(handle), weight }));
  const all = made.map(({ plugin }) => plugin);
  for (const [index, { name }] of all.entries()) {
    if (all.findIndex((other) => other.name === name) !== index) throw new Error(`repeated config for plugin ${name}`);
  }
  const at = <K extends keyof Plugin>(point: K): readonly With<K>[] =>
    all.filter((plugin): plugin is With<K> => plugin[point] !== undefined);
  const sorts = at('less');
  const [queueSort] = sorts;
  const { schedulerName } = profile;
  if (queueSort === undefined || sorts.length !== 1)
    throw new Error(
      `only one queue sort plugin required for profile with scheduler name "${schedulerName}", but got ${sorts.length}`,
    );
  const bind = at('bind');
  if (bind.length === 0)
    throw new Error(`at least one bind plugin is needed for profile with scheduler name "${schedulerName}"`);
  return {
    all,
    percentageOfNodesToScore: profile.percentageOfNodesToScore,
    preEnqueue: at('preEnqueue'),
    queueSort,
    preFilter: at('preFilter'),
    filter: at('filter'),
    postFilter: at('postFilter'),
    preScore: at('preScore'),
    score: made.flatMap(({ plugin, weight }) =>
      isScoring(plugin) ? [{ plugin, weight: weight === 0 ? 1 : weight }] : [],
    ),
    reserve: all.filter((plugin) => plugin.reserve !== undefined || plugin.unreserve !== undefined),
    permit: at('permit'),
    preBind: at('preBind'),
    bind,
    postBind: at('postBind'),
  };
}

function isScoring(plugin: Plugin): plugin is With<'score'> {
  return plugin.score !== undefined;
}
