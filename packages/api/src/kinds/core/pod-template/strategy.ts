// PodTemplates: a template on its own. No controller uses them.

import { type FieldError, FieldPath } from '@homeostat/machinery';
import type { PodTemplate } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { podTemplateOptions } from '../../pod-spec/options.ts';
import {
  defaultPodTemplateSpec,
  dropDisabledTemplateFields,
  validatePodTemplateSpec,
} from '../../pod-spec/pod-template.ts';
import { warningsForPodTemplate } from '../../pod-spec/warnings.ts';
import { nameIsDnsSubdomain } from '../../rules/names.ts';
import { bumpGenerationOn } from '../../update-parts.ts';

const kind = { group: '', version: 'v1', kind: 'PodTemplate' };
const metadataPath = new FieldPath('metadata');
const templatePath = new FieldPath('template');

export const podTemplateStrategy: KindStrategy<PodTemplate> = {
  tracksGeneration: true,
  applyDefaults: (draft) => defaultPodTemplateSpec((draft.template ??= {})),
  prepareForCreate(draft) {
    (draft.metadata ??= {}).generation = 1;
    dropDisabledTemplateFields(draft.template, undefined);
  },
  validateCreate(object) {
    const errors = validateKubeObjectMeta(
      object.metadata ?? {},
      { namespaced: true, name: nameIsDnsSubdomain },
      metadataPath,
    );
    validateTemplate(object, undefined, errors);
    return errors;
  },
  warningsOnCreate: (object) => warningsForPodTemplate(object.template, undefined, templatePath),
  prepareForUpdate(draft, old) {
    dropDisabledTemplateFields(draft.template, old.template);
    bumpGenerationOn(draft, old, ['template'], kind);
  },
  validateUpdate(object, old) {
    const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
    validateTemplate(object, old, errors);
    return errors;
  },
  warningsOnUpdate: (object, old) =>
    object.metadata?.generation === old.metadata?.generation
      ? []
      : warningsForPodTemplate(object.template, old.template, templatePath),
};

function validateTemplate(object: PodTemplate, old: PodTemplate | undefined, errors: FieldError[]): void {
  validatePodTemplateSpec(object.template ?? {}, templatePath, errors, podTemplateOptions(old?.template));
}
