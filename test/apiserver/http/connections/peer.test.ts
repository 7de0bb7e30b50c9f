import t from 'tap';
import { networkOf } from '../../../../apiserver/http/connections/peer.js';

t.test('the addresses that one client may use have the same network', async t => {
  const networks: readonly (readonly [expected: string, ...addresses: readonly string[]])[] = [
    ['10.1.2.3', '10.1.2.3', '::ffff:10.1.2.3'],
    ['32.1.13.184.0.0.0.1', '2001:db8:0:1::1', '2001:db8:0:1:ffff::7'],
    ['32.1.13.184.0.0.0.2', '2001:db8:0:2::1'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['', ''],
  ];
  for (const [expected, ...addresses] of networks)
    for (const address of addresses) t.equal(networkOf(address), expected, address);
});
