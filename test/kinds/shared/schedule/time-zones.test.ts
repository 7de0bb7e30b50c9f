import t from 'tap';
import { timeZone } from '../../../../controllers/autoscale/time-zone.js';
import { timeZoneError } from '../../../../kinds/shared/schedule/cron-schedule.js';
import { isZoneName } from '../../../../kinds/shared/schedule/zone-names.js';

t.test("zones are those that Go's time.LoadLocation finds as files", async t => {
  const found = ['', 'UTC', 'Local', 'GMT', 'GMT0', 'GMT+0', 'Etc/GMT+12', 'Etc/UTC', 'US/Pacific', 'Europe/Kyiv'];
  const older = [
    'Europe/Kiev',
    'Asia/Calcutta',
    'America/Argentina/ComodRivadavia',
    'EST5EDT',
    'W-SU',
    'Zulu',
    'Factory',
  ];
  for (const zone of [...found, ...older]) t.equal(timeZoneError(zone), undefined, zone);
  const cases = ['gmt', 'Gmt', 'utc', 'Utc', 'us/pacific', 'US/pacific', 'europe/berlin', 'Zulu '];
  const ofIntl = ['PST', 'IST', 'ACT', 'SystemV/PST8', '+01:00', 'Etc/Unknown', 'UTC+1', 'local', 'Europe', 'Europe/'];
  for (const zone of [...cases, ...ofIntl]) t.equal(timeZoneError(zone), `unknown time zone ${zone}`, zone);
  for (const zone of ['../UTC', '/UTC', '\\UTC', 'Europe/../UTC'])
    t.equal(timeZoneError(zone), 'time: invalid location name', zone);
});

t.test('all zones of Intl are valid, and all valid zones can be used', async t => {
  for (const zone of Intl.supportedValuesOf('timeZone')) t.ok(isZoneName(zone), zone);
  const noon = Date.UTC(2026, 0, 1, 12);
  t.equal(timeZone('Factory').wallAt(noon), noon);
  t.equal(timeZone('US/Pacific').wallAt(noon), noon - 8 * 3_600_000);
});
