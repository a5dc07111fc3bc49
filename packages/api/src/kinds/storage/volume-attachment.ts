// VolumeAttachment (storage.k8s.io/v1): a wish to attach a volume to a node. The wish never changes; whether it came true
// is status.

import type {
  VolumeAttachment,
  VolumeAttachmentSource,
  VolumeAttachmentStatus,
  VolumeError,
} from '@homeostat/api/types/storage-v1';
import { type FieldError, FieldPath, forbidden, invalid, required, tooLong, utf8Length } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { resetMetadataForStatus } from '../metadata/reset-metadata.ts';
import { type GoField, toGoForm } from '../rules/go-form.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { immutableText, pushInvalid, sortedKeys } from '../rules/values.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { fieldDiffers, keepField } from '../update-parts.ts';
import { validateKubeObjectMetaUpdate } from '../metadata/object-meta.ts';
import { validateCsiDriverName } from '../rules/csi-driver-name.ts';

const kind = { group: 'storage.k8s.io', version: 'v1', kind: 'VolumeAttachment' };
const specPath = new FieldPath('spec');
const statusPath = new FieldPath('status');
const errorBytesMax = 1024;
const metadataBytesMax = 256 * 1024;
const oneSource = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
const specForm: readonly GoField[] = [
  ['Attacher', 'attacher', ''],
  [
    'Source',
    'source',
    null,
    [
      ['PersistentVolumeName', 'persistentVolumeName', null],
      ['InlineVolumeSpec', 'inlineVolumeSpec', null],
    ],
  ],
  ['NodeName', 'nodeName', ''],
];

export const volumeAttachmentStrategy: KindStrategy<VolumeAttachment> = standardStrategy<VolumeAttachment>({
  kind,
  namespaced: false,
  status: true,
  validate(object, errors, old) {
    if (old === undefined) validateSpec(object, errors);
    else if (fieldDiffers(object, old, 'spec', kind)) {
      errors.push(invalid(specPath, toGoForm(object.spec, specForm), immutableText));
    }
    validateStatus(object.status, errors);
  },
  more: {
    allowUnconditionalUpdate: false,
    subresources: {
      status: {
        resetFields: [['metadata'], ['spec']],
        prepareForUpdate(draft, old) {
          keepField(draft, old, 'spec');
          resetMetadataForStatus(draft, old);
        },
        validateUpdate(object, old) {
          const errors = validateKubeObjectMetaUpdate(
            object.metadata ?? {},
            old.metadata ?? {},
            new FieldPath('metadata'),
          );
          validateStatus(object.status, errors);
          return errors;
        },
      },
    },
  },
});

function validateSpec(object: VolumeAttachment, errors: FieldError[]): void {
  const spec = object.spec;
  const nodeName = spec?.nodeName ?? '';
  validateCsiDriverName(spec?.attacher, specPath.child('attacher'), errors);
  validateSource(spec?.source ?? {}, specPath.child('source'), errors);
  pushInvalid(nameIsDnsSubdomain(nodeName, false), nodeName, specPath.child('nodeName'), errors);
}

function validateSource(source: VolumeAttachmentSource, path: FieldPath, errors: FieldError[]): void {
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = source;
  if (name === undefined && inline === undefined) errors.push(required(path, oneSource));
  else if (name !== undefined && inline !== undefined) errors.push(forbidden(path, oneSource));
  else if (name !== undefined) {
    const at = path.child('persistentVolumeName');
    if (name === '') errors.push(required(at, 'must specify non empty persistentVolumeName'));
    pushInvalid(nameIsDnsSubdomain(name, false), name, at, errors);
  }
}

function validateStatus(status: VolumeAttachmentStatus | undefined, errors: FieldError[]): void {
  const metadata = status?.attachmentMetadata;
  let bytes = 0;
  for (const key of sortedKeys(metadata)) bytes += utf8Length(key) + utf8Length(metadata?.[key] ?? '');
  if (bytes > metadataBytesMax) errors.push(tooLong(statusPath.child('attachmentMetadata'), metadataBytesMax));
  validateVolumeError(status?.attachError, statusPath.child('attachError'), errors);
  validateVolumeError(status?.detachError, statusPath.child('detachError'), errors);
}

function validateVolumeError(error: VolumeError | undefined, path: FieldPath, errors: FieldError[]): void {
  if (utf8Length(error?.message ?? '') > errorBytesMax) errors.push(tooLong(path.child('message'), errorBytesMax));
}
