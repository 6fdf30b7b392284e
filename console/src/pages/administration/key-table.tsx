import type { ApiKey } from '../../../../sdk/src/index.ts';
import { Button } from '../../parts/button.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { nameOfCompany } from '../../session/session.ts';
import { administrationWords } from './words.ts';

type Act = (apiKey: ApiKey) => void;
type Props = {
  readonly keys: readonly ApiKey[];
  readonly hasEnded: (apiKey: ApiKey) => boolean;
  /** Null: nothing may be changed now. */
  readonly onRotate: Act | null;
  readonly onRevoke: Act | null;
};

export function KeyTable({ keys, hasEnded, onRotate, onRevoke }: Props) {
  const w = administrationWords();
  return (
    <SimpleTable
      caption={w.tabs.keys}
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          title: w.name,
          cell: ({ name, key }) => (
            <>
              {name}
              <br />
              <Copy text={key} />
            </>
          ),
        },
        { key: 'state', title: w.state, cell: (apiKey) => <KeyState apiKey={apiKey} hasEnded={hasEnded(apiKey)} /> },
        { key: 'rights', title: w.rights, cell: ({ scopes }) => <Rights scopes={scopes} /> },
        {
          key: 'companies',
          title: w.companies,
          cell: ({ companies }) => (companies === null ? w.allCompanies : companies.map(nameOfCompany).join(', ')),
        },
        {
          key: 'used',
          title: w.lastUsed,
          cell: ({ lastUsedAt }) =>
            lastUsedAt === null ? <span class="muted">{w.neverUsed}</span> : <Moment at={lastUsedAt} fresh />,
        },
        {
          key: 'actions',
          title: w.actions,
          cell: (apiKey) =>
            onRotate &&
            onRevoke &&
            !hasEnded(apiKey) && (
              <div class="row">
                <Button label={`${w.rotate}: ${apiKey.name}`} onClick={() => onRotate(apiKey)}>
                  {w.rotate}
                </Button>
                <Button label={`${w.revoke}: ${apiKey.name}`} kind="danger" onClick={() => onRevoke(apiKey)}>
                  {w.revoke}
                </Button>
              </div>
            ),
        },
      ]}
    />
  );
}

function KeyState({ apiKey, hasEnded }: { readonly apiKey: ApiKey; readonly hasEnded: boolean }) {
  const w = administrationWords();
  const { revokedAt, expiresAt, graceUntil } = apiKey;
  if (revokedAt !== null) {
    return (
      <>
        <StateWord tone="none">{w.revoked}</StateWord>
        <br />
        <Moment at={revokedAt} />
      </>
    );
  }
  const isGrace = graceUntil !== null && Date.parse(graceUntil) > Date.now();
  return (
    <>
      <StateWord tone={hasEnded ? 'none' : 'good'}>{hasEnded ? w.expired : w.active}</StateWord>
      <p class="small muted">
        {expiresAt === null ? (
          w.never
        ) : (
          <>
            {w.expires}: <Moment at={expiresAt} />
          </>
        )}
      </p>
      {isGrace && !hasEnded && (
        <p class="small muted">
          {w.graceUntil} <Moment at={graceUntil} />
        </p>
      )}
    </>
  );
}

/** Folded, so that a key with all rights takes one line. */
function Rights({ scopes }: { readonly scopes: ApiKey['scopes'] }) {
  const w = administrationWords();
  return (
    <details class="fold">
      <summary>{w.rightsMore(scopes.length)}</summary>
      <ul class="mono">
        {scopes.map((scope) => (
          <li key={scope}>{scope}</li>
        ))}
      </ul>
    </details>
  );
}
