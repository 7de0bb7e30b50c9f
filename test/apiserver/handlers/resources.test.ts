import { Registry } from 'prom-client';
import t from 'tap';
import { resourceRequests } from '../../../apiserver/handlers/resources.js';
import { pageNotFound } from '../../../apiserver/http/answer.js';
import { openOffload } from '../../../server/offload.js';
import { parseQuery } from '../../../apiserver/http/query.js';
import { requestInfo } from '../../../apiserver/http/request-info.js';
import type { Request } from '../../../apiserver/http/request.js';
import { serverMetrics } from '../../../apiserver/metrics/request-metrics.js';
import { FanOutGroups } from '../../../apiserver/handlers/fan-out.js';
import { FrameCache } from '../../../apiserver/negotiate/frames.js';
import { Encodings } from '../../../apiserver/negotiate/protobuf/encodings.js';
import { allowAll } from '../allow-all.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import { createCatalogue } from '../../../registry/catalogue/catalogue.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';
import { createPipeline } from '../../../registry/pipeline/pipeline.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { temporaryFolder } from '../running.js';

t.test('unknown paths get 503 until all kinds are served', async t => {
  const backend = await openEmbedded({ directory: await temporaryFolder(t) });
  t.teardown(() => backend.close());
  const catalogue = createCatalogue(nativeDefinitions());
  const pipeline = createPipeline({ catalogue, backend });
  t.teardown(() => pipeline.close());
  let complete = false;
  const serve = resourceRequests({
    ...{
      catalogue,
      pipeline,
      authorize: allowAll,
      frames: new FrameCache(),
      fanOutGroups: new FanOutGroups(),
      offload: openOffload(),
      now: () => new Date(),
      random: () => 0.5,
    },
    metrics: serverMetrics(new Registry()),
    encodings: new Encodings(),
    minRequestTimeoutMs: 1000,
    delegates: [],
    connectFor: () => undefined,
    isComplete: () => complete,
    paths: () => {
      throw pageNotFound();
    },
  });
  const ask = (path: string): unknown => {
    const info = requestInfo('GET', path, parseQuery(''));
    try {
      return serve({ info, exchange: { method: 'GET' } } as Request);
    } catch (error) {
      return error instanceof StatusError ? error.status : error;
    }
  };
  for (const path of ['/apis/later.example.com/v1/things', '/apis/later.example.com', '/nothing']) {
    complete = false;
    t.match(ask(path), { code: 503, details: { retryAfterSeconds: 5 } }, path);
    complete = true;
    t.match(ask(path), { code: 404, message: '404 page not found' }, path);
  }
  complete = false;
  t.match(ask('/api/v1/nothings'), { code: 404, reason: 'NotFound' }, 'built-in kinds are known from the start');
});
