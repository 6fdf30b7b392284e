import { pages } from '../pages.ts';
import { Icon } from '../parts/icon.tsx';
import { Select } from '../parts/select.tsx';
import { to } from '../router.ts';
import { chooseCompany, company, may, person } from '../session/session.ts';
import { common } from '../words/index.ts';
import { withMoment } from './as-of-moment.ts';
import { WaitingCount } from './waiting-count.tsx';

/** The company, and the pages that the person may see. */
export function SideBar({ page, isOpen }: { readonly page: string; readonly isOpen: boolean }) {
  const w = common();
  const companies = person.value?.companies ?? [];
  return (
    <header class={`side ${isOpen ? 'open' : ''}`}>
      <p class="brand">
        <Icon name="transactions" />
        {w.product}
      </p>
      {companies.length > 1 ? (
        <Select
          bare
          label={w.frame.company}
          value={company.value ?? ''}
          choices={[
            { value: '', label: w.frame.allCompanies },
            ...companies.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(id) => chooseCompany(id === '' ? null : id)}
        />
      ) : (
        <p class="brand muted">{companies[0]?.name ?? person.value?.tenant.name}</p>
      )}
      <nav aria-label={w.frame.navigation}>
        <ul>
          {pages
            .filter(({ icon, needs }) => icon !== null && needs.every(may))
            .map(({ path, icon, heading }) => (
              <li key={path}>
                <a href={withMoment(to(path))} aria-current={path === page ? 'page' : undefined}>
                  {icon && <Icon name={icon} />}
                  {heading(w)}
                  {path === 'review' && <WaitingCount />}
                </a>
              </li>
            ))}
        </ul>
      </nav>
    </header>
  );
}
