import '../simulator/cron-job.test.js';
import '../simulator/disruption.test.js';
import '../simulator/fleet.test.js';
import '../simulator/member.test.js';
import '../simulator/network.test.js';
import '../simulator/optimize-late.test.js';
import '../simulator/rollout.test.js';
import '../simulator/room.test.js';
