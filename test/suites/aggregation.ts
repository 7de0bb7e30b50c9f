import '../aggregation/remote/client.test.js';
