import type { Member } from '../interface.js';
import { BadAnswer } from '../remote/bad-answer.js';
import { receivedFailure } from '../remote/failure.js';
import { readBounded, type Refuse } from '../remote/read-json.js';
import { receivedObject } from '../remote/received-object.js';

/** Maximum bytes of an answer that is read whole: one object, the values of one metric, a list of metrics. */
const maxBytes = 4 * 1024 * 1024;

/** Returns a function that throws BadAnswer for an answer to this path. */
export const refuseFor =
  ({ endpoint }: Member, path: string): Refuse =>
  fault => {
    throw new BadAnswer(`GET ${endpoint.server}${path.split('?')[0]}`, fault);
  };

/** Reads an object or a list of a member. Rejects with the member's error, or with BadAnswer. */
export async function memberDocument(member: Member, path: string, signal: AbortSignal): Promise<unknown> {
  const { status, body } = await member.client.raw({ method: 'GET', path, signal, maxBytes });
  if (status !== 200) throw receivedFailure(status, body);
  return readBounded(body, refuseFor(member, path));
}

/** Reads one object of a member. */
export async function memberObject(member: Member, path: string, signal: AbortSignal) {
  return receivedObject(await memberDocument(member, path, signal), refuseFor(member, path));
}
