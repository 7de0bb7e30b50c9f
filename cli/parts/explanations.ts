import { methodNotAllowed } from '../../apimachinery/errors/status.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { RequestContext, RequestInfo } from '../../apiserver/interface.js';
import { resources } from '../../api/karmada/well-known.js';
import { Explanations } from '../../scheduler/explain/explanations.js';
import type { Part } from '../../server/parts.js';
import { decisionOptions, type DecisionSettings } from './decision-options.js';

const explained: readonly GroupVersionResource[] = [resources.resourceBindings, resources.clusterResourceBindings];

/** Returns the kind of binding whose explanation a request asks for. */
const resourceOf = ({ group, version, resource, subresource, parts }: RequestInfo): GroupVersionResource | undefined =>
  subresource === 'explanation' && parts.length === 3
    ? explained.find(known => known.group === group && known.version === version && known.resource === resource)
    : undefined;

async function serveExplanation(
  request: RequestContext,
  resource: GroupVersionResource,
  explanations: Explanations,
): Promise<void> {
  if (request.exchange.method !== 'GET') throw methodNotAllowed();
  const { namespace, name } = request.info;
  const explanation = await explanations.of(resource, { namespace, name });
  const headers = { ...request.answerHeaders(), 'content-type': 'application/json' };
  request.exchange.respond(200, headers, Buffer.from(`${JSON.stringify(explanation)}\n`));
}

/** Serves the subresource `explanation` of bindings: the decision that the scheduler would make now, with its reasons. */
export const explanations = (settings: DecisionSettings): Part => ({
  name: 'scheduling-explanations',
  start(part) {
    const client = part.clientFor({ name: 'system:karmada-scheduler', groups: ['system:authenticated'] });
    const source = new Explanations({ client, options: decisionOptions(part.featureGates, settings) });
    return Promise.resolve({
      delegates: [
        (info: RequestInfo) => {
          const resource = resourceOf(info);
          return resource && ((request: RequestContext) => serveExplanation(request, resource, source));
        },
      ],
      stop: () => Promise.resolve(),
    });
  },
});
