import '../two-at-once.js';
import '../e2e/failover.test.js';
import '../e2e/day.test.js';
import '../e2e/karmada-programs.test.js';
