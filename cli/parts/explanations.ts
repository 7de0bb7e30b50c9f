import { badRequest, methodNotAllowed, tooLarge } from '../../apimachinery/errors/status.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { RequestContext, RequestInfo } from '../../apiserver/interface.js';
import { resources } from '../../api/karmada/well-known.js';
import { isDeeperThan, maxDepth } from '../../lib/json/depth.js';
import { parseJson } from '../../lib/json/json.js';
import {
  memberAnswerOf,
  type MemberQuestion,
  estimateQueryOf,
  questionFault,
} from '../../scheduler/estimators/member-question.js';
import { Explanations } from '../../scheduler/explain/explanations.js';
import type { AnswerEstimates } from '../../scheduler/interface.js';
import type { Part } from '../../server/parts.js';
import { decisionOptions, type DecisionSettings } from './decision-options.js';

const explained: readonly GroupVersionResource[] = [resources.resourceBindings, resources.clusterResourceBindings];

const isOf = (
  { group, version, resource, subresource, parts, verbInPath }: RequestInfo,
  known: GroupVersionResource,
  wanted: string,
): boolean =>
  // A path below /watch/ is authorized as a watch.
  !verbInPath &&
  subresource === wanted &&
  parts.length === 3 &&
  known.group === group &&
  known.version === version &&
  known.resource === resource;

function answerJson(request: RequestContext, body: object): void {
  const headers = { ...request.answerHeaders(), 'content-type': 'application/json' };
  request.exchange.respond(200, headers, Buffer.from(`${JSON.stringify(body)}\n`));
}

async function serveExplanation(
  request: RequestContext,
  resource: GroupVersionResource,
  explanations: Explanations,
): Promise<void> {
  if (request.exchange.method !== 'GET') throw methodNotAllowed();
  const { namespace, name } = request.info;
  answerJson(request, await explanations.of(resource, { namespace, name }, request.signal));
}

/** Maximum length of a question about members. It has at most 256 KiB besides the names of clusters. */
const maxQuestionLength = 1024 * 1024;

/** Reads what is asked about members. Throws 400 for what is no question, and 413 for a large one. */
async function readQuestion({ wholeBody }: RequestContext): Promise<MemberQuestion> {
  const text = String(await wholeBody);
  if (text.length > maxQuestionLength) throw tooLarge(`limit is ${maxQuestionLength}`);
  if (isDeeperThan(text, maxDepth)) throw badRequest(`the body is nested deeper than ${maxDepth} levels`);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`the body is no JSON: ${error.message}`);
  }
  const fault = questionFault(value);
  if (fault !== undefined) throw badRequest(fault);
  return value as MemberQuestion;
}

async function serveEstimates(request: RequestContext, answer: AnswerEstimates): Promise<void> {
  if (request.exchange.method !== 'POST') throw methodNotAllowed();
  const query = estimateQueryOf(await readQuestion(request));
  answerJson(request, { kind: 'MemberEstimates', ...memberAnswerOf(await answer(query, request.signal)) });
}

/**
 * Serves the subresource `explanation` of bindings: the decision that the scheduler would make now, with its reasons. `answer`: the estimates of members,
 * which clients may ask for by POST to the subresource `estimates` of the clusters `*`; absent if none are asked.
 */
export const explanations = (settings: DecisionSettings, answer?: AnswerEstimates): Part => ({
  name: 'scheduling-explanations',
  start(part) {
    const client = part.clientFor({ name: 'system:karmada-scheduler', groups: ['system:authenticated'] });
    const source = new Explanations({ client, options: decisionOptions(part.featureGates, settings), answer });
    return Promise.resolve({
      delegates: [
        (info: RequestInfo) => {
          const resource = explained.find(known => isOf(info, known, 'explanation'));
          return resource && ((request: RequestContext) => serveExplanation(request, resource, source));
        },
        (info: RequestInfo) =>
          answer && info.name === '*' && isOf(info, resources.clusters, 'estimates')
            ? (request: RequestContext) => serveEstimates(request, answer)
            : undefined,
      ],
      stop: () => Promise.resolve(),
    });
  },
});
