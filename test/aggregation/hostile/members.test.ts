import t from 'tap';
import { frameBehaviours } from './frame-behaviours.js';
import { memberBehaviours } from './behaviours.js';
import { measureMembers } from './measure-members.js';

const options = { timeout: 600_000 };

t.test('hostile members neither hold the event loop nor take memory', options, t =>
  measureMembers(t, 'http/1.1', memberBehaviours),
);

/** The behaviours that reach the code of the protocol: bodies that are long or slow, and many requests. What the others send is the same over both. */
const framed = new Set([
  ...['a list that never ends', 'a page of 30 MB in one line', 'bytes that drip', 'an error that never ends'],
  ...['empty pages that never end', 'changes at full speed', 'objects of 3 MB at full speed', 'a line without end'],
  ...['errors in a loop', 'discovery that never ends'],
]);

t.test('nor do they over HTTP/2', options, t => {
  const rows = memberBehaviours.map(({ name }) => ({ name, isSkipped: !framed.has(name) }));
  t.equal(rows.filter(({ isSkipped }) => !isSkipped).length, framed.size);
  return measureMembers(t, 'h2', rows);
});

t.test('nor do they with any frames of HTTP/2', options, t => measureMembers(t, 'frames', frameBehaviours));
