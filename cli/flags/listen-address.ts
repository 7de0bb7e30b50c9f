import { invalidFlag } from './flags.js';

export interface ListenAddress {
  /** Absent: all addresses. */
  readonly host?: string;
  readonly port: number;
}

const maxPort = 65_535;

/** Returns the port. Throws UsageError if it is none. */
export function parsePort(flag: string, port: number): number {
  if (port < 0 || port > maxPort)
    throw invalidFlag(flag, port, `must be a valid port between 0 and ${maxPort} inclusive`);
  return port;
}

/** Parses `HOST:PORT`, `:PORT`, `[::1]:PORT`. Throws UsageError. */
export function parseListenAddress(flag: string, text: string): ListenAddress {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > maxPort)
    throw invalidFlag(flag, text, `want HOST:PORT, with a port up to ${maxPort}`);
  const host = bracketed ?? plain ?? '';
  return { ...(host !== '' && { host }), port: Number(port) };
}
