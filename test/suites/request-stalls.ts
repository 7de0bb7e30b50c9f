import '../stalls/requests.test.js';
