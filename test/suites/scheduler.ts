import '../scheduler/estimate.test.js';
import '../scheduler/matching.test.js';
import '../scheduler/queue.test.js';
import '../scheduler/schedule.test.js';
