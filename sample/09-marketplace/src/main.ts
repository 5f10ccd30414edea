import { createMarketplace } from './marketplace.js';

const marketplace = await createMarketplace();
marketplace.enableShutdownHooks();
await marketplace.listen(process.env['PORT'] ?? 3000, '127.0.0.1');
