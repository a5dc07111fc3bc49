// A CustomResourceDefinition as upstream checks it: what all versions say alike (schema, subresources, columns,
// selectable fields) belongs to the spec itself, and errors about it name the spec, not a version.

import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from '@homeostat/api/types/apiextensions-v1';
import { semanticEqual } from '../semantic-equal.ts';

export interface VersionParts {
  readonly schema?: CustomResourceValidation | undefined;
  readonly subresources?: CustomResourceSubresources | undefined;
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[] | undefined;
  readonly selectableFields?: readonly SelectableField[] | undefined;
}

export interface HoistedVersion extends VersionParts {
  readonly version: CustomResourceDefinitionVersion;
}

export interface HoistedSpec {
  /** What all versions have in common. */
  readonly shared: VersionParts;
  /** The versions, each with what is its own. */
  readonly versions: readonly HoistedVersion[];
}

const partNames = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

export function hoistSpec(spec: CustomResourceDefinitionSpec | undefined): HoistedSpec {
  const versions = spec?.versions ?? [];
  const first = versions[0];
  const common = partNames.filter((name) => versions.every((version) => semanticEqual(version[name], first?.[name])));
  const pick = (version: CustomResourceDefinitionVersion | undefined, isCommon: boolean): VersionParts =>
    Object.fromEntries(
      partNames.filter((name) => common.includes(name) === isCommon).map((name) => [name, version?.[name]]),
    );
  return {
    shared: pick(first, true),
    versions: versions.map((version) => ({ version, ...pick(version, false) })),
  };
}

/** Versions as Go prints them. */
export function printableVersions(spec: CustomResourceDefinitionSpec | undefined): unknown {
  if (spec?.versions === undefined) return null;
  return hoistSpec(spec).versions.map(({ version, ...parts }) => ({
    Name: version.name ?? '',
    Served: version.served ?? false,
    Storage: version.storage ?? false,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: parts.schema ?? null,
    Subresources: parts.subresources ?? null,
    AdditionalPrinterColumns: parts.additionalPrinterColumns ?? null,
    SelectableFields: parts.selectableFields ?? null,
  }));
}
