import '../aggregation/remote/client.test.js';
import '../aggregation/proxy/cluster-proxy.test.js';
