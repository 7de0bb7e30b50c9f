import { goQuote } from '../../lib/go/go-text.js';

const texts: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** Status codes for which the body is the message. */
const verbatimCodes: ReadonlySet<number> = new Set([403, 406, 415]);

interface ServerRefusal {
  readonly message: string;
  readonly code: number;
}

/** Returns message and code of a Status in the body; undefined if it is not one. */
function statusOf(body: string, code: number): ServerRefusal | undefined {
  try {
    const value = JSON.parse(body) as {
      kind?: unknown;
      apiVersion?: unknown;
      status?: unknown;
      message?: unknown;
      code?: unknown;
    } | null;
    const isStatus = value?.kind === 'Status' && value.apiVersion === 'v1' && value.status !== 'Success';
    if (!isStatus || typeof value.message !== 'string') return undefined;
    return { message: value.message, code: typeof value.code === 'number' ? value.code : code };
  } catch {
    return undefined; // not JSON, so not a Status
  }
}

/** Returns client-go's message for an error status. */
// as apimachinery/pkg/api/errors NewGenericServerResponse
export function refusalOf(code: number, body: string): ServerRefusal {
  return statusOf(body, code) ?? { message: refusalText(code, body), code };
}

function refusalText(code: number, body: string): string {
  const text = body.trim();
  if (verbatimCodes.has(code)) return text === '' ? 'unknown' : text;
  const known = texts[code];
  if (known !== undefined) return known;
  if (code >= 500)
    return `an error on the server (${goQuote(text || 'unknown')}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}
