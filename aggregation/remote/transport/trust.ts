/** TLS contexts, whose certificate authorities are read in several turns of the event loop. */
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { type InSteps, inTimeSlices } from '../../../lib/time-slice.js';
import type { Maybe } from '../../../lib/maybe.js';

/** Certificates that OpenSSL reads at once, in a fifth of a millisecond each. */
const certificatesPerStep = 8;

export interface TrustedContext {
  readonly secureContext: SecureContext;
  /** Resolves when all certificate authorities have been read; connections must not be opened before. */
  readonly ready: Maybe<void>;
}

/** Splits a bundle in PEM where blocks begin. A text without blocks is one piece. */
function piecesOf(bundle: string): string[] {
  const blocks = bundle.split(/^(?=-----BEGIN )/m);
  const pieces: string[] = [];
  for (let i = 0; i < blocks.length; i += certificatesPerStep)
    pieces.push(blocks.slice(i, i + certificatesPerStep).join(''));
  return pieces;
}

function* addSteps({ context }: SecureContext, pieces: readonly string[]): InSteps<void> {
  // Node.js has no other function that adds an authority to a context; createSecureContext itself calls it for each item of `ca`.
  const handle = context as { addCACert(pem: string): void };
  for (const piece of pieces) {
    yield;
    handle.addCACert(piece);
  }
}

/**
 * Makes a TLS context. Throws as `createSecureContext`, for invalid options. As in Go, an invalid certificate does not keep the later ones of the bundle
 * from being trusted, unless they are among the same eight.
 */
export function trustOf({
  ca = '',
  ...options
}: Omit<SecureContextOptions, 'ca'> & { readonly ca?: string }): TrustedContext {
  const [first = '', ...more] = piecesOf(ca);
  const secureContext = createSecureContext({ ...options, ...(first !== '' && { ca: first }) });
  if (more.length === 0) return { secureContext, ready: undefined };
  const ready = inTimeSlices(addSteps(secureContext, more));
  // Connections report the error; there may be none.
  if (ready instanceof Promise) ready.catch(() => undefined);
  return { secureContext, ready };
}
