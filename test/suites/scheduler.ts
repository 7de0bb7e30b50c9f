import '../scheduler/queue.test.js';
import '../scheduler/ready-keys.test.js';
import '../scheduler/large-placements.test.js';
