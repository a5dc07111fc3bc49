// Prefers nodes that have a pod's images already; less so for images that are everywhere or nowhere (spec/scheduler.md §11.7).

import type { Plugin, PluginHandle } from '../framework/plugin.ts';
import type { PodInfo } from '../framework/pod-info.ts';
import { pluginNames } from './names.ts';

const mebibyte = 1024 * 1024;
const sumLeast = 23 * mebibyte;
const sumMostPerContainer = 1000 * mebibyte;

export function createImageLocality(handle: Pick<PluginHandle, 'snapshot'>): Plugin {
  return {
    name: pluginNames.imageLocality,
    score: (_state, pod, { images }) => {
      if (images.size === 0) return 0;
      const { names, containers } = imagesOf(pod);
      const nodeCount = handle.snapshot.nodes.length;
      let sum = 0;
      for (const image of names) {
        const state = images.get(image);
        if (state !== undefined) sum += Math.trunc((state.sizeBytes * state.nodes) / nodeCount);
      }
      const sumMost = sumMostPerContainer * containers;
      const clamped = Math.min(Math.max(sum, sumLeast), sumMost);
      return Math.trunc((100 * (clamped - sumLeast)) / (sumMost - sumLeast));
    },
  };
}

interface PodImages {
  readonly names: readonly string[];
  /** Init containers included, image volumes not. */
  readonly containers: number;
}

const known = new WeakMap<PodInfo, PodImages>();

function imagesOf(pod: PodInfo): PodImages {
  let images = known.get(pod);
  if (images === undefined) {
    const { containers = [], initContainers = [], volumes = [] } = pod.pod.spec ?? {};
    const names = [
      ...[...initContainers, ...containers].map(({ image = '' }) => withTag(image)),
      ...volumes.flatMap(({ image }) => (image === undefined ? [] : [withTag(image.reference ?? '')])),
    ];
    known.set(pod, (images = { names, containers: containers.length + initContainers.length }));
  }
  return images;
}

/** Nodes report names with a tag. */
function withTag(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
