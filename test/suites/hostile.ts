import '../aggregation/hostile/members.test.js';
import '../aggregation/hostile/proxies.test.js';
import '../aggregation/hostile/webhooks.test.js';
