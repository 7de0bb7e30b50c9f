/** The pure functions of priority and fairness. */
import t from 'tap';
import { allocate } from '../../../apiserver/flow/allocate.js';
import { danglingCondition } from '../../../apiserver/flow/dangling.js';
import { DemandStatistics } from '../../../apiserver/flow/demand.js';
import { estimator } from '../../../apiserver/flow/estimate.js';
import { FlowControl } from '../../../apiserver/flow/flow-control.js';
import { flowPlanOf } from '../../../apiserver/flow/plan.js';
import { retryAfter } from '../../../apiserver/flow/retry-after.js';
import { deal, flowEntropy } from '../../../apiserver/flow/shuffle-shard.js';
import { watchCount } from '../../../apiserver/flow/watch-count.js';
import { parseQuery } from '../../../apiserver/http/query.js';
import { requestInfo } from '../../../apiserver/http/request-info.js';
import { bootstrapTables } from '../../../authn/bootstrap/tables.js';
import type { FlowSchema, PriorityLevelConfiguration } from '../../../api/kubernetes/flowcontrol.js';

const { flowSchemas, priorityLevels } = bootstrapTables();
const objects = <T>(specs: Readonly<Record<string, unknown>>): T[] =>
  Object.entries(specs).map(([name, spec]) => ({ metadata: { name, uid: `uid-${name}` }, spec }) as T);
const schemas = objects<FlowSchema>(flowSchemas);
const levels = objects<PriorityLevelConfiguration>(priorityLevels);

t.test('hands of queues have no duplicates, and cover all queues', async t => {
  const seen = new Set<number>();
  for (let i = 0; i < 2000; i++) {
    const hand = deal(flowEntropy('schema', `flow-${i}`), 16, 4);
    if (new Set(hand).size !== 4) t.fail(`a duplicate: ${hand.join()}`);
    for (const card of hand) seen.add(card);
  }
  t.equal(seen.size, 16);
  t.same(deal(0n, 5, 3), [0, 1, 2]);
  t.same(deal(4n + 5n * 3n, 5, 3), [4, 3, 0]);
});

t.test('allocation', async t => {
  const claim = (lower: number, upper: number, target: number) => ({ lower, upper, target });
  const cases = [
    {
      name: 'in proportion to the targets',
      total: 30,
      claims: [claim(0, 100, 10), claim(0, 100, 20)],
      expect: [10, 20],
    },
    { name: 'an upper bound', total: 30, claims: [claim(0, 5, 10), claim(0, 100, 10)], expect: [5, 25] },
    { name: 'a lower bound', total: 30, claims: [claim(20, 100, 20), claim(0, 100, 100)], expect: [20, 10] },
    {
      name: 'less than the sum of the lower bounds',
      total: 5,
      claims: [claim(4, 9, 4), claim(4, 9, 4)],
      expect: [4, 4],
    },
    {
      name: 'more than the sum of the upper bounds',
      total: 50,
      claims: [claim(0, 9, 4), claim(0, 8, 4)],
      expect: [9, 8],
    },
    { name: 'no demand', total: 10, claims: [claim(0, 10, 0), claim(0, 10, 0)], expect: [5, 5] },
  ];
  for (const { name, total, claims, expect } of cases)
    t.same(
      allocate(total, claims).seats.map(seats => Math.round(seats * 1000) / 1000),
      expect,
      name,
    );
});

t.test('demand', async t => {
  const demand = new DemandStatistics(0);
  demand.set(4, 10);
  demand.set(0, 20);
  t.same(demand.take(40), { max: 4, average: 1, deviation: Math.sqrt(3) });
  t.same(demand.take(50), { max: 0, average: 0, deviation: 0 });
});

t.test('the default priority levels and their seats', async t => {
  const plan = flowPlanOf(schemas, levels, 600);
  t.same(
    plan.schemas.map(({ name }) => name),
    [
      ...['exempt', 'probes', 'system-leader-election', 'system-node-high', 'system-nodes'],
      ...['kube-controller-manager', 'kube-scheduler', 'kube-system-service-accounts', 'service-accounts'],
      ...['global-default', 'catch-all'],
    ],
  );
  const seats = Object.fromEntries(
    plan.levels.map(({ name, nominal, minSeats, maxRequestSeats }) => [name, [nominal, minSeats, maxRequestSeats]]),
  );
  // as reported by a kube-apiserver with default limits: apiserver_flowcontrol_nominal_limit_seats, _lower_limit_seats
  t.same(seats, {
    exempt: [0, 0, undefined],
    'catch-all': [13, 13, undefined],
    'global-default': [49, 24, 8],
    'leader-election': [25, 25, 4],
    'node-high': [98, 73, 15],
    system: [74, 50, 12],
    'workload-high': [98, 49, 15],
    'workload-low': [245, 24, 37],
  });
});

t.test('a schema without its level is ignored; mandatory objects always exist', async t => {
  const plan = flowPlanOf(
    schemas.slice(1),
    levels.filter(({ metadata }) => metadata.name !== 'workload-low'),
    600,
  );
  t.notOk(plan.schemas.some(({ name }) => name === 'service-accounts'));
  t.equal(
    flowPlanOf([], [], 10)
      .schemas.map(({ name }) => name)
      .join(),
    'exempt,catch-all',
  );
});

