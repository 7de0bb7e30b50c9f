/** Formats that the schemas of a definition name, and that nobody enforces. */
// as apiextensions-apiserver/pkg/registry/customresourcedefinition strategy WarningsOnCreate, WarningsOnUpdate
import type { KubeObject } from '../../apimachinery/interface.js';
import { goQuote } from '../../lib/go/go-text.js';
import { effectiveFormat } from '../../openapi/formats.js';
import { type SchemaProps, itemsOf, moreOf } from '../../openapi/schema/schema-props.js';
import { asDefinition } from './crd.js';

/** `unrecognized format "x"`, of those that the change brings in. */
export function formatWarnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const before = new Set(old ? unknownFormats(old) : []);
  return unknownFormats(object)
    .filter(format => !before.has(format))
    .map(format => `unrecognized format ${goQuote(format)}`);
}

function unknownFormats(object: KubeObject): string[] {
  const formats = asDefinition(object).spec.versions.flatMap(({ schema }) => formatsOf(schema?.openAPIV3Schema));
  return [...new Set(formats)];
}

function formatsOf(schema: SchemaProps | undefined): string[] {
  if (!schema) return [];
  const { type, format = '', properties = {}, allOf = [], anyOf = [], oneOf = [], not } = schema;
  const own = format !== '' && effectiveFormat(type, format) === '' ? [format] : [];
  const parts = [itemsOf(schema), ...allOf, ...anyOf, ...oneOf, not, ...Object.values(properties), moreOf(schema)];
  return [...own, ...parts.flatMap(formatsOf)];
}
