import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Answer } from '../core/answer.ts';
import { openApiDocument } from './openapi.ts';

const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Bank connections, transactions and automation: API reference</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, tryItOutEnabled: true });\n`;

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src " +
  "'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Page = { readonly path: string; readonly answer: () => Answer };

/** `/openapi.json` and a reference page at `/docs` that loads nothing from other hosts. */
export function createDocs(): Page[] {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const page = (path: string, type: string, make: () => Answer['body'], headers: Answer['headers'] = {}): Page => {
    const codings = new Map<string, Uint8Array<ArrayBuffer>>();
    let body: Answer['body'] | undefined;
    return {
      path,
      answer() {
        body ??= make();
        return { status: 200, headers: { 'content-type': type, ...headers }, body, codings };
      },
    };
  };
  return [
    page('/openapi.json', 'application/json; charset=utf-8', () => JSON.stringify(openApiDocument())),
    page('/docs', 'text/html; charset=utf-8', () => PAGE, { 'content-security-policy': CONTENT_SECURITY_POLICY }),
    page('/docs/start.js', 'text/javascript; charset=utf-8', () => START),
    ...Object.entries(ASSETS).map(([name, type]) =>
      page(`/docs/${name}`, type, () => new Uint8Array(readFileSync(join(folder, name))), {
        'cache-control': 'public, max-age=3600',
      }),
    ),
  ];
}