t.test('requests are classified by flow schemas', async t => {
  const control = new FlowControl(600, () => 0);
  control.configure(schemas, levels);
  const users = {
    admin: ['admin', ['system:masters', 'system:authenticated']],
    anybody: ['jane', ['system:authenticated']],
    stranger: ['system:anonymous', ['system:unauthenticated']],
    account: ['system:serviceaccount:ns:bot', ['system:serviceaccounts', 'system:authenticated']],
    nobody: ['x', []],
  } as const;
  const flow = (user: keyof typeof users, what: string): string => {
    const [name, groups] = users[user];
    const [method = '', path = ''] = what.split(' ');
    const { schema } = control.flowOf({ name, groups }, requestInfo(method, path, parseQuery('')));
    return `${schema.name} ${schema.level}`;
  };
  t.equal(flow('admin', 'GET /api/v1/pods'), 'exempt exempt');
  t.equal(flow('anybody', 'GET /api/v1/pods'), 'global-default global-default');
  t.equal(flow('stranger', 'GET /readyz'), 'probes exempt');
  t.equal(flow('stranger', 'GET /api/v1/pods'), 'global-default global-default');
  t.equal(flow('account', 'GET /api/v1/pods'), 'service-accounts workload-low');
  t.equal(flow('nobody', 'GET /api/v1/pods'), 'catch-all catch-all');
});

t.test('seats are borrowed by levels with demand, and given back', async t => {
  let now = 0;
  const control = new FlowControl(600, () => now);
  control.configure(schemas, levels);
  const low = control.levels.get('workload-low');
  const global = control.levels.get('global-default');
  if (!low || !global) return t.fail('levels');
  global.set.demand.set(300, now);
  now += 10_000;
  control.adjust();
  t.ok(global.set.limit > 200, `borrowed: ${global.set.limit}`);
  t.ok(low.set.limit >= low.plan.minSeats);
  const total = [...control.levels.values()]
    .filter(({ plan }) => !plan.exempt)
    .reduce((sum, { set }) => sum + set.limit, 0);
  t.ok(Math.abs(total - 602) < 5, `all together: ${total}`);
  global.set.demand.set(0, now);
  low.set.demand.set(300, now);
  now += 10_000;
  control.adjust();
  t.ok(low.set.limit >= low.plan.nominal, `given back: ${low.set.limit}`);
});

t.test('the estimated seats of a request', async t => {
  const watches = watchCount();
  const { estimate, record } = estimator(watches);
  const info = (what: string) => {
    const [method = '', url = ''] = what.split(' ');
    const [path = '', query = ''] = url.split('?');
    const parsed = parseQuery(query);
    return [requestInfo(method, path, parsed), parsed] as const;
  };
  const seats = (what: string, maxSeats?: number) => estimate(...info(what), maxSeats);
  t.same(
    seats('GET /api/v1/pods'),
    { seats: 1, finalSeats: 0, latency: 0 },
    'without knowledge of the number of objects',
  );
  record(...info('GET /api/v1/pods'), 450_000);
  t.equal(seats('GET /api/v1/pods').seats, 5);
  t.equal(seats('GET /api/v1/pods', 2).seats, 2, 'at most the maximum of the level');
  t.equal(seats('GET /api/v1/pods?watch=1').seats, 5, 'a watch with initial events');
  t.equal(seats('GET /api/v1/pods?watch=1&resourceVersion=5').seats, 1);
  t.equal(seats('GET /api/v1/pods?limit=10').seats, 1, 'with a limit');
  record(...info('GET /api/v1/pods'), 50_000_000);
  t.equal(seats('GET /api/v1/pods').seats, 10, 'the maximum');
  const ends = Array.from({ length: 25 }, () => watches.add(info('GET /api/v1/pods?watch=1')[0]));
  t.same(seats('POST /api/v1/namespaces/a/pods'), { seats: 1, finalSeats: 3, latency: 5 });
  t.same(seats('POST /api/v1/namespaces/a/pods', 1), { seats: 1, finalSeats: 1, latency: 15 });
  t.same(seats('POST /api/v1/namespaces/a/serviceaccounts/b/token').finalSeats, 0);
  for (const end of ends) end();
  t.equal(seats('POST /api/v1/namespaces/a/pods').finalSeats, 0);
});

t.test('Retry-After grows while many requests are rejected', async t => {
  const after = retryAfter();
  t.equal(after.seconds, 1);
  for (let second = 1; second <= 20; second++) for (let i = 0; i < 10; i++) after.dropped(second);
  t.equal(after.seconds, 16);
  for (let second = 100; second <= 160; second += 20) after.dropped(second);
  t.ok(after.seconds < 16, 'and shrinks again');
});

t.test('the Dangling condition of a flow schema', async t => {
  const now = new Date('2026-01-02T03:04:05Z');
  const schema = { metadata: { name: 'a' }, spec: { priorityLevelConfiguration: { name: 'x' } } } as FlowSchema;
  const found = danglingCondition(schema, () => true, now);
  t.same(found, {
    type: 'Dangling',
    status: 'False',
    lastTransitionTime: '2026-01-02T03:04:05Z',
    reason: 'Found',
    message: 'This FlowSchema references the PriorityLevelConfiguration object named "x" and it exists',
  });
  t.match(
    danglingCondition(schema, () => false, now),
    { status: 'True', reason: 'NotFound' },
  );
  const withCondition = { ...schema, status: { conditions: [found] } } as FlowSchema;
  t.equal(
    danglingCondition(withCondition, () => true, now),
    undefined,
    'unchanged',
  );
});
