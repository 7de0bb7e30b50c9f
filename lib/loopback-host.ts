/** Reports whether only this machine reaches a host: a loopback address, or `localhost`. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');
