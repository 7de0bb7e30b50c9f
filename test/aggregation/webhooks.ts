/** Real webhooks over HTTPS, with their own CA. */
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { createAuthority, issueServing } from '../../authn/pki/authority.js';

type Plain = Record<string, unknown>;

export interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, other values as JSON. */
  readonly body?: unknown;
  /** Requests are never answered. */
  readonly silent?: boolean;
}

export interface Webhook {
  readonly url: string;
  readonly port: number;
  /** Base64 of the PEM. */
  readonly caBundle: string;
  /** Reviews that were received, with their paths, oldest first. */
  readonly calls: { readonly path: string; readonly body: Plain }[];
  answer(review: Plain, path: string): Reply | Promise<Reply>;
}

const made = createAuthority('webhooks');

export async function startWebhook(
  t: Test,
  answer: Webhook['answer'],
  hosts: readonly string[] = ['127.0.0.1'],
): Promise<Webhook> {
  const authority = await made;
  const { certificate, key } = await issueServing(authority, hosts);
  const server = https.createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // An error in the answer function of a test is sent to the caller of the webhook.
      answered(Buffer.concat(chunks), request.url ?? '').then(
        reply => {
          if (reply.silent) return;
          const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? '');
          response.writeHead(reply.status ?? 200, {
            'content-type': reply.type ?? 'application/json',
            ...reply.headers,
          });
          response.end(text);
        },
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  async function answered(bytes: Buffer, path: string): Promise<Reply> {
    const body = JSON.parse(bytes.toString()) as Plain;
    webhook.calls.push({ path, body });
    return webhook.answer(body, path);
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const webhook: Webhook = {
    ...{ url: `https://127.0.0.1:${port}`, port, calls: [], answer },
    caBundle: Buffer.from(authority.certificate).toString('base64'),
  };
  return webhook;
}

/** Returns an AdmissionReview that answers the review. */
export function admissionAnswer(review: Plain, response: Plain = { allowed: true }): Reply {
  const { uid } = review['request'] as { uid: string };
  return { body: { apiVersion: review['apiVersion'], kind: 'AdmissionReview', response: { uid, ...response } } };
}

export const patchAnswer = (review: Plain, patch: readonly object[]): Reply =>
  admissionAnswer(review, {
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
  });
