/** An agent reads its credentials again while it runs. */
import t from 'tap';
import type { Endpoint, RemoteClient } from '../../../aggregation/interface.js';
import { RenewableClient } from '../../../aggregation/remote/renewable-client.js';
import { followCredentials } from '../../../cli/agent/follow-credentials.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { silent } from '../../../server/logger.js';
import { until } from '../../storage/until.js';

t.test('credentials that the client refuses are tried again until they work', async t => {
  const first: Endpoint = { server: 'https://c', token: 'first' };
  const opened: string[] = [];
  const client = new RenewableClient(first, ({ token = '' }) => {
    opened.push(token);
    if (opened.length > 1 && opened.length < 5) throw new ExpectedError('key values mismatch');
    return { close: async () => undefined } as unknown as RemoteClient;
  });
  t.teardown(() => client.close());
  const used: object[] = [];
  const ending = new AbortController();
  t.teardown(() => ending.abort());
  let looks = 0;
  const done = followCredentials({
    ...{ client, first, what: 'cluster', signal: ending.signal, periodMs: 1 },
    source: () => {
      looks++;
      return { server: 'https://c', token: 'second' };
    },
    log: { ...silent, info: fields => used.push(fields) },
  });
  await until('they are used', () => used.length > 0, 10_000);
  const seen = looks;
  await until('further looks', () => looks >= seen + 3);
  t.same(opened, ['first', 'second', 'second', 'second', 'second']);
  t.same(used, [{ server: 'cluster' }], 'what works is not used again');
  ending.abort();
  await done;
});
