// The type of an AdmissionReview's answer in the schema IR, so that a webhook's JSON is read with Go's rules and error
// texts. `admission.k8s.io` is in no OpenAPI document, hence by hand. Both versions have the same fields.

import type { FieldSchema, ScalarType, Schema, StructSchema } from '@homeostat/machinery';

let made: StructSchema | undefined;

/** @param status - the schema of `metav1.Status` */
export function reviewSchema(status: StructSchema | undefined): StructSchema {
  if (status === undefined) throw new Error('no schema for Status');
  made ??= struct('AdmissionReview', {
    kind: scalar('string'),
    apiVersion: scalar('string'),
    response: struct('AdmissionResponse', {
      uid: scalar('string'),
      allowed: scalar('bool'),
      status,
      patch: scalar('bytes'),
      patchType: scalar('string'),
      auditAnnotations: { kind: 'map', values: scalar('string') },
      warnings: { kind: 'list', items: scalar('string') },
    }),
  });
  return made;
}

function scalar(type: ScalarType): Schema {
  return { kind: 'scalar', type };
}

function struct(name: string, types: Readonly<Record<string, Schema>>): StructSchema {
  const fields: readonly FieldSchema[] = Object.entries(types).map(([field, schema]) => ({
    name: field,
    schema,
    pointer: field === 'patchType' || schema.kind === 'struct',
    omit: 'empty',
    required: false,
    proto: [],
  }));
  return {
    kind: 'struct',
    name: `io.k8s.api.admission.v1.${name}`,
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
  };
}
