import type { User } from '../../../../sdk/src/index.ts';
import { Select } from '../../parts/select.tsx';
import { common } from '../../words/index.ts';
import { administrationWords } from './words.ts';

type Role = User['role'];
const ROLES: readonly Role[] = ['admin', 'operator', 'analyst', 'auditor'];

/** A role, with what it may do in a sentence. */
export function RoleSelect({ value, onChange }: { readonly value: Role; readonly onChange: (role: Role) => void }) {
  const w = administrationWords();
  return (
    <Select
      label={w.role}
      hint={w.roleHints[value]}
      value={value}
      choices={ROLES.map((role) => ({ value: role, label: common().roles[role] }))}
      onChange={(chosen) => onChange(ROLES.find((role) => role === chosen) ?? value)}
    />
  );
}
