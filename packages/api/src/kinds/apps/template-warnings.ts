// Warnings that Deployments and ReplicaSets share: names that make poor host names, and what the Pod template warns of.

import type { PodTemplateSpec } from '@homeostat/api/types/core-v1';
import { FieldPath, isDns1123Label, type KubeObject } from '@homeostat/machinery';
import { warningsForPodTemplate } from '../pod-spec/warnings.ts';

const templatePath = new FieldPath('spec.template');

export function warningsOnReplicaCreate(object: KubeObject, template: PodTemplateSpec | undefined): readonly string[] {
  return [...warningsOnPodNames(object), ...warningsForPodTemplate(template, undefined, templatePath)];
}

export function warningsOnReplicaUpdate(
  object: KubeObject,
  template: PodTemplateSpec | undefined,
  old: KubeObject,
  oldTemplate: PodTemplateSpec | undefined,
): readonly string[] {
  if (object.metadata?.generation === old.metadata?.generation) return [];
  return warningsForPodTemplate(template, oldTemplate, templatePath);
}

export function warningsForTemplateOf(
  template: PodTemplateSpec | undefined,
  old: PodTemplateSpec | undefined,
): readonly string[] {
  return warningsForPodTemplate(template, old, templatePath);
}

/** Pods are named after their owner, and their host names after them. */
export function warningsOnPodNames(object: KubeObject): readonly string[] {
  const texts = isDns1123Label(object.metadata?.name ?? '');
  if (texts.length === 0) return [];
  const advice =
    'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: ${advice}: [${texts.join(' ')}]`];
}
