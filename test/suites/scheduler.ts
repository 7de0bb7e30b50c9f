import '../scheduler/queue.test.js';
