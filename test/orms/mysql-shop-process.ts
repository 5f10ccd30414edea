// An application on MariaDB, with TypeORM.
import { sqlStorage } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { runShop } from '../support/killed-shop-application.js';

await runShop<EntityManager>(async (url) => {
  const dataSource = await new DataSource({ type: 'mariadb', url }).initialize();
  return {
    storage: sqlStorage({ executor: fromTypeOrm(dataSource), transactional: true }),
    makeEffect: (manager, reference) =>
      manager.query('INSERT INTO effects (reference) VALUES (?)', [reference]),
  };
});
