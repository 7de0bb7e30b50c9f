/** Asks an HTTP proxy for a tunnel, by the method CONNECT. as net/http Transport.dialConn */
import { isIPv6 } from 'node:net';
import { fieldName, invalidFieldValue } from '../../../../lib/http2/field-rules.js';
import { ExpectedError } from '../../../../lib/logging/cause.js';
import { type Handshake, proxyFault } from './handshake.js';
import type { Destination } from './interface.js';

/** Maximum bytes of the head of an answer. as node:http maxHeaderSize */
const maxHeadBytes = 16 * 1024;
/** Maximum number of interim answers (1xx) before the answer. */
const maxInterim = 5;
/** Maximum characters of a refusal's text. */
const maxText = 100;

/** Headers that the request for a tunnel has itself, or that would give it a body. as net/http reqWriteExcludeHeader */
const own: ReadonlySet<string> = new Set(['host', 'content-length', 'transfer-encoding', 'trailer']);

const statusLine = /^HTTP\/1\.[01] ([1-9]\d\d)(?: ([^\r\n]*))?\r\n/;

/**
 * Returns the lines of the headers: a value is a list with commas, of which each is a line. as karmada pkg/util/proxy ParseProxyHeaders. Throws an
 * ExpectedError for what no header can hold.
 */
export function proxyHeaderLines(headers: Readonly<Record<string, string>>): string {
  let lines = '';
  for (const [name, list] of Object.entries(headers)) {
    if (!fieldName.test(name.toLowerCase()) || invalidFieldValue.test(list))
      throw new ExpectedError(`invalid proxy header ${JSON.stringify(name)}`);
    if (own.has(name.toLowerCase())) continue;
    for (const value of list.split(',')) lines += `${name}: ${value.trim()}\r\n`;
  }
  return lines;
}

const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, maxText);

/** Asks for a tunnel. Resolves when it is open; rejects if the proxy refuses it. `lines`: further headers. */
export async function connectThroughHttp(
  handshake: Handshake,
  { host, port }: Destination,
  lines: string,
): Promise<void> {
  const to = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  handshake.send(Buffer.from(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n${lines}\r\n`, 'latin1'));
  for (let i = 0; i <= maxInterim; i++) {
    const head = (await handshake.upTo('\r\n\r\n', maxHeadBytes)).toString('latin1');
    const [, code = '', text = ''] = statusLine.exec(head) ?? [];
    if (code === '') throw proxyFault('the proxy answered with malformed HTTP');
    const status = Number(code);
    if (status >= 200 && status < 300) return;
    if (status >= 200) throw proxyFault(`the proxy refused a tunnel to ${to}: ${code} ${printable(text)}`.trimEnd());
  }
  throw proxyFault('the proxy sent too many interim answers');
}
