// How a struct of the schema lies in protobuf: its fields by number, those of embedded structs below the number of the
// embedding (a Volume's source is a message of its own in protobuf, and is not in JSON). Made once per struct.

import type { FieldSchema, StructSchema } from '../../schema/schema.ts';

export interface PlannedField {
  readonly number: number;
  readonly field: FieldSchema;
}

export interface PlannedEmbedding {
  readonly number: number;
  readonly embedded: MessagePlan;
}

export type PlanEntry = PlannedField | PlannedEmbedding;

export interface MessagePlan {
  /** Ascending by number. */
  readonly entries: readonly PlanEntry[];
  readonly byNumber: ReadonlyMap<number, PlanEntry>;
}

const plans = new WeakMap<StructSchema, MessagePlan>();

export function messagePlan(schema: StructSchema): MessagePlan {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const plan = planFields(
    schema.fields.filter((field) => field.proto.length > 0),
    0,
  );
  plans.set(schema, plan);
  return plan;
}

function planFields(fields: readonly FieldSchema[], depth: number): MessagePlan {
  const groups = new Map<number, FieldSchema[]>();
  for (const field of fields) {
    const number = field.proto[depth] as number;
    const group = groups.get(number);
    if (group === undefined) groups.set(number, [field]);
    else group.push(field);
  }
  const entries = [...groups]
    .sort(([a], [b]) => a - b)
    .map(([number, group]): PlanEntry => {
      const field = group[0] as FieldSchema;
      return field.proto.length === depth + 1 ? { number, field } : { number, embedded: planFields(group, depth + 1) };
    });
  return { entries, byNumber: new Map(entries.map((entry) => [entry.number, entry])) };
}
