/** The plan of the house (docs/architecture.md): which folder may import which. `*`: everything. */
export const layers: Readonly<Record<string, readonly string[]>> = {
  collections: [],
  openapi: [],
  http2: [],
  storage: ['collections', 'http2'],
  registry: ['collections', 'openapi', 'storage'],
  authn: ['openapi', 'registry'],
  aggregation: ['openapi', 'registry', 'authn', 'apiserver/interface', 'controllers/runtime'],
  controllers: ['openapi', 'registry', 'aggregation', 'storage/clock'],
  scheduler: ['openapi', 'registry', 'controllers/runtime'],
  apiserver: ['collections', 'openapi', 'registry', 'authn', 'http2'],
  simulator: ['openapi', 'registry', 'apiserver', 'controllers', 'authn'],
  cli: ['*'],
  bench: ['*'],
  test: ['*'],
  tools: ['*'],
};

/** Composition roots wire everything and contain no behaviour. */
export const roots: readonly string[] = ['apiserver/main'];
