/** Loads what most applications use beside Nest, and gives the modules that belong to it. */
export async function loadPeers() {
  const [{ HttpModule }] = await Promise.all([
    import('@nestjs/axios'),
    import('@nestjs/config'),
    import('class-transformer'),
    import('class-validator'),
  ]);
  return [HttpModule];
}
