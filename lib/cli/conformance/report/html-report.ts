import { conclusionsSummary } from './conclusion-lines.js';
import { type ConformanceReport, type ReportSection, reportSections } from './conformance-report.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --held: #1a7f37; --differs: #c62828; --learnt: #0969a8; --silent: #777; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; border-left: .4rem solid var(--line); padding-left: .6rem; }
h2.held { border-color: var(--held); } h2.differs { border-color: var(--differs); }
h2.learnt { border-color: var(--learnt); } h2.silent { border-color: var(--silent); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
td:last-child { font: .8rem/1.6 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: #8881; padding: 1rem; overflow-x: auto; }
`;

/** A report as one page that loads nothing. */
export function htmlReport(report: ConformanceReport): string {
  const { gateway, observedAt, conclusions, notAsked, letter, withoutValue, options } = report;
  const title = `What ${escaped(gateway)} does`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}</style></head>`,
    '<body>',
    `<h1>${title}</h1>`,
    `<p>Observed on <time>${observedAt.toISOString()}</time>. ${escaped(conclusionsSummary(conclusions))}</p>`,
    ...reportSections(conclusions).map(sectionHtml),
    ...(withoutValue === undefined ? [] : [`<h2>Profile</h2><p>${escaped(withoutValue)}</p>`]),
    ...(options === undefined
      ? []
      : [`<h2>Options</h2><p>What the module is told:</p><pre><code>${escaped(options)}</code></pre>`]),
    ...(notAsked.length === 0
      ? []
      : [
          '<h2>Not asked</h2>',
          table(
            ['point', 'why'],
            notAsked.map(({ point, why }) => [point, why]),
          ),
        ]),
    ...(letter.length === 0
      ? []
      : [
          '<h2>Open questions</h2><p>The letter to the support asks them.</p>',
          `<ol>${letter.map(({ english }) => `<li>${escaped(english)}</li>`).join('')}</ol>`,
        ]),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function sectionHtml({ title, explains, conclusions }: ReportSection): string {
  const rows = conclusions.map(({ says, question, option = '', evidence }) => [
    says,
    question,
    option,
    evidence.join(', '),
  ]);
  return `<h2 class="${title.toLowerCase()}">${title}</h2><p>${explains}</p>${table(['finding', 'question', 'option', 'request_id'], rows)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: 'th' | 'td'): string =>
    `<tr>${cells.map((text) => `<${tag}>${escaped(text)}</${tag}>`).join('')}</tr>`;
  return `<div class="wide"><table><thead>${line(head, 'th')}</thead><tbody>${rows.map((row) => line(row, 'td')).join('')}</tbody></table></div>`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
