/** Validates a version of a definition except its schema. */
import type { Fault } from '../../../apimachinery/interface.js';
import { child, invalidValue, required } from '../../../apimachinery/errors/faults.js';
import { byteLength } from '../../../apimachinery/meta/names.js';
import type { ColumnDefinition, Subresources, Version } from '../crd.js';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** Checks a printer column. as apiextensions/validation ValidateCustomResourceColumnDefinition */
export function columnFaults({ name, type, format, jsonPath }: ColumnDefinition, path: string): Fault[] {
  const faults: Fault[] = [];
  const oneOf = `must be one of ${columnTypes.join(',')}`;
  if (!name) faults.push(required(child(path, 'name')));
  if (!type) faults.push(required(child(path, 'type'), oneOf));
  else if (!columnTypes.includes(type)) faults.push(invalidValue(child(path, 'type'), type, oneOf));
  if (format && !columnFormats.includes(format))
    faults.push(invalidValue(child(path, 'format'), format, `must be one of ${columnFormats.join(',')}`));
  const at = child(path, 'JSONPath');
  if (!jsonPath) faults.push(required(at));
  else faults.push(...simplePathFaults(jsonPath, at));
  return faults;
}

function simplePathFaults(text: string, path: string): Fault[] {
  return text.startsWith('.') ? [] : [invalidValue(path, text, 'must be a simple json path starting with .')];
}

/**
 * Checks the paths of the scale subresource, which must be below spec or status.
 * as apiextensions/validation ValidateCustomResourceDefinitionSubresources
 */
export function subresourceFaults(subresources: Subresources | undefined, path: string): Fault[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const faults: Fault[] = [];
  const under = (field: string, text: string | undefined, roots: readonly string[], wrong: string): void => {
    const at = child(path, 'scale', field);
    if (!text) return void faults.push(required(at));
    const form = simplePathFaults(text, at);
    if (form.length > 0) faults.push(...form);
    else if (!roots.some(root => text.startsWith(root))) faults.push(invalidValue(at, text, wrong));
  };
  under('specReplicasPath', scale.specReplicasPath, ['.spec.'], 'should be a json path under .spec');
  under('statusReplicasPath', scale.statusReplicasPath, ['.status.'], 'should be a json path under .status');
  if (scale.labelSelectorPath) {
    const wrong = 'should be a json path under either .spec or .status';
    under('labelSelectorPath', scale.labelSelectorPath, ['.spec.', '.status.'], wrong);
  }
  return faults;
}

const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/**
 * Checks the deprecation warning, which becomes a header of answers: only a deprecated version has one, of at most 256 printable characters.
 * as apiextensions/validation validateDeprecationWarning
 */
export function deprecationFaults({ deprecated, deprecationWarning: text }: Version, path: string): Fault[] {
  if (text === undefined) return [];
  const at = child(path, 'deprecationWarning');
  if (!deprecated) return [invalidValue(at, text, 'can only be set for deprecated versions')];
  const wrong: string[] = [];
  if (byteLength(text) > 256) wrong.push('must be <= 256 characters long');
  if (text === '') wrong.push('must not be an empty string');
  const bad = unprintable.exec(text);
  if (bad) {
    const found = byteLength(text.slice(0, bad.index));
    wrong.push(`must only contain printable UTF-8 characters; non-printable character found at index ${found}`);
  }
  return wrong.map(each => invalidValue(at, text, each));
}
