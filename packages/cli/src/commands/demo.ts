// `homeostat demo`: the story of the loop, with real processes or in virtual time.

import { boolFlag, type FlagValues, numberFlag } from '../flags/flag.ts';
import { Narrator } from '../demo/narrator.ts';
import { tellStory } from '../demo/story.ts';
import type { DemoWorld } from '../demo/world.ts';

export async function demo(values: FlagValues): Promise<void> {
  const world = boolFlag(values, 'virtual-time')
    ? await virtualWorld(numberFlag(values, 'seed'))
    : await processWorld();
  const startMs = world.env.clock.monotonicMs();
  const narrator = new Narrator(
    (text) => void process.stdout.write(text),
    () => (world.env.clock.monotonicMs() - startMs) / 1000,
  );
  try {
    await tellStory(world, narrator);
  } finally {
    narrator.end();
    await world.close();
  }
}

async function virtualWorld(seed: number): Promise<DemoWorld> {
  return (await import('../demo/virtual-world.ts')).createVirtualWorld(seed);
}

async function processWorld(): Promise<DemoWorld> {
  return (await import('../demo/process-world.ts')).createProcessWorld();
}
