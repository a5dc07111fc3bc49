// The bridge from client-side to server-side apply of kubectl: fields that still are as the last-applied annotation has
// them are no conflict for the manager `kubectl`, and its applies keep an existing annotation up to date.

import type { KubeObject } from '../meta/object.ts';
import { goJson } from '../values/go-strings.ts';
import { utf8Length } from '../values/rule-texts.ts';
import { compareFields } from './compare.ts';
import { FieldSet } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import { fieldsOf } from './fields-of.ts';
import { FieldTypeError } from './item-element.ts';
import { asJson } from './updater.ts';
import { assertFits } from './validate.ts';

export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** The manager the bridge exists for. */
export const kubectlManager = 'kubectl';

const annotationsBytesMax = 256 * 1024;

/** Fields the annotation of the live object vouches for; empty when there is no usable annotation. */
export function lastAppliedFields(type: FieldType, live: KubeObject, apiVersion: string): FieldSet {
  const text = live.metadata?.annotations?.[lastAppliedAnnotation] ?? '';
  const none = new FieldSet();
  if (text === '') return none;
  try {
    const lastApplied = JSON.parse(text) as KubeObject | null;
    if (lastApplied?.apiVersion !== apiVersion) return none;
    assertFits(type, asJson(lastApplied));
    const { added, modified, removed } = compareFields(type, asJson(lastApplied), asJson(live), {
      implicitZeros: false,
    });
    return fieldsOf(type, asJson(lastApplied)).difference(modified).difference(added).difference(removed);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof FieldTypeError) return none;
    throw error;
  }
}

/** The object with its last-applied annotation (if it has one) replaced by the configuration just applied. */
export function refreshLastApplied(object: KubeObject, config: KubeObject): KubeObject {
  if ((object.metadata?.annotations?.[lastAppliedAnnotation] ?? '') === '') return object;
  const annotations = { ...object.metadata?.annotations, [lastAppliedAnnotation]: configText(config) };
  if (sizeOf(annotations) > annotationsBytesMax) delete (annotations as Record<string, string>)[lastAppliedAnnotation];
  return { ...object, metadata: { ...object.metadata, annotations } };
}

// Upstream encodes the configuration without the annotation, annotations themselves as it finds them, and a newline.
function configText(config: KubeObject): string {
  const { annotations, ...metadata } = config.metadata ?? {};
  if (annotations === undefined || annotations === null) return `${goJson(asJson(config))}\n`;
  const { [lastAppliedAnnotation]: _, ...others } = annotations;
  return `${goJson(asJson({ ...config, metadata: { ...metadata, annotations: others } }))}\n`;
}

function sizeOf(annotations: Readonly<Record<string, string>>): number {
  return Object.entries(annotations).reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);
}
