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

/** The text of the answer. Rejects with the system's error when nothing listens at the socket, and with what the server says is wrong. */
async function call(file: string, { method, path, body }: Call): Promise<string> {
  const request = http.request({ socketPath: file, method, path, agent: false });
  request.end(body && JSON.stringify(body));
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const said = await text(response);
  const { statusCode = 0 } = response;
  if (statusCode >= 200 && statusCode < 300) return said;
  throw new Error((JSON.parse(said) as ControlFailure).message);
}

/** The members of the process that listens at the socket, and how they can be reached. */
export const listMembers = async (file: string): Promise<readonly MemberStatus[]> =>
  JSON.parse(await call(file, { method: 'GET', path: membersPath })) as readonly MemberStatus[];

/** Makes a member fail, or well again; resolves when it is so. */
export async function reachMember(file: string, name: string, reachability: Reachability): Promise<void> {
  await call(file, { method: 'PUT', path: `${membersPath}/${encodeURIComponent(name)}`, body: reachability });
}
