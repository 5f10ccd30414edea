// Photographs pages of the demo, and fails if a picture would cut off what the README speaks of.

/** @param box.shows What has to be within the picture as a whole: locators. */
export async function photograph(page, { shows }) {
  const { width, height } = page.viewportSize();
  for (const element of shows) {
    const box = await element.boundingBox();
    const isWhole =
      box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
    if (!isWhole) throw new Error(`The picture cuts off ${element}: ${JSON.stringify(box)}`);
  }
  return page.screenshot({ caret: 'hide' });
}

/** Photographs beside each other, as WebP. */
export async function sideBySide(browser, pictures, { gap, quality }) {
  const width = pictures.reduce((sum, picture) => sum + picture.width + gap, gap);
  const height = Math.max(...pictures.map((picture) => picture.height)) + 2 * gap;
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: 1.5 });
  const images = pictures.map(
    (picture) =>
      `<img width="${picture.width}" src="data:image/png;base64,${picture.png.toString('base64')}">`,
  );
  await page.setContent(`<style>
    body { margin: 0; padding: ${gap}px; display: flex; gap: ${gap}px; background: #dfe7e6 }
    img { border-radius: 12px; box-shadow: 0 2px 10px #0003 }
  </style>${images.join('')}`);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
  await page.close();
  return Buffer.from(data, 'base64');
}
