/** Validates expressions that select devices. as dynamic-resource-allocation/cel compile.go */
import { type Compiled, compile } from '../../../openapi/cel/environment.js';
import type { Sizes } from '../../../lib/cel/checker/node-sizes.js';
import * as t from '../../../lib/cel/types.js';
import type { Field } from '../../shared/rules/field.js';
import type { DeviceSelector } from '../../../api/kubernetes/resource.js';
import { maxDomainLength } from './names.js';

const maxExpressionLength = 10 * 1024;
const maxCost = 1_000_000;
const maxEntries = 32;

/** Sizes of texts are in bytes: four per character. */
const characters = (count: number): Sizes => ({ max: count * 4 });
const mapSizes = (items: Sizes): Sizes => ({
  ...{ max: maxEntries, keys: characters(maxDomainLength) },
  items: { max: maxEntries, keys: characters(32), items },
});

const fields: Readonly<Record<string, readonly [type: t.Type, sizes: Sizes]>> = {
  driver: [t.string, characters(63)],
  allowMultipleAllocations: [t.bool, { max: 1 }],
  attributes: [t.map(t.string, t.map(t.string, t.dyn)), mapSizes({ max: 64 })],
  capacity: [t.map(t.string, t.map(t.string, t.opaque('kubernetes.Quantity'))), mapSizes({ max: 0 })],
};

const device: t.Type = { kind: 'object', name: 'kubernetes.DRADevice', field: name => fields[name]?.[0] };
const sizes: Sizes = { max: 0, field: name => fields[name]?.[1] };
const variables = new Map([['device', device]]);

function wrongType({ type }: Compiled): string | undefined {
  if (type.kind === 'bool' || type.kind === 'dyn') return undefined;
  return `must evaluate to bool or the unknown type, not ${t.typeText(type)}`;
}

function expression(field: Field<string>): void {
  const source = field.value ?? '';
  if (Buffer.byteLength(source) > maxExpressionLength) {
    field.tooLong(maxExpressionLength);
    return;
  }
  const compiled = compile(source, variables);
  if ('issues' in compiled) field.invalid(`compilation failed: ${compiled.issues}`, source);
  else if ('instantiation' in compiled) field.internal(`program instantiation failed: ${compiled.instantiation}`);
  else {
    const wrong = wrongType(compiled);
    if (wrong !== undefined) field.invalid(wrong, source);
    else if (compiled.estimate(name => (name === 'device' ? sizes : undefined)).max > maxCost)
      field.forbidden('too complex, exceeds cost limit');
  }
}

/** Validates a selector of devices, which must be an expression in CEL. */
export function deviceSelector(selector: Field<DeviceSelector>): void {
  const cel = selector.at('cel');
  if (cel.isSet) expression(cel.at('expression'));
  else cel.required();
}
