import { once } from 'node:events';
import fs from 'node:fs/promises';
import http from 'node:http';
import process from 'node:process';
import { errorText } from '../../apimachinery/errors/error-text.js';
import type { Fleet } from '../fleet.js';
import { parseReachability } from '../reachability.js';
import { type ControlFailure, membersPath, type MemberStatus } from './interface.js';

/** Bytes of a request body; a `Reachability` has a few dozen. */
const maxBody = 4096;

class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

async function bodyOf(request: http.IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > maxBody) throw new Refusal(413, 'the body is too long');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'the body is not JSON');
  }
}

async function handle(fleet: Fleet, request: http.IncomingMessage): Promise<readonly MemberStatus[] | undefined> {
  const { method = '', url = '' } = request;
  if (method === 'GET' && url === membersPath)
    return fleet.members.map(({ name, url }) => {
      return { name, url, reachability: fleet.reachability.get(name) ?? { state: 'running' } };
    });
  if (method !== 'PUT' || !url.startsWith(`${membersPath}/`)) throw new Refusal(404, `no such path: ${method} ${url}`);
  const name = decodeURIComponent(url.slice(membersPath.length + 1));
  if (!fleet.reachability.has(name)) throw new Refusal(404, `there is no member "${name}"`);
  const body = await bodyOf(request);
  try {
    await fleet.setReachability(name, parseReachability(body));
  } catch (error) {
    throw new Refusal(422, errorText(error));
  }
  return undefined;
}

function answer(response: http.ServerResponse, code: number, body?: readonly MemberStatus[] | ControlFailure): void {
  response.writeHead(code, { 'content-type': 'application/json', connection: 'close' });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

/** Opens the socket for its owner only. The mask is set while `listen` creates the file, so no other mode ever applies. */
function listenPrivately(server: http.Server, file: string): Promise<unknown> {
  const listening = once(server, 'listening');
  const mask = process.umask(0o177);
  try {
    server.listen(file);
  } finally {
    process.umask(mask);
  }
  return listening;
}

/**
 * Lets other processes of this user control the members through the socket `file`; a socket that a crashed process left is replaced. Resolves
 * with the function that ends it. Rejects with the system's error, for example when the path is too long for a socket.
 */
export async function serveControl(fleet: Fleet, file: string): Promise<() => Promise<void>> {
  const server = http.createServer((request, response) => {
    handle(fleet, request).then(
      body => answer(response, body ? 200 : 204, body),
      (error: unknown) => {
        const code = error instanceof Refusal ? error.code : 500;
        answer(response, code, { message: errorText(error) });
      },
    );
  });
  await fs.rm(file, { force: true });
  await listenPrivately(server, file);
  return async () => {
    const closed = once(server, 'close');
    server.close(); // removes the file
    server.closeAllConnections();
    await closed;
  };
}
