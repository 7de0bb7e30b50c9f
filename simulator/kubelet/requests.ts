/** Reads the requests of an API server to a kubelet. as pkg/kubelet/server */
import type { WantedStreams } from './remote-streams.js';

/** An answer that is an error, with a text as kubelets write it. */
export class RefusedRequest extends Error {
  readonly code: number;

  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

export interface ContainerPath {
  readonly action: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Returns undefined for another path. */
export function parseContainerPath(pathname: string): ContainerPath | undefined {
  const [, action = '', namespace = '', pod = '', container = '', ...more] = pathname
    .split('/')
    .map(decodeURIComponent);
  if (more.length > 0 || pod === '') return undefined;
  return { action, namespace, pod, container };
}

/**
 * Returns the streams that a client of `exec` or `attach` wants, by the parameters of a kubelet.
 * as k8s.io/kubelet/pkg/cri/streaming/remotecommand NewOptions
 */
export const wantedStreams = (params: URLSearchParams): WantedStreams => ({
  stdin: params.get('input') === '1',
  stdout: params.get('output') === '1',
  stderr: params.get('error') === '1',
  tty: params.get('tty') === '1',
});

export interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly tail: number | undefined;
  readonly limitBytes: number;
}

function numberOf(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new RefusedRequest(400, `Unable to decode query: ${name}`);
  return value;
}

/** Throws RefusedRequest. */
export function logOptions(params: URLSearchParams, now: number): LogOptions {
  const isTrue = (name: string): boolean => params.get(name) === 'true';
  const seconds = numberOf(params, 'sinceSeconds');
  const time = Date.parse(params.get('sinceTime') ?? '');
  const tail = numberOf(params, 'tailLines');
  return {
    ...{ follow: isTrue('follow'), previous: isTrue('previous'), timestamps: isTrue('timestamps') },
    since: seconds === undefined ? (Number.isNaN(time) ? 0 : time) : now - seconds * 1000,
    tail: tail === undefined ? undefined : Math.max(0, tail),
    limitBytes: numberOf(params, 'limitBytes') ?? Infinity,
  };
}
