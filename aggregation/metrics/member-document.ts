import type { Member } from '../interface.js';
import { BadAnswer } from '../remote/bad-answer.js';
import { receivedFailure } from '../remote/failure.js';
import { readBounded, type Refuse } from '../remote/read-json.js';
import { receivedObject } from '../remote/received-object.js';

/** Maximum bytes of an answer that is read whole: one object, the values of one metric, a list of metrics. */
const maxBytes = 4 * 1024 * 1024;

/** Maximum number of JSON values in the metrics of one object, which are read at once. */
export const maxMetricsValues = 10_000;

/** Returns a function that throws BadAnswer for an answer to this path. */
export const refuseFor =
  ({ endpoint }: Member, path: string): Refuse =>
  fault => {
    throw new BadAnswer(`GET ${endpoint.server}${path.split('?')[0]}`, fault);
  };

/** Reads the answer of a member. Rejects with the member's error. */
async function memberBytes(member: Member, path: string, signal: AbortSignal): Promise<Buffer> {
  const { status, body } = await member.client.raw({ method: 'GET', path, signal, maxBytes });
  if (status !== 200) throw receivedFailure(status, body);
  return body;
}

/** Reads a list of a member. `take` is called with its bytes. Rejects with the member's error, or with BadAnswer. */
export async function memberDocument(
  member: Member,
  path: string,
  signal: AbortSignal,
  take: (bytes: number) => void = () => undefined,
): Promise<unknown> {
  const bytes = await memberBytes(member, path, signal);
  take(bytes.length);
  return readBounded(bytes, refuseFor(member, path));
}

/** Reads the metrics of one object of a member. */
export async function memberObject(member: Member, path: string, signal: AbortSignal) {
  const refuse = refuseFor(member, path);
  return receivedObject(await readBounded(await memberBytes(member, path, signal), refuse, maxMetricsValues), refuse);
}
