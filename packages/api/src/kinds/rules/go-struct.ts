// Values as upstream's internal Go structs print them in "Invalid value: {...}" and in diffs, derived from the schema: Go
// field names, every field, nil as null. Types of apimachinery have JSON names there too and stay as they are.
// Where an internal struct differs from its versioned form in order or content, the caller says so (`layouts`).

import { canonicalQuantity, type FieldSchema, type Schema, type StructSchema } from '@homeostat/machinery';

type Fields = Readonly<Record<string, unknown>>;

/** Structs whose internal form is laid out differently: the fields in order, each with what makes its value. */
export type GoLayouts = Readonly<Record<string, (value: Fields, print: GoPrinter) => Fields>>;

/** Prints one field of a struct by its JSON name. */
export type GoPrinter = (field: string) => readonly [goName: string, value: unknown];

export function toGoStruct(value: unknown, schema: Schema | undefined, layouts: GoLayouts = {}): unknown {
  return schema === undefined ? (value ?? null) : printValue(value, schema, true, layouts);
}

function printValue(value: unknown, schema: Schema, pointer: boolean, layouts: GoLayouts): unknown {
  switch (schema.kind) {
    case 'struct':
      if ((value === undefined || value === null) && pointer) return null;
      return printStruct((value ?? {}) as Fields, schema, layouts);
    case 'list':
      return Array.isArray(value) ? value.map((item) => printValue(item, schema.items, false, layouts)) : null;
    case 'map':
      if (value === undefined || value === null) return null;
      return Object.fromEntries(
        Object.entries(value)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, item]) => [key, printValue(item, schema.values, false, layouts)]),
      );
    case 'scalar':
      if (value === undefined || value === null) return pointer ? null : (zeros[schema.type] ?? '');
      return schema.type === 'quantity' ? canonicalQuantity(value as string) : value;
  }
}

const zeros: Readonly<Record<string, unknown>> = {
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  uint64: 0,
  float64: 0,
  bytes: null,
  quantity: '0',
  intOrString: 0,
  time: null,
  microTime: null,
};

function printStruct(value: Fields, schema: StructSchema, layouts: GoLayouts): Fields {
  if (schema.name.includes('.apimachinery.')) return value;
  const print: GoPrinter = (name) => {
    const field = schema.byName.get(name);
    return [goNameOf(schema, name), field === undefined ? null : printField(value, field, layouts)];
  };
  const layout = layouts[schema.name];
  if (layout !== undefined) return layout(value, print);
  return Object.fromEntries(schema.fields.map(({ name }) => print(name)));
}

function printField(value: Fields, field: FieldSchema, layouts: GoLayouts): unknown {
  return printValue(value[field.name], field.schema, field.pointer, layouts);
}

/** Go writes initialisms in capitals; a few fields have names of their own. */
const initialisms =
  /^(api|aws|csi|dns|fc|fs|gce|gmsa|grpc|http|ip|iqn|iscsi|nfs|os|pd|rbd|ssl|tcp|tty|uid|wwid)(?=[A-Z]|s?$)/;

const ownNames: Readonly<Record<string, string>> = {
  cephfs: 'CephFS',
  storageos: 'StorageOS',
  seLinuxOptions: 'SELinuxOptions',
  seLinuxChangePolicy: 'SELinuxChangePolicy',
  chapAuthDiscovery: 'DiscoveryCHAPAuth',
  chapAuthSession: 'SessionCHAPAuth',
  pdID: 'PdID',
  'AzureDiskVolumeSource.diskURI': 'DataDiskURI',
  'GlusterfsVolumeSource.endpoints': 'EndpointsName',
  'RBDVolumeSource.monitors': 'CephMonitors',
  'RBDVolumeSource.image': 'RBDImage',
  'RBDVolumeSource.pool': 'RBDPool',
  'RBDVolumeSource.user': 'RadosUser',
};

function goNameOf(schema: StructSchema, name: string): string {
  const own = ownNames[`${schema.name.slice(schema.name.lastIndexOf('.') + 1)}.${name}`] ?? ownNames[name];
  if (own !== undefined) return own;
  const capitals = name.replace(initialisms, (word) => word.toUpperCase());
  return capitals === name ? name.charAt(0).toUpperCase() + name.slice(1) : capitals;
}
