import type { RequestContext } from '../../apiserver/interface.js';

/** Responds with an error as a plain text. as net/http Error */
export function respondError(context: RequestContext, code: number, text: string): void {
  const headers = {
    ...context.answerHeaders(),
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  };
  context.exchange.respond(code, headers, Buffer.from(`${text}\n`));
}
