import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import type { Reachability } from '../reachability.js';
import { type ControlFailure, membersPath, type MemberStatus } from './interface.js';

interface Call {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly body?: Reachability;
}

/**
 * Returns the text of the answer. Rejects with the system's error when nothing listens on the socket, and with the server's message for an
 * error.
 */
async function call(file: string, { method, path, body }: Call): Promise<string> {
  const request = http.request({ socketPath: file, method, path, agent: false });
  request.end(body && JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const answer = await text(response);
  const { statusCode = 0 } = response;
  if (statusCode >= 200 && statusCode < 300) return answer;
  throw new Error((JSON.parse(answer) as ControlFailure).message);
}

/** Returns the members of the process that listens on the socket, and their reachability. */
export const listMembers = async (file: string): Promise<readonly MemberStatus[]> =>
  JSON.parse(await call(file, { method: 'GET', path: membersPath })) as readonly MemberStatus[];

/** Sets the reachability of a member; resolves when it is in effect. */
export async function reachMember(file: string, name: string, reachability: Reachability): Promise<void> {
  await call(file, { method: 'PUT', path: `${membersPath}/${encodeURIComponent(name)}`, body: reachability });
}
