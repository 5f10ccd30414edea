import { createShop } from './shop.js';

const shop = await createShop();
shop.enableShutdownHooks();
await shop.listen(process.env['PORT'] ?? 3000, '127.0.0.1');
