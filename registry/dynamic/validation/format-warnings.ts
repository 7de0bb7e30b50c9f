/** Warnings for unknown formats in the schemas of a definition, which are not enforced. */
// as apiextensions-apiserver/pkg/registry/customresourcedefinition strategy WarningsOnCreate, WarningsOnUpdate
import type { KubeObject } from '../../../apimachinery/interface.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { effectiveFormat } from '../../../openapi/formats.js';
import { type SchemaProps, itemSchemaOf, moreOf } from '../../../openapi/schema/schema-props.js';
import { asDefinition } from '../crd.js';

/** Returns `unrecognized format "x"` for each unknown format that the old definition does not have. */
export function formatWarnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const before = new Set(old ? unknownFormats(old) : []);
  return unknownFormats(object)
    .filter(format => !before.has(format))
    .map(format => `unrecognized format ${goQuote(format)}`);
}

function unknownFormats(object: KubeObject): string[] {
  const formats = new Set<string>();
  for (const { schema } of asDefinition(object).spec.versions) addFormats(schema?.openAPIV3Schema, formats);
  return [...formats];
}

function addFormats(schema: SchemaProps | undefined, formats: Set<string>): void {
  if (!schema) return;
  const { type, format = '', properties, allOf, anyOf, oneOf, not } = schema;
  if (format !== '' && effectiveFormat(type, format) === '') formats.add(format);
  addFormats(itemSchemaOf(schema), formats);
  for (const each of [allOf, anyOf, oneOf]) for (const one of each ?? []) addFormats(one, formats);
  addFormats(not, formats);
  if (properties) for (const name of Object.keys(properties)) addFormats(properties[name], formats);
  addFormats(moreOf(schema), formats);
}
