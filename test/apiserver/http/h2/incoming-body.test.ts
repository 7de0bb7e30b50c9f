import t from 'tap';
import { IncomingBody } from '../../../../apiserver/http/h2/incoming-body.js';

const complete = (): IncomingBody => {
  const body = new IncomingBody(false, () => undefined);
  body.push(Buffer.from('{"dryRun":'));
  body.push(Buffer.from('["All"]}'));
  body.end();
  return body;
};

t.test('an unread body that was complete when its client left does not read as empty', async t => {
  const body = complete();
  body.leave();
  await t.rejects(body.whole(undefined, 100), /unexpected EOF/);
  await t.rejects(body.pieces().next(), /unexpected EOF/);
});

t.test('a body that was read in part does not either', async t => {
  const body = complete();
  const pieces = body.pieces();
  t.same(await pieces.next(), { done: false, value: Buffer.from('{"dryRun":') });
  body.leave();
  await t.rejects(pieces.next(), /unexpected EOF/);
});

t.test('a body that was read to its end stays complete', async t => {
  const body = complete();
  t.equal((await body.whole(undefined, 100)).toString(), '{"dryRun":["All"]}');
  body.leave();
  const empty = new IncomingBody(true, () => undefined);
  empty.leave();
  t.equal((await empty.whole(undefined, 100)).length, 0);
});
