import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { FailurePanel } from '../parts/failure.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Authorize } from './authorize.tsx';
import { loadReference, type Reference } from './document.ts';
import { ErrorsPage } from './errors.tsx';
import { Navigation } from './navigation.tsx';
import { OperationPage } from './operation.tsx';
import { Overview } from './overview.tsx';
import { parts, to } from './place.ts';
import { isAuthorized } from './trying.ts';

const TITLE = 'API reference';

/** Navigation, head bar, and the page that the address names. */
export function App() {
  const [reference, setReference] = useState<Reference | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isAuthorizing, setAuthorizing] = useState(false);
  const load = (): void => {
    setFailure(null);
    loadReference().then(setReference, (error: unknown) =>
      setFailure(error instanceof Error ? error.message : String(error)),
    );
  };
  useEffect(load, []);
  const [at, code] = parts.value;
  const content = useRef<HTMLDivElement>(null);
  useArrival(content, reference === null ? null : parts.value.join('/'), () => setMenuOpen(false));
  useEffect(() => {
    const close = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || document.querySelector('.side.open') === null) return;
      setMenuOpen(false);
      document.querySelector<HTMLElement>('.menu-button')?.focus();
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, []);
  const entry = at === undefined ? undefined : reference?.entries.get(at);
  return (
    <div class="frame reference">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Navigation reference={reference} at={at} isOpen={isMenuOpen} />
      {isMenuOpen && (
        <button type="button" class="side-shade" aria-label="Close menu" onClick={() => setMenuOpen(false)} />
      )}
      <main class="main">
        <div class="head">
          <Button class="menu-button" icon="menu" expanded={isMenuOpen} onClick={() => setMenuOpen(!isMenuOpen)}>
            Menu
          </Button>
          <p class="clip grow muted">{entry?.group ?? ''}</p>
          <Button icon={isAuthorized() ? 'check' : 'person'} popup="dialog" onClick={() => setAuthorizing(true)}>
            {isAuthorized() ? 'Authorized' : 'Authorize'}
          </Button>
        </div>
        <div class="page" id="content" tabIndex={-1} ref={content}>
          {reference === null ? (
            <NotThere failure={failure} onAgain={load} />
          ) : at === undefined ? (
            <Overview reference={reference} />
          ) : at === 'errors' ? (
            <ErrorsPage reference={reference} code={code} />
          ) : entry === undefined ? (
            <>
              <h1 class="hidden">No such operation</h1>
              <Empty action={<a href={to()}>Go to the overview</a>}>The document has no such operation.</Empty>
            </>
          ) : (
            <OperationPage key={at} entry={entry} reference={reference} onAuthorize={() => setAuthorizing(true)} />
          )}
        </div>
      </main>
      {isAuthorizing && <Authorize onClose={() => setAuthorizing(false)} />}
    </div>
  );
}

function NotThere({ failure, onAgain }: { readonly failure: string | null; readonly onAgain: () => void }) {
  if (failure === null) return <Skeleton lines={8} />;
  return (
    <>
      <h1 class="hidden">{TITLE}</h1>
      <FailurePanel
        failure={{ code: '', message: failure, requestId: '', missing: null, meta: {} }}
        what="The document could not be loaded."
        onAgain={onAgain}
      />
    </>
  );
}

/** Another page begins at its top with its heading, which gets the focus; the first one leaves the focus alone. */
function useArrival(
  content: { readonly current: HTMLDivElement | null },
  page: string | null,
  onArrival: () => void,
): void {
  const before = useRef<string | null>(null);
  useEffect(() => {
    if (page === null) return;
    const heading = content.current?.querySelector<HTMLElement>('h1');
    document.title = [heading?.textContent, TITLE].filter(Boolean).join(' · ');
    const isFirst = before.current === null;
    before.current = page;
    if (isFirst) return;
    onArrival();
    if (page.startsWith('errors/')) return;
    content.current?.scrollTo(0, 0);
    heading?.focus();
  }, [page]);
}
