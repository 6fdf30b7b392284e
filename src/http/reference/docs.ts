import type { Context } from 'hono';
import type { ConsoleFiles } from '../console/read-console.ts';
import { referenceAnswer } from '../console/serve-console.ts';
import type { Answer } from '../core/answer.ts';
import { openApiDocument } from './openapi.ts';

/** Where the pages are not built: the document is there nevertheless. It needs neither style nor script. */
const NOT_BUILT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>API reference</title>
</head>
<body>
<main>
<h1>API reference</h1>
<p>The reference page of this service is not built: <code>npm run console:build</code> builds it, then start again.</p>
<p>The document that it shows: <a href="/openapi.json">/openapi.json</a></p>
</main>
</body>
</html>
`;

const notBuilt: Answer = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
  body: NOT_BUILT,
};

type Page = { readonly path: string; readonly answer: (context: Context) => Answer };

/** `/openapi.json`, and the reference page at every address below `/docs`. */
export function createDocs(files: ConsoleFiles | null): Page[] {
  const codings = new Map<string, Uint8Array<ArrayBuffer>>();
  let text: string | undefined;
  const document = (): Answer => {
    text ??= JSON.stringify(openApiDocument());
    return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: text, codings };
  };
  const reference = files?.reference ?? null;
  const page = (context: Context): Answer => (reference === null ? notBuilt : referenceAnswer(reference, context));
  return [
    { path: '/openapi.json', answer: document },
    { path: '/docs', answer: page },
    { path: '/docs/*', answer: page },
  ];
}
