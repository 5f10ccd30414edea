/* global atob, Blob, btoa, createImageBitmap, document, OffscreenCanvas */
// Joins photographs of one page into an animated WebP: each frame holds only what has changed since the one before.
import webp from 'node-webpmux';

const QUALITY = 0.82;

/**
 * @param browser Compares the photographs and writes the frames.
 * @param shots Photographs of one size, as PNG, and how long each is shown.
 */
export async function animate(browser, shots) {
  const page = await browser.newPage();
  await page.evaluate(`globalThis.changesOf = ${changesOf}`);
  const frames = [];
  let size;
  for (const { png, ms } of shots) {
    const change = await page.evaluate(`changesOf(${JSON.stringify(png.toString('base64'))}, ${QUALITY})`);
    size ??= { width: change.width, height: change.height };
    const buffer = Buffer.from(change.webp, 'base64');
    // The format and the library count places in twos.
    const place = { x: change.x / 2, y: change.y / 2, delay: ms, blend: false, dispose: false };
    frames.push(await webp.Image.generateFrame({ buffer, ...place }));
  }
  const animation = await webp.Image.save(null, { ...size, frames, loops: 0 });
  await page.setContent(`<img src="data:image/webp;base64,${animation.toString('base64')}">`);
  // Rejects for a file that a browser cannot show.
  await page.evaluate(() => document.querySelector('img').decode());
  await page.close();
  return animation;
}

/** Runs in the browser: the part of a photograph that differs from the one before, as WebP. */
async function changesOf(png, quality) {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(bitmap, 0, 0);
  const { width, height } = canvas;
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const before = globalThis.before;
  globalThis.before = pixels;
  let [left, top, right, bottom] = before ? [width, height, 2, 2] : [0, 0, width, height];
  for (let index = 0; before && index < pixels.length; index += 1) {
    if (pixels[index] === before[index]) continue;
    const [x, y] = [index % width, Math.floor(index / width)];
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + 1), Math.max(bottom, y + 1)];
  }
  // Places are even. A frame without a change keeps its time.
  left = Math.min(left - (left % 2), width - 2);
  top = Math.min(top - (top % 2), height - 2);
  const part = new OffscreenCanvas(Math.max(right - left, 2), Math.max(bottom - top, 2));
  part.getContext('2d').drawImage(canvas, -left, -top);
  const blob = await part.convertToBlob({ type: 'image/webp', quality });
  const written = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (const byte of written) text += String.fromCharCode(byte);
  return { webp: btoa(text), x: left, y: top, width, height };
}
