import { basename } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

/** In development vite serves the pages and hands calls of the API to a service that runs beside it. */
const service = process.env['MILLRACE_URL'] ?? 'http://127.0.0.1:8080';

/**
 * Of Mantine's style sheet a build takes the part that every page needs, and those of the components that are used: each comes
 * with the module that has its class names, after those of the components that it is made of.
 */
const stylesOfUsed: Plugin = {
  name: 'styles of used components',
  apply: 'build',
  load: {
    filter: { id: /@mantine\/core\/styles\.layer\.css$/ },
    handler: () => ['baseline', 'default-css-variables', 'global'].map((name) => importOf(name, '@')).join(''),
  },
  transform: {
    filter: { id: /@mantine\/core\/esm\/.*\.module\.mjs$/ },
    handler: (code, id) => importOf(basename(id, '.module.mjs')) + code,
  },
};

function importOf(name: string, at = ''): string {
  return `${at}import '@mantine/core/styles/${name}.layer.css';\n`;
}

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  plugins: [react(), stylesOfUsed],
  build: {
    target: 'es2022',
    // Those that know light-dark(): translated for older ones it would follow the system, not the choice made here.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // An asset inside a style sheet would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    manifest: true,
    // Every browser that knows light-dark() knows module preloads.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // The first page has the names of all files: each character of them is one more.
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:7][extname]',
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
