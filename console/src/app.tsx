import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Failure, failureOf } from './api/failure.ts';
import { Frame } from './frame/frame.tsx';
import type { PageProps } from './page-props.ts';
import { SignIn } from './pages/sign-in/page.tsx';
import { type PageEntry, pages } from './pages.ts';
import { Button } from './parts/button.tsx';
import { Empty } from './parts/empty.tsx';
import { FailurePanel, Forbidden } from './parts/failure.tsx';
import { Skeleton } from './parts/skeleton.tsx';
import { navigate, path, to } from './router.ts';
import { company, may, person } from './session/session.ts';
import { common } from './words/index.ts';
import { language } from './words/language.ts';

export function App() {
  const w = common();
  useEffect(() => {
    document.documentElement.lang = language.value;
  });
  if (person.value === undefined) return <Skeleton />;
  if (person.value === null) return <SignIn />;
  const [name = pages[0]?.path ?? '', ...rest] = path.value;
  const entry = pages.find((page) => page.path === name);
  if (entry === undefined) {
    return (
      <Frame heading={w.product} page="">
        <Empty action={<Button onClick={() => navigate(to('overview'))}>{w.frame.toOverview}</Button>}>
          {w.frame.unknownPage}
        </Empty>
      </Frame>
    );
  }
  const missing = entry.needs.filter((right) => !may(right));
  return (
    <Frame heading={entry.heading(w)} page={entry.path}>
      {missing.length > 0 ? (
        <Forbidden right={missing.join(', ')} />
      ) : (
        // Another company is another page: nothing of the first is left in it.
        <LazyPage key={`${entry.path} ${company.value ?? ''}`} entry={entry} rest={rest} />
      )}
    </Frame>
  );
}

const loaded = new Map<string, ComponentType<PageProps>>();

function LazyPage({ entry, rest }: { readonly entry: PageEntry; readonly rest: readonly string[] }) {
  const [Page, setPage] = useState<ComponentType<PageProps> | null>(() => loaded.get(entry.path) ?? null);
  const [failure, setFailure] = useState<Failure | null>(null);
  useEffect(() => {
    if (Page !== null) return;
    entry.load().then(
      (module) => {
        loaded.set(entry.path, module.Page);
        setPage(() => module.Page);
      },
      (error: unknown) => setFailure(failureOf(error)),
    );
  }, [entry, Page]);
  if (failure !== null) {
    // The files of a page are gone after an upgrade of the service: only a new start finds the new ones.
    return <FailurePanel failure={failure} what={common().states.unexpected} onAgain={() => location.reload()} />;
  }
  return Page === null ? <Skeleton lines={6} /> : <Page rest={rest} />;
}
