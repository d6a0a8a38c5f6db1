import react from '@vitejs/plugin-react';
import { defineConfig, type UserConfig } from 'vite';

/** In development vite serves the pages and hands calls of the API to a service that runs beside it. */
const service = process.env['MILLRACE_URL'] ?? 'http://127.0.0.1:8080';

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    target: 'es2022',
    // Those that know light-dark(): translated for older ones it would follow the system, not the choice made here.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // An asset inside a style sheet would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    // All style sheets are smaller than one picture: one request.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 800,
    manifest: true,
    // Every browser that knows light-dark() knows module preloads.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // A page would else ask for dozens of files of a few bytes: one file has what the first page needs, and one what
        // many others need beyond it.
        codeSplitting: {
          groups: [
            { name: 'first', test: /main.tsx$/, priority: 2 },
            { name: 'shared', minShareCount: 6, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': service, '/v1': service, '/health': service } },
});

export default config;
