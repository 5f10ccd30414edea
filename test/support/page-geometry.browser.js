/* global NodeFilter, document */
/** Runs in the browser: what is broken, cut or too wide in the open view of the emulator's page. */
globalThis.geometryProblems = () => {
  const problems = [];
  const visible = (element) => element.checkVisibility();
  const all = (selector) => [...document.querySelectorAll(selector)].filter(visible);
  const linesOf = (range) =>
    new Set(
      [...range.getClientRects()].filter(({ width }) => width > 0.5).map(({ top }) => Math.round(top / 4)),
    ).size;
  const textsIn = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      const text = walker.currentNode;
      if (visible(text.parentElement) && !text.parentElement.closest('.unseen, pre, .skip')) texts.push(text);
    }
    return texts;
  };

  for (const text of textsIn(document.body)) {
    for (const word of text.data.matchAll(/[\p{L}\p{N}]+/gu)) {
      // No line of a sentence holds such a word; in a table it is cut in its middle.
      if (word[0].length > 40 && !text.parentElement.closest('table')) continue;
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (linesOf(range) > 1) problems.push(`the word ${word[0]} of "${text.data.trim()}" is broken`);
    }
  }
  for (const element of all('.status, td.number, time, .prompt .amount')) {
    const range = document.createRange();
    range.selectNodeContents(element);
    const tops = textsIn(element).map((text) => {
      range.selectNodeContents(text);
      return [...range.getClientRects()].map(({ bottom }) => bottom);
    });
    const bottoms = tops.flat();
    if (Math.max(...bottoms) - Math.min(...bottoms) > 6) problems.push(`"${element.textContent}" is wrapped`);
  }
  for (const cell of all('th, td')) {
    const { right } = cell.getBoundingClientRect();
    for (const part of cell.querySelectorAll('*')) {
      if (!visible(part) || part.closest('.start, .unseen')) continue;
      if (part.getBoundingClientRect().right > right + 1)
        problems.push(`"${part.textContent}" leaves its cell`);
    }
  }
  for (const box of all(
    'html, body, main, .ledger, .panel, .list, table, .one, .screen, .prompt, .filters, .pager, pre',
  )) {
    if (box.scrollWidth > box.clientWidth + 1)
      problems.push(
        `${box.tagName}.${box.className} is ${box.scrollWidth - box.clientWidth} pixels too wide`,
      );
  }
  for (const { textContent } of all('tbody th:has(.long)').filter((head) => head.clientWidth < 90))
    problems.push(`the head "${textContent}" of a row has no room`);
  return problems;
};

globalThis.placesOf = (view) => {
  const [list, one] = ['list', 'one'].map((part) => {
    const element = document.getElementById(`${part}-${view}`);
    const { left, right, top, width } = element.getBoundingClientRect();
    return { left, right, top, width, visible: element.checkVisibility() };
  });
  return { list, one };
};

globalThis.isCut = (selector) => {
  const { scrollWidth, clientWidth } = document.querySelector(selector);
  return scrollWidth > clientWidth;
};
