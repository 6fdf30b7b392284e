import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** Where `npm run console:dev` finds the service. */
const SERVICE = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000';
const proxied = ['/banks', '/auth', '/health', '/version', '/openapi.json'];

/** The service answers every address below /docs with the page of the reference; so does the server for development. */
const reference: Plugin = {
  name: 'reference',
  configureServer({ middlewares }) {
    middlewares.use((request, _response, next) => {
      if (/^\/docs(\/|$)/.test(request.url ?? '')) request.url = '/console/docs.html';
      next();
    });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  cacheDir: '../.cache/vite',
  plugins: [reference],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    rolldownOptions: { input: ['index.html', 'docs.html'].map((name) => join(import.meta.dirname, name)) },
    // One style for all pages: it is small, and a page that loads later cannot change what is on the screen.
    cssCodeSplit: false,
    // A data: URL would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    port: 5173,
    // The origin stays the browser's, and the session's paths refuse a foreign one: so the host has to stay, too.
    proxy: Object.fromEntries(proxied.map((path) => [path, { target: SERVICE, changeOrigin: false }])),
  },
});
