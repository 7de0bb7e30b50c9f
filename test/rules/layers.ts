/** The plan of the house (docs/architecture.md): which folder may import which. `*`: everything. */
export const layers: Readonly<Record<string, readonly string[]>> = {
  collections: [],
  lib: [],
  openapi: ['lib'],
  http2: ['lib'],
  storage: ['collections', 'lib', 'http2'],
  registry: ['collections', 'lib', 'openapi', 'storage'],
  authn: ['lib', 'openapi', 'registry'],
  aggregation: ['lib', 'openapi', 'registry', 'authn', 'apiserver/interface', 'client/runtime'],
  controllers: ['lib', 'openapi', 'registry', 'aggregation', 'lib/clock'],
  scheduler: ['lib', 'openapi', 'registry', 'client/runtime'],
  apiserver: ['collections', 'lib', 'openapi', 'registry', 'authn', 'http2'],
  simulator: ['lib', 'openapi', 'registry', 'apiserver', 'controllers', 'authn'],
  cli: ['*'],
  bench: ['*'],
  test: ['*'],
  tools: ['*'],
};

/** Composition roots wire everything and contain no behaviour. */
export const roots: readonly string[] = ['server'];
