import t from 'tap';
import { edgeFlags, parseEdge } from '../../../cli/flags/edge.js';
import { parseFlags } from '../../../cli/flags/flags.js';

const parse = (...args: string[]) => parseEdge(parseFlags(edgeFlags, args).values);

t.test('flags for browsers and load balancers', async t => {
  t.same(parse(), { allowedOrigins: [], transportSecurity: [], goawayChance: 0, sendRetryAfter: false });
  t.same(
    parse(
      '--cors-allowed-origins=^https://a\\.example$,//b\\.example(:|$)',
      '--strict-transport-security-directives=max-age=5,includeSubDomains,preload',
      '--goaway-chance=.001',
      '--shutdown-send-retry-after',
    ),
    {
      allowedOrigins: ['^https://a\\.example$', '//b\\.example(:|$)'],
      transportSecurity: ['max-age=5', 'includeSubDomains', 'preload'],
      goawayChance: 0.001,
      sendRetryAfter: true,
    },
  );
  for (const wrong of [
    '--cors-allowed-origins=a.example',
    '--cors-allowed-origins=^a.example',
    '--cors-allowed-origins=^(a$',
    '--strict-transport-security-directives=max-age',
    '--strict-transport-security-directives=other',
    '--goaway-chance=0.03',
    '--goaway-chance=-1',
    '--goaway-chance=often',
    '--goaway-chance=',
  ])
    t.throws(() => parse(wrong), { message: new RegExp(`for ${wrong.split('=')[0] ?? ''}: `) }, wrong);
});
