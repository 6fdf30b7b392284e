import type { Statement } from '../../../src/providers/statement-files/statement.ts';
import { readStatements } from '../../../src/providers/statement-files/statement-file.ts';

/** Every statement of a file, of which none may be faulty. @throws StatementFault, the first one */
export async function soundStatements(content: string | Uint8Array): Promise<readonly Statement[]> {
  const { statements, faults } = await readStatements(typeof content === 'string' ? Buffer.from(content) : content);
  const [fault] = faults;
  if (fault !== undefined) throw fault;
  return statements;
}
