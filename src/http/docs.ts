import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Hono } from 'hono';
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
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `/openapi.json` and a reference page at `/docs` that loads nothing from anywhere else. */
export function createDocs(): Hono {
  const app = new Hono();
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  let document: string | undefined;
  app.get('/openapi.json', (context) => {
    document ??= JSON.stringify(openApiDocument());
    return context.body(document, 200, { 'content-type': 'application/json; charset=utf-8' });
  });
  app.get('/docs', (context) => context.html(PAGE, 200, { 'content-security-policy': CONTENT_SECURITY_POLICY }));
  app.get('/docs/start.js', (context) =>
    context.body(START, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
  );
  for (const [name, type] of Object.entries(ASSETS)) {
    let asset: Buffer<ArrayBuffer> | undefined;
    app.get(`/docs/${name}`, (context) => {
      asset ??= readFileSync(join(folder, name));
      return context.body(asset, 200, { 'content-type': type, 'cache-control': 'public, max-age=3600' });
    });
  }
  return app;
}
