import t from 'tap';
import { frameBehaviours } from './frame-behaviours.js';
import { memberBehaviours } from './behaviours.js';
import { measureMembers } from './measure-members.js';

const options = { timeout: 600_000 };

t.test('hostile members neither hold the event loop nor take memory', options, t =>
  measureMembers(t, 'http/1.1', memberBehaviours),
);

t.test('nor do they over HTTP/2', options, t => measureMembers(t, 'h2', memberBehaviours));

t.test('nor do they with any frames of HTTP/2', options, t => measureMembers(t, 'frames', frameBehaviours));
