/** The form of versions in faults: that of kube-apiserver's internal types, in which absent fields are not left out. */
import { schemaForm } from '../../../openapi/schema/internal-form.js';
import { type ColumnDefinition, type Spec, type Subresources, type Version, noVersions } from '../crd.js';

const columnForm = ({ name, type, format = '', description = '', priority = 0, jsonPath }: ColumnDefinition) => ({
  Name: name,
  Type: type,
  Format: format,
  Description: description,
  Priority: priority,
  JSONPath: jsonPath,
});

const subresourcesForm = ({ status, scale }: Subresources): object => ({
  Status: status ? {} : null,
  Scale: scale
    ? {
        SpecReplicasPath: scale.specReplicasPath,
        StatusReplicasPath: scale.statusReplicasPath,
        LabelSelectorPath: scale.labelSelectorPath ?? null,
      }
    : null,
});

function versionForm(version: Version): object {
  const { schema, subresources, additionalPrinterColumns: columns, selectableFields: fields } = version;
  const openAPIV3Schema = schema?.openAPIV3Schema;
  return {
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: schema ? { OpenAPIV3Schema: openAPIV3Schema ? schemaForm(openAPIV3Schema) : null } : null,
    Subresources: subresources ? subresourcesForm(subresources) : null,
    AdditionalPrinterColumns: columns?.map(columnForm) ?? null,
    SelectableFields: fields?.map(({ jsonPath }) => ({ JSONPath: jsonPath })) ?? null,
  };
}

/** Returns versions in that form; null for a spec without versions. `versions` are those of the spec without their shared fields. */
export const shownVersions = (spec: Spec, versions: readonly Version[]): readonly object[] | null =>
  spec.versions === noVersions ? null : versions.map(versionForm);
