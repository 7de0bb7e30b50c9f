/**
 * Lists which top-level folder may import which (docs/architecture.md). A folder imports itself and the folders of its row; `*` is everything. The
 * order is from the bottom to the top: a row names only folders that stand above it in this list.
 */
export const layers: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  apimachinery: ['lib'],
  storage: ['lib'],
  openapi: ['lib', 'apimachinery'],
  api: ['lib', 'apimachinery', 'openapi/gen'],
  client: ['lib', 'apimachinery', 'api'],
  registry: ['lib', 'apimachinery', 'storage', 'openapi', 'api', 'client'],
  kinds: ['lib', 'apimachinery', 'openapi', 'api', 'client', 'registry'],
  admission: ['lib', 'apimachinery', 'openapi', 'api', 'client', 'registry', 'kinds'],
  authn: ['lib', 'apimachinery', 'openapi', 'api', 'client', 'registry', 'kinds', 'admission'],
  apiserver: ['lib', 'apimachinery', 'openapi', 'api', 'client', 'registry', 'kinds', 'admission', 'authn'],
  aggregation: [
    ...['lib', 'apimachinery', 'api', 'client', 'registry', 'kinds', 'authn/identity'],
    'apiserver/interface',
  ],
  scheduler: ['lib', 'apimachinery', 'api', 'client', 'kinds'],
  controllers: [
    ...['lib', 'apimachinery', 'openapi', 'api', 'client', 'registry', 'kinds', 'admission'],
    'aggregation/interface',
  ],
  server: [
    ...['lib', 'apimachinery', 'storage', 'openapi', 'api', 'client', 'registry', 'kinds', 'admission', 'authn'],
    ...['apiserver', 'aggregation', 'controllers'],
  ],
  simulator: [
    ...['lib', 'apimachinery', 'openapi', 'api', 'client', 'registry', 'kinds', 'admission', 'authn', 'apiserver'],
    ...['controllers', 'server'],
  ],
  cli: ['*'],
  bench: ['*'],
  tools: ['*'],
  test: ['*'],
};
