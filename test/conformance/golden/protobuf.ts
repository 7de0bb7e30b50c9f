import { decodeProtobuf, encodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import { canonical } from '../../../apimachinery/codec/canonical.js';
import { check } from './check.js';

interface Input {
  readonly gvk: string;
  readonly json: Record<string, unknown>;
}

interface Output {
  readonly protobuf: string;
}

const decoded = ({ protobuf }: Output): Record<string, unknown> =>
  decodeProtobuf(Buffer.from(protobuf, 'base64'), { apiVersion: '', kind: '' });

const versionOf = (object: unknown): string | undefined =>
  (object as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion;

/** Returns whether both recordings are of the same state of the object. Controllers changed a few objects in between. */
function oneObject(input: Input, output: Output): boolean {
  const [ours, theirs] = [versionOf(input.json), versionOf(decoded(output))];
  return ours === undefined || theirs === undefined || ours === theirs;
}

export const protobufWritten = check<Input, Output>({
  area: 'protobuf',
  part: 'written',
  covers: oneObject,
  compare: (input, output) => ({ want: output.protobuf, got: encodeProtobuf(input.json).toString('base64') }),
});

export const protobufRead = check<Input, Output>({
  area: 'protobuf',
  part: 'read',
  covers: oneObject,
  compare(input, output) {
    const [version = '', group = ''] = input.gvk.split('/').slice(0, -1).reverse();
    const schema = nativeSchemaFor({ group, version, kind: input.gvk.split('/').at(-1) ?? '' });
    if (!schema) return { want: input.gvk, got: 'no such kind' };
    return { want: canonical(input.json, schema).object, got: canonical(decoded(output), schema).object };
  },
});

/** Objects are written back to the bytes that they were read from, also if the two recordings differ. */
export const protobufBothWays = check<Input, Output>({
  area: 'protobuf',
  part: 'read and written',
  compare: (_, output) => ({ want: output.protobuf, got: encodeProtobuf(decoded(output)).toString('base64') }),
});
