import { useMemo, useState } from 'preact/hooks';
import type { RuleConditionsGiven } from '../../../../sdk/src/index.ts';
import { text } from '../../address.ts';
import { Select } from '../../parts/select.tsx';
import { navigate, to } from '../../router.ts';
import { company, person, showsCompanies } from '../../session/session.ts';
import { useAddress } from '../../use-address.ts';
import { common } from '../../words/index.ts';
import { emptyDraft } from './draft.ts';
import { RuleEditor } from './rule-editor.tsx';

/** `conditions`: JSON to begin with, as the review inbox gives it; `name`: a proposal. */
const SCHEMA = { conditions: text, name: text, company: text };

export function NewRule() {
  const { values } = useAddress(SCHEMA);
  const companies = person.value?.companies ?? [];
  const [companyId, setCompanyId] = useState(values.company ?? company.value ?? companies[0]?.id ?? '');
  const start = useMemo(
    () => ({ ...emptyDraft(given(values.conditions)), name: values.name ?? '' }),
    [values.conditions, values.name],
  );
  return (
    <>
      {showsCompanies.value && (
        <Select
          label={common().frame.company}
          value={companyId}
          choices={companies.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={setCompanyId}
        />
      )}
      <RuleEditor
        companyId={companyId}
        rule={null}
        start={start}
        onSaved={({ id }) => navigate(to('rules', id))}
        onTheirs={() => undefined}
      />
    </>
  );
}

/** What the address holds was written by another page, or by anybody. */
function given(json: string | undefined): RuleConditionsGiven | undefined {
  try {
    const conditions = json === undefined ? undefined : (JSON.parse(json) as Partial<RuleConditionsGiven>);
    return Array.isArray(conditions?.children) ? (conditions as RuleConditionsGiven) : undefined;
  } catch {
    return undefined;
  }
}
