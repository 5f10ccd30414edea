import { conclusionsSummary } from './conclusion-lines.js';
import { type ConformanceReport, reportSections } from './conformance-report.js';

/** A report for a repository or an issue. */
export function markdownReport(report: ConformanceReport): string {
  const { gateway, observedAt, conclusions, notAsked, letter, withoutValue, options } = report;
  const parts = [
    `# What ${cell(gateway)} does`,
    `Observed on ${observedAt.toISOString()}. ${conclusionsSummary(conclusions)}`,
  ];
  for (const { title, explains, conclusions: rows } of reportSections(conclusions)) {
    parts.push(
      `## ${title}`,
      explains,
      table(
        ['finding', 'question', 'option', 'request_id'],
        rows.map((row) => [row.says, row.question, row.option ?? '', row.evidence.join(', ')]),
      ),
    );
  }
  if (withoutValue !== undefined) parts.push('## Profile', cell(withoutValue));
  if (options !== undefined)
    parts.push('## Options', 'What the module is told:', `\`\`\`ts\n${options}\n\`\`\``);
  if (notAsked.length > 0)
    parts.push(
      '## Not asked',
      table(
        ['point', 'why'],
        notAsked.map(({ point, why }) => [point, why]),
      ),
    );
  if (letter.length > 0)
    parts.push(
      '## Open questions',
      'The letter to the support asks them.',
      letter.map(({ english }, index) => `${index + 1}. ${english}`).join('\n'),
    );
  return `${parts.join('\n\n')}\n`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Text that ends no cell and begins no markup. */
function cell(text: string): string {
  return text.replaceAll(/[\\|<>`*_[\]]/g, String.raw`\$&`).replaceAll(/\s+/g, ' ');
}
