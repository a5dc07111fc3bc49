// Webhooks that know nothing of field ownership (or too much) may send back managedFields nobody can read. Those are put
// back to what they were, with a warning, as upstream does.

import { cloneJson, decodeManagedFields } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';

/** Remembers the entries; the result checks them and restores them where they became invalid. */
export function guardManagedFields(attributes: AdmissionAttributes): () => void {
  const { object } = attributes;
  const meta = object?.metadata;
  if (object === undefined || meta === undefined) return () => {};
  const before = cloneJson(meta.managedFields);
  return () => {
    try {
      decodeManagedFields(object.metadata?.managedFields);
    } catch (error) {
      const after = (object.metadata ??= {});
      if (before === undefined) delete after.managedFields;
      else after.managedFields = before;
      const why = error instanceof Error ? error.message : String(error);
      attributes.addWarning(
        `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${why}`,
      );
    }
  };
}
