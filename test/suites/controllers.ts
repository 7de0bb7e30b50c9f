import '../controllers/cluster/summary.test.js';
import '../controllers/dependencies/attached.test.js';
import '../controllers/dependencies/distributor.test.js';
import '../controllers/interpreter/native.test.js';
import '../controllers/override/apply.test.js';
import '../controllers/policy/matching.test.js';
import '../controllers/quota/quota.test.js';
import '../controllers/runtime/queue.test.js';
